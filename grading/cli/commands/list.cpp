#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grading/cli/commands/commands.hpp"
#include "tilewise_stages.hpp"

namespace tilewise::grading {

void add_list(CLI::App& app, ExitStatus& status) {
  app.add_subcommand("list", "List the stages")->callback([&status] {
    for (const StageInfo& stage : stages()) {
      fmt::print("{:<22}{}\n", stage.id, fmt::join(stage.sources, ", "));
    }
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
