#include <memory>

#include "grading/cli/commands.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_report(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "Write a laboratory report on your kernels, one HTML file to fill in and print");
  command->footer("Example: ./lab report 03_shared_memory");
  command->add_option("STAGE", options->bench.stages,
                      "Stages to report on: 03_shared_memory, 03 or 3; all if none is named");
  add_submission(command, options->bench);
  add_gpu(command, options->bench);
  add_backend(command, options->bench);
  add_device(command, options->bench);
  add_orders(command, options->bench);
  CLI::Option* measurements =
      command
          ->add_option("--measurements", options->measurements,
                       "Take the figures from a file of lab bench --json instead of measuring")
          ->option_text("FILE");
  for (const char* other :
       {"--solutions", "--submission", "--gpu", "--backend", "--device", "--n"}) {
    measurements->excludes(command->get_option(other));
  }
  command->add_option("--output", options->output, "Where it goes (default: report.html)")
      ->option_text("FILE");
  command->callback([options, &status] { status = exit_status(report(*options)); });
}

}  // namespace tilewise::grading
