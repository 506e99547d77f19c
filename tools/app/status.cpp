#include <fmt/format.h>

#include "common/core/paths.hpp"
#include "grading/guide/guide.hpp"
#include "grading/progress/progress_file.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_status(CLI::App& app, ExitStatus& status) {
  app.add_subcommand("status", "Your points, stages and best rates so far")->callback([&status] {
    fmt::print("{}", status_table(stages(), read_progress(core::project_root())));
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
