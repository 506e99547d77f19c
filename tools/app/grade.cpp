#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"
#include "grading/progress/worklog.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

GradedSources sources_of(const std::filesystem::path& root, const GradeOptions& options) {
  GradedSources sources;
  for (const StageInfo& stage : choose_stages(options.stages, stages())) {
    for (const std::string& file : stage.sources) {
      sources[stage.id + "/" + file] = text_of(root / "labs" / stage.id / file);
    }
  }
  return sources;
}

/// Arranges that the result of grading labs/ is recorded. Other people's kernels do not count as
/// the learner's progress.
void record_progress(GradeOptions& options) {
  if (!options.is_learners_own()) return;
  const auto root = core::project_root();
  read_progress(root);  // so that a damaged file is reported before the work
  options.on_result = [root, seed = options.seed, gpu = options.gpu,
                       sources = sources_of(root, options)](const GradeResult& result) {
    const Circumstances circumstances{seed, gpu, std::time(nullptr)};
    // The verdict stands even if it cannot be recorded, as in a course on a read-only disk.
    const auto keep = [](const char* file, const std::function<void()>& write) {
      try {
        write();
        return true;
      } catch (const CannotGrade& error) {
        fmt::print(stderr, "tilewise: {}\n",
                   tr("this result is not in {}: {}", file, printable(error.what())));
        return false;
      }
    };
    if (!keep("progress.json", [&] {
          change_progress(root,
                          [&](Progress& progress) { record(progress, result, circumstances); });
        })) {
      return;
    }
    keep("worklog.jsonl", [&] { add_to_worklog(root, result, sources, circumstances.when); });
    std::cout << (all_passed(result) ? tr("What comes next: ./lab next\n")
                                     : tr("Stuck? ./lab hint\n"))
              << std::flush;
  };
}

}  // namespace

void add_grade(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<GradeOptions>();
  options->seed = random_seed();
  command->add_option("STAGE", options->stages,
                      tr("Stages to grade: 03_shared_memory, 03 or 3; all if none is named"));
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
          emitter.option, [take] { take(""); }, core::in_language(emitter.description));
    } else {
      command
          ->add_option_function<std::string>(emitter.option, take,
                                             core::in_language(emitter.description))
          ->option_text("FILE");
    }
  }
  command->add_option("--seed", options->seed, tr("Draw the inputs from N (default: a random one)"))
      ->envname("TILEWISE_SEED")
      ->option_text("N")
      ->check(whole_number());
  command
      ->add_option("--time-limit", options->time_limit_s,
                   tr("Time one call may take (default: 10)"))
      ->option_text("SECONDS")
      ->check(seconds());
  command->add_flag("--events", options->tells_events)->group("");  // for watch
  command->callback([options, &status] {
    record_progress(*options);
    status = exit_status(grade(*options));
  });
}

void add_mend(CLI::App* command, ExitStatus& status) {
  const auto run = std::make_shared<Run>();
  run->seed = random_seed();
  add_stage(command, *run, tr("03_shared_memory, 03 or 3; the current one if none is named"));
  add_submission(command, *run);
  add_gpu(command, *run);
  command->callback([run, &status] {
    if (run->stages.empty()) {
      run->stages = {stage_meant("", read_progress(core::project_root())).id};
    }
    status = exit_status(mend(*run));
  });
}

}  // namespace tilewise::grading
