#include <memory>

#include "grading/cli/commands.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_occupancy(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<OccupancyOptions>();
  CLI::App* command = app.add_subcommand(
      "occupancy", "Work out how the blocks of a launch fill the multiprocessors of a GPU");
  command->footer(
      "Example: ./lab occupancy --gpu gtx1080 --block 16x16 --registers 40 --shared 4096");
  command
      ->add_option("--gpu", options->gpus,
                   "GPU (default: gtx1080); several, with commas between, are compared")
      ->option_text("PROFILE")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--block", options->block, "Threads of a block along x and y: 16x16")
      ->option_text("XxY")
      ->required();
  command
      ->add_option("--registers", options->registers,
                   "Registers of a thread, as nvcc -Xptxas -v prints them (default: not known)")
      ->option_text("R")
      ->check(whole_number(1, 255));  // no GPU gives a thread more
  command
      ->add_option("--shared", options->shared,
                   "Bytes of shared memory a block, static and dynamic (default: 0)")
      ->option_text("BYTES")
      ->check(whole_number(0, INT32_MAX));
  command
      ->add_option("--results", options->results,
                   "Elements of C that a thread computes along x and y (default: 1x1)")
      ->option_text("RXxRY");
  command
      ->add_option("--blocks", options->blocks,
                   "Blocks of the grid (default: more than the GPU holds at a time)")
      ->option_text("N")
      ->check(whole_number(1, INT32_MAX));
  command->add_option("--json", options->json, "Write the result as JSON")->option_text("FILE");
  command->callback([options, &status] {
    occupancy(*options);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
