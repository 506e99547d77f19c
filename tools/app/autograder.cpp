#include "grading/autograder/autograder.hpp"

#include <memory>

#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_autograder(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<AutograderOptions>();
  CLI::App* command = app.add_subcommand(
      "autograder", "For instructors: write an autograder for Gradescope, a zip archive");
  command->footer("Example: ./lab autograder 03_shared_memory --out autograder.zip");
  command->add_option("STAGE", options->stages, "Stages to grade; all if none is named");
  command->add_option("--out", options->out, "The archive: autograder.zip")
      ->option_text("FILE")
      ->required();
  add_gpu(command, *options);
  command->callback([options, &status] {
    write_autograder(*options);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
