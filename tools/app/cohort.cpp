#include "grading/cohort/cohort.hpp"

#include <memory>

#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

CLI::App* add_cohort_grade(CLI::App& cohort, CohortOptions& options) {
  CLI::App* grade = cohort.add_subcommand(
      "grade", "Grade every submission of a folder; what was graded before is kept");
  grade
      ->add_option("SUBMISSIONS", options.submissions,
                   "Folder of folders, clones of repositories and zip archives")
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
  const auto task = std::make_shared<CohortTask>();
  add_cohort_grade_one(*cohort, *task)->callback([task, &status] {
    grade_one(*task);
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
