#include "grading/guide/reset.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "common/core/paths.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/progress/progress_file.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

void reset(const std::string& word) {
  const StageInfo stage = choose_stages({word}, stages()).front();
  const auto root = core::project_root();
  read_progress(root);  // a damaged one is said before anything is changed
  for (const ResetFile& file : reset_stage(root, stage, std::time(nullptr))) {
    fmt::print("{}: {}\n", file.file,
               file.written ? "is the skeleton again" : "was the skeleton already");
    if (!file.backup.empty()) fmt::print("  what it held is in {}\n", file.backup);
  }
  change_progress(root, [&](Progress& progress) {
    StageProgress anew;
    anew.best = std::move(progress.stages[stage.id].best);
    progress.stages[stage.id] = std::move(anew);
    progress.current = stage.id;
  });
}

}  // namespace

void add_reset(CLI::App& app, ExitStatus& status) {
  const auto word = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("reset", "Begin a stage anew; what you wrote is kept beside it");
  command->footer("Example: ./lab reset 03_shared_memory");
  command->add_option("STAGE", *word, "03_shared_memory, 03 or 3")->required();
  command->callback([word, &status] {
    reset(*word);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
