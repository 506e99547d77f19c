#include <memory>

#include "grading/cli/commands.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_coverage(CLI::App& app, ExitStatus& status) {
  const auto run = std::make_shared<Run>();
  CLI::App* command = app.add_subcommand(
      "coverage", "Show which lines of your kernel files the tests reach on the simulator");
  command->footer("Example: ./lab coverage 03_shared_memory");
  add_stage(command, *run)->required();
  add_submission(command, *run);
  command->callback([run, &status] {
    run->seed = random_seed();
    status = exit_status(coverage(*run));
  });
}

}  // namespace tilewise::grading
