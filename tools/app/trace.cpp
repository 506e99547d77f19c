#include <memory>

#include "grading/cli/commands.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_trace(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand(
      "trace",
      "Show what each thread of a small call loads, uses and writes, as a page to look at");
  command->footer("Example: ./lab trace 03_shared_memory");
  add_stage(command, *options)->required();
  command
      ->add_option("--call", options->call,
                   "A contract function and its arguments but for the matrices, by name: "
                   "'matmul_shared(n=16, tile=8)' (default: one that shows the stage well)")
      ->option_text("CALL");
  add_submission(command, *options);
  add_gpu(command, *options);
  command->add_option("--output", options->output, "Where the page goes (default: trace.html)")
      ->option_text("FILE");
  CLI::Option* figure =
      command->add_option("--figure", options->figure, "Draw one picture as SVG instead")
          ->option_text("FILE");
  command
      ->add_option("--view", options->view,
                   "What the figure shows: matrices (the default), sectors, banks or partitions")
      ->option_text("NAME")
      ->check(CLI::IsMember({"matrices", "sectors", "banks", "partitions"}))
      ->needs(figure);
  command
      ->add_option("--interval", options->intervals,
                   "Barrier intervals that the figure shows: 3, or 0-1 for the first two")
      ->option_text("N")
      ->needs(figure);
  command
      ->add_option("--threads", options->threads,
                   "Up to four threads of a block that the figure shows, as X,Y: 0,0 1,0")
      ->option_text("X,Y...")
      ->needs(figure);
  command->callback([options, &status] { status = exit_status(trace(*options)); });
}

}  // namespace tilewise::grading
