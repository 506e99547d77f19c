#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <memory>

#include "common/base/files.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/cohort.hpp"
#include "grading/cohort/leaderboard.hpp"
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

/// Has the result of grading labs/ recorded; others' kernels are no progress of the learner's.
void record_progress(GradeOptions& options) {
  if (!options.is_learners_own()) return;
  const auto root = core::project_root();
  read_progress(root);  // before the work rather than after it
  options.on_result = [root, seed = options.seed, gpu = options.gpu,
                       sources = sources_of(root, options)](const GradeResult& result) {
    const Circumstances circumstances{seed, gpu, std::time(nullptr)};
    // The verdict stands all the same; the course may lie where nothing can be written.
    const auto keep = [](const char* file, const std::function<void()>& write) {
      try {
        write();
        return true;
      } catch (const CannotGrade& error) {
        fmt::print(stderr, "tilewise: this result is not in {}: {}\n", file,
                   printable(error.what()));
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
  command->add_flag("--events", options->tells_events)->group("");  // for watch
  command->callback([options, &status] {
    record_progress(*options);
    status = exit_status(grade(*options));
  });
}

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

namespace {

CLI::App* add_cohort_grade(CLI::App& cohort, CohortOptions& options) {
  CLI::App* grade = cohort.add_subcommand(
      "grade",
      "Grade every submission of a folder; what was graded before, and has not changed, is kept");
  grade
      ->add_option("SUBMISSIONS", options.submissions,
                   "Folder of folders, clones of repositories and archives, or what Moodle, Canvas "
                   "or Gradescope delivers; also as one archive")
      ->required();
  grade->add_option("STAGE", options.stages, "Stages to grade; all if none is named");
  grade
      ->add_option(
          "--out", options.out,
          "Folder for gradebook, results and feedback; a run that was stopped goes on there")
      ->option_text("DIR")
      ->required();
  grade
      ->add_option("--jobs", options.jobs,
                   "Submissions at a time (default: as many as there are cores, or as Slurm likes)")
      ->option_text("N")
      ->check(whole_number(1, 1024));
  add_backend(grade, options);
  add_gpu(grade, options);
  grade
      ->add_option("--engine", options.engine,
                   "local (the default), or slurm: a cluster, all of whose nodes must see --out "
                   "and this repository")
      ->option_text("NAME")
      ->check(CLI::IsMember({"local", "slurm"}));
  grade
      ->add_option("--sbatch", options.sbatch,
                   "With --engine slurm: more arguments of sbatch, as one: "
                   "'--partition=gpu --time=0:30:00'")
      ->option_text("ARGUMENTS");
  return grade;
}

CLI::App* add_cohort_intake(CLI::App& cohort, std::filesystem::path& submissions) {
  CLI::App* intake =
      cohort.add_subcommand("intake", "Show who hands in what, before anything is graded");
  intake->footer("Example: ./lab cohort intake submissions.zip");
  intake->add_option("SUBMISSIONS", submissions, "As for lab cohort grade")->required();
  // There is no other way yet, and none is needed: grading takes in by itself.
  intake->add_flag("--dry-run")->description("Grade nothing, which is what it does anyway");
  return intake;
}

CLI::App* add_cohort_leaderboard(CLI::App& cohort, std::filesystem::path& graded,
                                 std::filesystem::path& page) {
  CLI::App* leaderboard = cohort.add_subcommand(
      "leaderboard", "Show whose kernels are fastest, of those who want to be shown");
  leaderboard->footer("Example: ./lab cohort leaderboard graded/ --html leaderboard.html");
  leaderboard->add_option("GRADED", graded, "What was --out of lab cohort grade")->required();
  leaderboard->add_option("--html", page, "Write it as a page, too")->option_text("FILE");
  return leaderboard;
}

/// What a job of a cluster runs; nobody types it.
CLI::App* add_cohort_grade_one(CLI::App& cohort, CohortTask& task) {
  CLI::App* grade_one = cohort.add_subcommand("grade-one", "One job of --engine slurm")->group("");
  grade_one->add_option("--out", task.out)->required();
  grade_one->add_option("--batch", task.batch)->required();
  grade_one->add_option("--task", task.number)->required()->check(whole_number());
  return grade_one;
}

}  // namespace

void add_cohort(CLI::App& app, ExitStatus& status) {
  CLI::App* cohort = app.add_subcommand("cohort", "For instructors: many submissions at once")
                         ->require_subcommand(1)
                         ->footer("Example: ./lab cohort grade submissions/ --out graded/");
  const auto options = std::make_shared<CohortOptions>();
  options->seed = random_seed();
  add_cohort_grade(*cohort, *options)->callback([options, &status] {
    grade_cohort(*options);
    status = ExitStatus::passed;
  });
  const auto submissions = std::make_shared<std::filesystem::path>();
  add_cohort_intake(*cohort, *submissions)->callback([submissions, &status] {
    show_intake(*submissions);
    status = ExitStatus::passed;
  });
  const auto graded = std::make_shared<std::filesystem::path>();
  const auto page = std::make_shared<std::filesystem::path>();
  add_cohort_leaderboard(*cohort, *graded, *page)->callback([graded, page, &status] {
    show_leaderboard(*graded, *page);
    status = ExitStatus::passed;
  });
  const auto task = std::make_shared<CohortTask>();
  add_cohort_grade_one(*cohort, *task)->callback([task, &status] {
    grade_one(*task);
    status = ExitStatus::passed;
  });
}

void add_autograder(CLI::App& app, ExitStatus& status) {
  const auto run = std::make_shared<Run>();
  const auto archive = std::make_shared<std::filesystem::path>();
  CLI::App* command = app.add_subcommand(
      "autograder", "For instructors: write an autograder for Gradescope, a zip archive");
  command->footer("Example: ./lab autograder 03_shared_memory --out autograder.zip");
  command->add_option("STAGE", run->stages, "Stages to grade; all if none is named");
  command->add_option("--out", *archive, "The archive: autograder.zip")
      ->option_text("FILE")
      ->required();
  add_gpu(command, *run);
  command->callback([run, archive, &status] {
    write_autograder(*run, *archive);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
