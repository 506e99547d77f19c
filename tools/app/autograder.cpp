#include "grading/autograder/autograder.hpp"

#include <memory>

#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_autograder(CLI::App& app, ExitStatus& status) {
  const auto run = std::make_shared<Run>();
  const auto archive = std::make_shared<std::filesystem::path>();
  CLI::App* command = app.add_subcommand(
      "autograder", "For instructors: write an autograder for Gradescope, a zip archive");
  command->footer("Example: ./lab autograder 03_shared_memory --out autograder.zip");
  command->add_option("STAGE", run->stages, "Stages to grade; all if none is named");
  command->add_option("--out", *archive, "The archive: autograder.zip")
      ->option_text("FILE")
      ->required();
  add_gpu(command, *run);
  command->callback([run, archive, &status] {
    write_autograder(*run, *archive);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
