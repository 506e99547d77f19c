#include <memory>

#include "grading/cli/commands.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_profile(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = app.add_subcommand(
      "profile", "Run one call on the simulator and show what its kernels do in memory, by line");
  command->footer(
      "Example: ./lab profile 03_shared_memory --call 'matmul_shared(n=1024, tile=32)'");
  add_stage(command, *options)->required();
  command
      ->add_option("--call", options->call,
                   "A contract function and its arguments but for the matrices, by name: "
                   "'matmul_shared(n=1024, tile=32)'")
      ->option_text("CALL")
      ->required();
  add_submission(command, *options);
  add_gpu(command, *options);
  command->add_flag("--exhaustive", options->exhaustive,
                    "Run every block, rather than a few that stand for all");
  command->add_option("--json", options->json, "Write the profile as JSON")->option_text("FILE");
  command->callback([options, &status] { status = exit_status(profile(*options)); });
}

}  // namespace tilewise::grading
