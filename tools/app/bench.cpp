#include <memory>

#include "grading/cli/commands.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_bench(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "Compare kernels with the solution, the stage before and a library, over sizes");
  command->footer("Example: ./lab bench 03_shared_memory --n 256,1000");
  command->add_option("STAGE", options->stages,
                      "Stages to run: 03_shared_memory, 03 or 3; all if none is named");
  add_submission(command, *options);
  add_gpu(command, *options);
  add_backend(command, *options);
  add_device(command, *options);
  add_orders(command, *options);
  command
      ->add_option("--inputs", options->inputs,
                   "random (the default), linear (A counts up, B down) or two files of NumPy")
      ->option_text("KIND|A.npy,B.npy");
  add_seed(command, *options, "Draw random inputs from N (default: 0)");
  command
      ->add_option("--store", options->store, "Keep inputs and right results there for later runs")
      ->option_text("DIR");
  command->add_option("--csv", options->csv, "Write the table as CSV")->option_text("FILE");
  command->add_option("--json", options->json, "Write the table as JSON")->option_text("FILE");
  command->add_option("--plots", options->plots, "Draw charts into a folder")->option_text("DIR");
  command->callback([options, &status] { status = exit_status(bench(*options)); });
}

}  // namespace tilewise::grading
