#include "grading/debug/debug.hpp"

#include <memory>

#include "common/core/paths.hpp"
#include "grading/progress/progress_file.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_debug(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<DebugOptions>();
  options->seed = random_seed();
  CLI::App* command = app.add_subcommand(
      "debug", "Stop in a kernel in gdb, on the simulator, at the block and thread that fail");
  command->footer("Example: ./lab debug 03_shared_memory");
  add_stage(command, *options, "03_shared_memory, 03 or 3; the current one if none is named");
  command
      ->add_option(
          "--call", options->call,
          "The call to debug: 'matmul_shared(n=37, tile=16)' (default: the one that failed)")
      ->option_text("CALL");
  command
      ->add_option("--block", options->block, "blockIdx to stop in: 1,0,0 (default: what failed)")
      ->option_text("X,Y,Z");
  command
      ->add_option("--thread", options->thread,
                   "threadIdx to stop in: 3,2,0 (default: what failed)")
      ->option_text("X,Y,Z");
  add_submission(command, *options);
  command->callback([options, &status] {
    if (options->stages.empty()) {
      options->stages = {stage_meant("", read_progress(core::project_root())).id};
    }
    status = exit_status(debug(*options));
  });
}

}  // namespace tilewise::grading
