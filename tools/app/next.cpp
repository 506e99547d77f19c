#include <fmt/format.h>

#include <string>

#include "common/core/paths.hpp"
#include "grading/guide/guide.hpp"
#include "grading/progress/progress_file.hpp"
#include "grading/report/printable.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_next(CLI::App& app, ExitStatus& status) {
  app.add_subcommand("next", "Go on to the next stage")->callback([&status] {
    const auto root = core::project_root();
    std::string text;
    change_progress(root, [&](Progress& progress) {
      const std::string from = current_stage(progress, stages()).id;
      text = go_on(root, stages(), progress);
      const std::string to = current_stage(progress, stages()).id;
      if (to != from) text += fmt::format("  run   ./lab watch, or ./lab grade {}\n", to);
    });
    fmt::print("{}", wrapped(text, "", columns_of_standard_output()));
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
