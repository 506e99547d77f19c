#include "grading/cli/coverage.hpp"

#include <memory>

#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_coverage(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<CoverageOptions>();
  CLI::App* command = app.add_subcommand(
      "coverage", "Show which lines of your kernel files the tests reach on the simulator");
  command->footer("Example: ./lab coverage 03_shared_memory");
  command->add_option("STAGE", options->stage, "03_shared_memory, 03 or 3")->required();
  add_submission(command, *options);
  command->callback([options, &status] {
    options->seed = random_seed();
    status = exit_status(coverage(*options));
  });
}

}  // namespace tilewise::grading
