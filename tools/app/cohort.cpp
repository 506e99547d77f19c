/// \file
/// tilewise-cohort: the commands for those who teach a class, or take the course to other machines.
#include "grading/cohort/cohort.hpp"

#include <memory>

#include "common/base/language.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/autograder/pack.hpp"
#include "grading/cli/rubric_check.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/leaderboard.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

void add_roster(CLI::App* command, std::filesystem::path& roster) {
  command
      ->add_option("--roster", roster,
                   tr("Table of all students, as a platform exports it: who is missing, and whose "
                      "each submission is"))
      ->option_text("FILE");
}

CLI::App* add_cohort_grade(CLI::App& cohort, CohortOptions& options) {
  CLI::App* grade =
      cohort.add_subcommand("grade", tr("Grade every submission of a folder; what was graded "
                                        "before, and has not changed, is kept"));
  grade
      ->add_option(
          "SUBMISSIONS", options.submissions,
          tr("Folder of folders, clones of repositories and archives, or what Moodle, Canvas, "
             "Gradescope, Blackboard or Brightspace delivers; also as one archive"))
      ->required();
  grade->add_option("STAGE", options.stages, tr("Stages to grade; all if none is named"));
  grade
      ->add_option(
          "--out", options.out,
          tr("Folder for gradebook, results and feedback; a run that was stopped goes on there"))
      ->option_text("DIR")
      ->required();
  add_roster(grade, options.roster);
  grade
      ->add_option("--deadlines", options.deadlines,
                   tr("JSON: when work is due, for all and for some, and what being late costs"))
      ->option_text("FILE");
  grade
      ->add_option(
          "--points", options.points,
          tr("Table of points and comments by hand: student, stage, test, points, comment"))
      ->option_text("FILE");
  grade
      ->add_option(
          "--pseudonyms", options.pseudonyms,
          tr("Call students by pseudonyms in --out, and keep in FILE, elsewhere, who is who"))
      ->option_text("FILE");
  grade
      ->add_option(
          "--jobs", options.jobs,
          tr("Submissions at a time (default: as many as there are cores, or as Slurm likes)"))
      ->option_text("N")
      ->check(whole_number(1, 1024));
  add_backend(grade, options);
  add_gpu(grade, options);
  grade
      ->add_option("--engine", options.engine,
                   tr("local (the default), or slurm: a cluster, all of whose nodes must see --out "
                      "and this repository"))
      ->option_text("NAME")
      ->check(CLI::IsMember({"local", "slurm"}));
  grade
      ->add_option("--sbatch", options.sbatch,
                   tr("With --engine slurm: more arguments of sbatch, as one: "
                      "'--partition=gpu --time=0:30:00'"))
      ->option_text("ARGUMENTS");
  return grade;
}

CLI::App* add_cohort_intake(CLI::App& cohort, CohortOptions& options) {
  CLI::App* intake =
      cohort.add_subcommand("intake", tr("Show who hands in what, before anything is graded"));
  intake->footer(example("./lab cohort intake submissions.zip"));
  intake->add_option("SUBMISSIONS", options.submissions, tr("As for lab cohort grade"))->required();
  add_roster(intake, options.roster);
  // The flag changes nothing: this command never grades, and grading takes submissions in by
  // itself.
  intake->add_flag("--dry-run")->description(tr("Grade nothing, which is what it does anyway"));
  return intake;
}

/// Adds a command that reads the output of lab cohort grade.
void add_cohort_merge(CLI::App& cohort, ExitStatus& status) {
  struct Folders {
    std::filesystem::path out;
    std::vector<std::filesystem::path> graded;
  };
  const auto folders = std::make_shared<Folders>();
  CLI::App* merge = cohort.add_subcommand(
      "merge", tr("Put gradebooks of several assignments together, as one of the term"));
  merge->footer(example("./lab cohort merge term/ stage3/ stage4/"));
  merge->add_option("OUT", folders->out, tr("Folder for term.html and term.csv"))->required();
  merge->add_option("GRADED", folders->graded, tr("Folders that lab cohort grade wrote"))
      ->required();
  merge->callback([folders, &status] {
    merge_gradebooks(folders->out, folders->graded);
    status = ExitStatus::passed;
  });
}

void add_cohort_similarity(CLI::App& cohort, ExitStatus& status) {
  const auto graded = std::make_shared<std::filesystem::path>();
  CLI::App* similarity = cohort.add_subcommand(
      "similarity",
      tr("Compare submissions with each other by JPlag or Dolos, without the skeletons"));
  similarity->footer(example("./lab cohort similarity graded/"));
  similarity->add_option("GRADED", *graded, tr("Folder that lab cohort grade wrote"))->required();
  similarity->callback([graded, &status] {
    show_similarity(*graded);
    status = ExitStatus::passed;
  });
}

void add_cohort_rubric(CLI::App& cohort, ExitStatus& status) {
  CLI::App* rubric = cohort.add_subcommand(
      "rubric", tr("Check points and tests of each stage.json, and add them up"));
  rubric->footer(example("./lab cohort rubric"));
  rubric->add_flag("--check")->description(tr("Check, which is what it does anyway"));
  rubric->callback([&status] {
    show_rubric();
    status = ExitStatus::passed;
  });
}

CLI::App* add_cohort_leaderboard(CLI::App& cohort, std::filesystem::path& graded,
                                 std::filesystem::path& page) {
  CLI::App* leaderboard = cohort.add_subcommand(
      "leaderboard", tr("Show whose kernels are fastest, of those who want to be shown"));
  leaderboard->footer(example("./lab cohort leaderboard graded/ --html leaderboard.html"));
  leaderboard->add_option("GRADED", graded, tr("What was --out of lab cohort grade"))->required();
  leaderboard->add_option("--html", page, tr("Write it as a page, too"))->option_text("FILE");
  return leaderboard;
}

/// Adds the command that a cluster's job runs; nobody types it.
CLI::App* add_cohort_grade_one(CLI::App& cohort, CohortTask& task) {
  CLI::App* grade_one = cohort.add_subcommand("grade-one", "One job of --engine slurm")->group("");
  grade_one->add_option("--out", task.out)->required();
  grade_one->add_option("--batch", task.batch)->required();
  grade_one->add_option("--task", task.number)->required()->check(whole_number());
  return grade_one;
}

/// Adds the command that an autograder on Gradescope runs; nobody types it.
void add_gradescope_dates(CLI::App& cohort, ExitStatus& status) {
  const auto files = std::make_shared<GradescopeDates>();
  CLI::App* dates =
      cohort.add_subcommand("gradescope-dates", "The end of run_autograder")->group("");
  dates->add_option("--results", files->results)->required();
  dates->add_option("--metadata", files->metadata)->required();
  dates->add_option("--costs", files->costs);
  dates->callback([files, &status] {
    tell_dates(*files);
    status = ExitStatus::passed;
  });
}

void add_cohort(CLI::App* cohort, ExitStatus& status) {
  cohort->require_subcommand(1);
  const auto options = std::make_shared<CohortOptions>();
  options->seed = random_seed();
  add_cohort_grade(*cohort, *options)->callback([options, &status] {
    status = grade_cohort(*options) == 0 ? ExitStatus::passed : ExitStatus::some_not_graded;
  });
  const auto taken = std::make_shared<CohortOptions>();
  add_cohort_intake(*cohort, *taken)->callback([taken, &status] {
    show_intake(taken->submissions, taken->roster);
    status = ExitStatus::passed;
  });
  add_cohort_merge(*cohort, status);
  add_cohort_similarity(*cohort, status);
  add_cohort_rubric(*cohort, status);
  add_gradescope_dates(*cohort, status);
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

void add_autograder(CLI::App* command, ExitStatus& status) {
  const auto run = std::make_shared<Run>();
  const auto archive = std::make_shared<std::filesystem::path>();
  command->add_option("STAGE", run->stages, tr("Stages to grade; all if none is named"));
  command->add_option("--out", *archive, tr("The archive: autograder.zip"))
      ->option_text("FILE")
      ->required();
  const auto costs = std::make_shared<std::filesystem::path>();
  command
      ->add_option(
          "--deadlines", *costs,
          tr("JSON: what being late costs, as for lab cohort grade; the dates are Gradescope's"))
      ->option_text("FILE");
  add_gpu(command, *run);
  command->callback([run, archive, costs, &status] {
    demand_costs(*costs);
    write_autograder(*run, *archive, *costs);
    status = ExitStatus::passed;
  });
}

void add_pack(CLI::App* command, ExitStatus& status) {
  const auto archive = std::make_shared<std::filesystem::path>();
  command->add_option("--out", *archive, tr("The archive: tilewise.tar.gz"))
      ->option_text("FILE")
      ->required();
  command->callback([archive, &status] {
    write_pack(*archive);
    status = ExitStatus::passed;
  });
}

constexpr OwnCommand commands[] = {
    {"cohort", add_cohort}, {"autograder", add_autograder}, {"pack", add_pack}};

}  // namespace

std::span<const OwnCommand> own_commands() { return commands; }

}  // namespace tilewise::grading
