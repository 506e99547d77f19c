#include <fmt/format.h>

#include <memory>
#include <string>

#include "common/core/paths.hpp"
#include "grading/hints/next_hint.hpp"
#include "grading/progress/progress_file.hpp"
#include "grading/report/printable.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_hint(CLI::App& app, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "hint", "Help with what failed last; each time it is asked, a little more");
  command->add_option("STAGE", *word,
                      "03_shared_memory, 03 or 3; the current one if none is named");
  command->callback([word, &status] {
    const auto root = core::project_root();
    Hint hint;
    change_progress(root, [&](Progress& progress) {
      const StageInfo stage = stage_meant(*word, progress);
      hint = next_hint(root, stage, read_hints(root, stage.id), progress.stages[stage.id]);
    });
    fmt::print("{}\n\n{}", printable(hint.title),
               wrapped(printable(hint.text), "  ", columns_of_standard_output()));
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
