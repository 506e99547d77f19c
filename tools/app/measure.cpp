/// \file
/// tilewise-measure: the commands that examine single calls, lines and speed.
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/debug/debug.hpp"
#include "grading/measure/commands.hpp"
#include "grading/progress/progress.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

/// No GPU holds a matrix of that order, and contract functions take an int.
constexpr std::uint64_t largest_order = 1 << 20;

/// Adds the option for a list of orders: "256,1000,1024".
void add_orders(CLI::App* command, BenchOptions& options) {
  const auto read = [&options](const std::string& list) {
    for (std::size_t begin = 0, end; begin <= list.size(); begin = end + 1) {
      end = std::min(list.find(',', begin), list.size());
      const std::string order = list.substr(begin, end - begin);
      if (const std::string problem = whole_number(1, largest_order)(order); !problem.empty()) {
        throw CLI::ValidationError("--n", problem);
      }
      options.orders.push_back(std::stoi(order));
    }
  };
  command
      ->add_option_function<std::string>(
          "--n", read,
          tr("Orders of the matrices: 256,1000,1024 (default: those usual for the backend)"))
      ->option_text("LIST");
}

void add_bench(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<BenchOptions>();
  command->add_option("STAGE", options->stages,
                      tr("Stages to run: 03_shared_memory, 03 or 3; all if none is named"));
  add_submission(command, *options);
  add_gpu(command, *options);
  add_backend(command, *options);
  add_device(command, *options);
  add_orders(command, *options);
  command
      ->add_option("--inputs", options->inputs,
                   tr("random (the default), linear (A counts up, B down) or two files of NumPy"))
      ->option_text("KIND|A.npy,B.npy");
  add_seed(command, *options, tr("Draw random inputs from N (default: 0)"));
  command
      ->add_option(
          "--timing", options->timing,
          tr("On a GPU: median of single calls (the default), or mean10, ten calls timed as "
             "one, beside it"))
      ->option_text("median|mean10")
      ->check(CLI::IsMember({"median", "mean10"}));
  command
      ->add_option("--store", options->store,
                   tr("Keep inputs and right results there for later runs"))
      ->option_text("DIR");
  command->add_flag("--total", options->total,
                    tr("Show the time with copies to the GPU and back beside that of the kernels"));
  command->add_option("--csv", options->csv, tr("Write the table as CSV"))->option_text("FILE");
  command->add_option("--json", options->json, tr("Write the table as JSON"))->option_text("FILE");
  command->add_option("--plots", options->plots, tr("Draw charts into a folder"))
      ->option_text("DIR");
  command->callback([options, &status] { status = exit_status(bench(*options)); });
}

void add_report(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("STAGE", options->bench.stages,
                      tr("Stages to report on: 03_shared_memory, 03 or 3; all if none is named"));
  add_submission(command, options->bench);
  add_gpu(command, options->bench);
  add_backend(command, options->bench);
  add_device(command, options->bench);
  add_orders(command, options->bench);
  CLI::Option* measurements =
      command
          ->add_option("--measurements", options->measurements,
                       tr("Take the figures from a file of lab bench --json instead of measuring"))
          ->option_text("FILE");
  for (const char* other :
       {"--solutions", "--submission", "--gpu", "--backend", "--device", "--n"}) {
    measurements->excludes(command->get_option(other));
  }
  command->add_option("--output", options->output, tr("Where it goes (default: report.html)"))
      ->option_text("FILE");
  command->callback([options, &status] {
    if (options->bench.is_learners_own()) {
      const Progress progress = read_progress(core::project_root());
      options->predictions_of = [progress](const std::string& stage_id) {
        return progress_of(progress, stage_id).predictions;
      };
    }
    status = exit_status(report(*options));
  });
}

void add_profile(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<ProfileOptions>();
  add_stage(command, *options)->required();
  command
      ->add_option("--call", options->calls,
                   tr("A contract function and its arguments but for the matrices, by name: "
                      "'matmul_shared(n=1024, tile=32)'; again for each further call"))
      ->option_text("CALL")
      ->allow_extra_args(false)
      ->required();
  add_submission(command, *options);
  add_gpu(command, *options);
  command->add_flag("--exhaustive", options->exhaustive,
                    tr("Run every block, rather than a few that stand for all"));
  command->add_option("--json", options->json, tr("Write the profile as JSON"))
      ->option_text("FILE");
  command
      ->add_option("--plot", options->plot,
                   tr("Draw the calls below the roofs of the GPU, a roofline, as SVG"))
      ->option_text("FILE");
  command->callback([options, &status] { status = exit_status(profile(*options)); });
}

void add_ptx(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<PtxOptions>();
  add_stage(command, *options)->required();
  command
      ->add_option("--kernel", options->kernel,
                   tr("Only kernels with that in their names: two_rows, 'rank1_kernel<128'"))
      ->option_text("NAME");
  add_submission(command, *options);
  add_gpu(command, *options);
  command->callback([options, &status] { status = exit_status(ptx(*options)); });
}

void add_trace(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<TraceOptions>();
  add_stage(command, *options)->required();
  command
      ->add_option("--call", options->call,
                   tr("A contract function and its arguments but for the matrices, by name: "
                      "'matmul_shared(n=16, tile=8)' (default: one that shows the stage well)"))
      ->option_text("CALL");
  add_submission(command, *options);
  add_gpu(command, *options);
  command->add_option("--output", options->output, tr("Where the page goes (default: trace.html)"))
      ->option_text("FILE");
  CLI::Option* figure =
      command->add_option("--figure", options->figure, tr("Draw one picture as SVG instead"))
          ->option_text("FILE");
  command
      ->add_option(
          "--view", options->view,
          tr("What the figure shows: matrices (the default), sectors, banks or partitions"))
      ->option_text("NAME")
      ->check(CLI::IsMember({"matrices", "sectors", "banks", "partitions"}))
      ->needs(figure);
  command
      ->add_option("--interval", options->intervals,
                   tr("Barrier intervals that the figure shows: 3, or 0-1 for the first two"))
      ->option_text("N")
      ->needs(figure);
  command
      ->add_option("--threads", options->threads,
                   tr("Up to four threads of a block that the figure shows, as X,Y: 0,0 1,0"))
      ->option_text("X,Y...")
      ->needs(figure);
  command->callback([options, &status] { status = exit_status(trace(*options)); });
}

void add_occupancy(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<OccupancyOptions>();
  command
      ->add_option(
          "--gpu", options->gpus,
          tr("GPU (default: gtx1080), or card.json; several, with commas between, are compared"))
      ->option_text("PROFILE")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--block", options->block, tr("Threads of a block along x and y: 16x16"))
      ->option_text("XxY")
      ->required();
  command
      ->add_option("--registers", options->registers,
                   tr("Registers of a thread, as nvcc -Xptxas -v prints them (default: not known)"))
      ->option_text("R")
      ->check(whole_number(1, 255));  // no GPU gives a thread more registers
  command
      ->add_option("--shared", options->shared,
                   tr("Bytes of shared memory a block, static and dynamic (default: 0)"))
      ->option_text("BYTES")
      ->check(whole_number(0, INT32_MAX));
  command
      ->add_option("--results", options->results,
                   tr("Elements of C that a thread computes along x and y (default: 1x1)"))
      ->option_text("RXxRY");
  command
      ->add_option("--blocks", options->blocks,
                   tr("Blocks of the grid (default: more than the GPU holds at a time)"))
      ->option_text("N")
      ->check(whole_number(1, INT32_MAX));
  command->add_option("--json", options->json, tr("Write the result as JSON"))->option_text("FILE");
  command->callback([options, &status] {
    occupancy(*options);
    status = ExitStatus::passed;
  });
}

void add_debug(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<DebugOptions>();
  options->seed = random_seed();
  add_stage(command, *options, tr("03_shared_memory, 03 or 3; the current one if none is named"));
  command
      ->add_option(
          "--call", options->call,
          tr("The call to debug: 'matmul_shared(n=37, tile=16)' (default: the one that failed)"))
      ->option_text("CALL");
  command
      ->add_option("--block", options->block,
                   tr("blockIdx to stop in: 1,0,0 (default: what failed)"))
      ->option_text("X,Y,Z");
  command
      ->add_option("--thread", options->thread,
                   tr("threadIdx to stop in: 3,2,0 (default: what failed)"))
      ->option_text("X,Y,Z");
  add_submission(command, *options);
  command->callback([options, &status] {
    if (options->stages.empty()) {
      options->stages = {stage_meant("", read_progress(core::project_root())).id};
    }
    status = exit_status(debug(*options));
  });
}

/// Keeps the prediction of each question that was answered and whose figure was counted.
void keep(const StageInfo& stage, const std::vector<AnsweredPrediction>& answers) {
  change_progress(core::project_root(), [&](Progress& progress) {
    for (const AnsweredPrediction& answer : answers) {
      if (!answer.predicted || !answer.counted) continue;
      keep_prediction(
          progress.stages[stage.id],
          {answer.question.call, heading_of(answer.question), in_words(*answer.predicted),
           in_words(*answer.counted), answer.gpu, answer.of_solution});
    }
  });
}

void add_predict(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<PredictOptions>();
  add_stage(command, *options, tr("03_shared_memory, 03 or 3; the current one if none is named"));
  add_submission(command, *options);
  add_gpu(command, *options);
  command
      ->add_option("--json", options->json, tr("Write questions, predictions and counts as JSON"))
      ->option_text("FILE");
  command->callback([options, &status] {
    const Progress progress = read_progress(core::project_root());
    if (options->stages.empty()) options->stages = {stage_meant("", progress).id};
    if (options->is_learners_own()) options->on_answers = keep;
    status = exit_status(predict(*options));
  });
}

void add_coverage(CLI::App* command, ExitStatus& status) {
  const auto run = std::make_shared<Run>();
  add_stage(command, *run)->required();
  add_submission(command, *run);
  command->callback([run, &status] {
    run->seed = random_seed();
    status = exit_status(coverage(*run));
  });
}

constexpr OwnCommand commands[] = {
    {"predict", add_predict},   {"trace", add_trace}, {"debug", add_debug},
    {"coverage", add_coverage}, {"bench", add_bench}, {"report", add_report},
    {"profile", add_profile},   {"ptx", add_ptx},     {"occupancy", add_occupancy}};

}  // namespace

std::span<const OwnCommand> own_commands() { return commands; }

}  // namespace tilewise::grading
