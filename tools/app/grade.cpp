#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>

#include "common/core/paths.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/progress/progress.hpp"
#include "grading/progress/progress_file.hpp"
#include "grading/report/printable.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

/// Has the result of grading labs/ recorded; others' kernels are no progress of the learner's.
void record_progress(GradeOptions& options) {
  if (!options.is_learners_own()) return;
  const auto root = core::project_root();
  read_progress(root);  // before the work rather than after it
  options.on_result = [root, seed = options.seed, gpu = options.gpu](const GradeResult& result) {
    const Circumstances circumstances{seed, gpu, std::time(nullptr)};
    try {
      change_progress(root, [&](Progress& progress) { record(progress, result, circumstances); });
    } catch (const CannotGrade& error) {
      // The verdict stands all the same; the course may lie where nothing can be written.
      fmt::print(stderr, "tilewise: this result is not in progress.json: {}\n",
                 printable(error.what()));
      return;
    }
    std::cout << (all_passed(result) ? "What comes next: ./lab next\n" : "Stuck? ./lab hint\n")
              << std::flush;
  };
}

}  // namespace

void add_grade(CLI::App& app, ExitStatus& status) {
  const auto options = std::make_shared<GradeOptions>();
  options->seed = random_seed();
  CLI::App* command = app.add_subcommand("grade", "Compile, run and grade kernels");
  command->footer("Example: ./lab grade 03_shared_memory");
  command->add_option("STAGE", options->stages,
                      "Stages to grade: 03_shared_memory, 03 or 3; all if none is named");
  add_submission(command, *options);
  add_gpu(command, *options);
  add_backend(command, *options);
  add_device(command, *options);
  for (const Emitter& emitter : emitters()) {
    const auto take = [options, &emitter](const std::string& file) {
      options->outputs.push_back({&emitter, file});
    };
    if (emitter.goes == Emitter::Goes::to_standard_output_last) {
      command->add_flag_callback(
          emitter.option, [take] { take(""); }, emitter.description);
    } else {
      command->add_option_function<std::string>(emitter.option, take, emitter.description)
          ->option_text("FILE");
    }
  }
  command->add_option("--seed", options->seed, "Draw the inputs from N (default: a random one)")
      ->envname("TILEWISE_SEED")
      ->option_text("N")
      ->check(whole_number());
  command->add_option("--time-limit", options->time_limit_s, "Time one call may take (default: 10)")
      ->option_text("SECONDS")
      ->check(seconds());
  command->callback([options, &status] {
    record_progress(*options);
    status = exit_status(grade(*options));
  });
}

}  // namespace tilewise::grading
