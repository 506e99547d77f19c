/// \file
/// The command line of Tilewise. Exit status: 0 all passed, 1 a test failed or there is no profile
/// because of the submission, 2 could not grade, profile or work out the occupancy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <random>
#include <ranges>
#include <string>

#include "common/core/paths.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/builder/command.hpp"
#include "grading/cli/bench.hpp"
#include "grading/cli/grade.hpp"
#include "grading/cli/occupancy.hpp"
#include "grading/cli/profile.hpp"
#include "grading/cli/report.hpp"
#include "grading/cohort/cohort.hpp"
#include "grading/report/printable.hpp"
#include "grading/skeleton/repository.hpp"
#include "tilewise_stages.hpp"

namespace tilewise::grading {
namespace {

constexpr int exit_passed = 0;
constexpr int exit_failed = 1;
constexpr int exit_could_not_grade = 2;

/// No GPU holds a matrix of that order, and contract functions take an int.
constexpr std::uint64_t largest_order = 1 << 20;

/// Drawn anew each time, so that no kernel can be written for the inputs it will get.
std::uint64_t random_seed() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>()(device);
}

int list_stages() {
  for (const StageInfo& stage : stages()) {
    fmt::print("{:<22}{}\n", stage.id, fmt::join(stage.sources, ", "));
  }
  return exit_passed;
}

int skeletons(bool check) {
  const auto root = core::project_root();
  const SkeletonReport report = check ? check_skeletons(root) : write_skeletons(root);
  for (const std::string& error : report.errors) fmt::print(stderr, "{}\n", error);
  for (const std::string& difference : report.differences) fmt::print("{}\n", difference);
  if (!report.errors.empty()) return exit_could_not_grade;
  if (check && !report.differences.empty()) {
    fmt::print("./lab skeletons writes them anew\n");
    return exit_failed;
  }
  return exit_passed;
}

/// What a flag takes, in words; CLI11's own checks print the whole range of the number's type.
CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) {
  return {[least, most](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            const bool fits = least <= value && value <= most;
            if (error == std::errc() && rest == end && fits) return "";
            return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
          },
          ""};
}

CLI::Validator seconds() {
  return {[](const std::string& text) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value)) {
              return "";
            }
            return fmt::format("'{}' is no number of seconds greater than 0", text);
          },
          ""};
}

/// Whose kernels a command takes, and for which GPU.
template <class Options>
void add_submission(CLI::App* command, Options& options) {
  CLI::Option* solutions =
      command->add_flag("--solutions", options.solutions, "Take the solutions instead of labs/");
  command
      ->add_option("--submission", options.submission,
                   "Take DIR/labs/NN_topic/*.cu, or files of DIR that are called so")
      ->option_text("DIR")
      ->excludes(solutions);
  command->add_option("--gpu", options.gpu, "GPU that the simulator models (default: gtx1080)")
      ->option_text("PROFILE");
}

/// Where kernels run.
template <class Options>
void add_backend(CLI::App* command, Options& options) {
  command->add_option("--backend", options.backend, "auto (the default), simt or cuda")
      ->option_text("NAME")
      ->check(CLI::IsMember({"auto", "simt", "cuda"}));
  command
      ->add_option("--device", options.device,
                   "With --backend cuda: a GPU's number, or auto (the default) for the least busy")
      ->option_text("N");
}

/// "256,1000,1024".
void add_orders(CLI::App* command, BenchOptions& options) {
  const auto read = [&options](const std::string& list) {
    for (const auto part : std::views::split(list, ',')) {
      const std::string order(part.begin(), part.end());
      if (const std::string problem = whole_number(1, largest_order)(order); !problem.empty()) {
        throw CLI::ValidationError("--n", problem);
      }
      options.orders.push_back(std::stoi(order));
    }
  };
  command
      ->add_option_function<std::string>(
          "--n", read,
          "Orders of the matrices: 256,1000,1024 (default: those usual for the backend)")
      ->option_text("LIST");
}

void add_grade(CLI::App& app, GradeOptions& options) {
  CLI::App* grade = app.add_subcommand("grade", "Compile, run and grade kernels");
  grade->add_option("STAGE", options.stages,
                    "Stages to grade: 03_shared_memory, 03 or 3; all if none is named");
  add_submission(grade, options);
  add_backend(grade, options);
  grade->add_option("--json", options.json, "Write the result as JSON")->option_text("FILE");
  grade->add_option("--junit", options.junit, "Write the result as JUnit XML")->option_text("FILE");
  grade
      ->add_option("--gradescope", options.gradescope,
                   "Write the result as Gradescope's results.json")
      ->option_text("FILE");
  grade
      ->add_option("--classroom50", options.classroom50,
                   "Write the result as Classroom 50's result.json")
      ->option_text("FILE");
  grade
      ->add_option("--summary", options.summary,
                   "Add the result to a Markdown file: \"$GITHUB_STEP_SUMMARY\"")
      ->option_text("FILE");
  grade->add_flag("--autolab", options.autolab, "Print last the lines that Autolab reads");
  grade->add_option("--seed", options.seed, "Draw the inputs from N (default: a random one)")
      ->envname("TILEWISE_SEED")
      ->option_text("N")
      ->check(whole_number());
  grade->add_option("--time-limit", options.time_limit_s, "Time one call may take (default: 10)")
      ->option_text("SECONDS")
      ->check(seconds());
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* bench = app.add_subcommand(
      "bench", "Compare kernels with the solution, the stage before and a library, over sizes");
  bench->add_option("STAGE", options.stages,
                    "Stages to run: 03_shared_memory, 03 or 3; all if none is named");
  add_submission(bench, options);
  add_backend(bench, options);
  add_orders(bench, options);
  bench
      ->add_option("--inputs", options.inputs,
                   "random (the default), linear (A counts up, B down) or two files of NumPy")
      ->option_text("KIND|A.npy,B.npy");
  bench->add_option("--seed", options.seed, "Draw random inputs from N (default: 0)")
      ->option_text("N")
      ->check(whole_number());
  bench->add_option("--store", options.store, "Keep inputs and right results there for later runs")
      ->option_text("DIR");
  bench->add_option("--csv", options.csv, "Write the table as CSV")->option_text("FILE");
  bench->add_option("--json", options.json, "Write the table as JSON")->option_text("FILE");
  bench->add_option("--plots", options.plots, "Draw charts into a folder")->option_text("DIR");
}

void add_report(CLI::App& app, ReportOptions& options) {
  CLI::App* report = app.add_subcommand(
      "report", "Write a laboratory report on your kernels, one HTML file to fill in and print");
  report->add_option("STAGE", options.bench.stages,
                     "Stages to report on: 03_shared_memory, 03 or 3; all if none is named");
  add_submission(report, options.bench);
  add_backend(report, options.bench);
  add_orders(report, options.bench);
  CLI::Option* measurements =
      report
          ->add_option("--measurements", options.measurements,
                       "Take the figures from a file of lab bench --json instead of measuring")
          ->option_text("FILE");
  for (const char* other :
       {"--solutions", "--submission", "--gpu", "--backend", "--device", "--n"}) {
    measurements->excludes(report->get_option(other));
  }
  report->add_option("--output", options.output, "Where it goes (default: report.html)")
      ->option_text("FILE");
}

void add_profile(CLI::App& app, ProfileOptions& options) {
  CLI::App* profile = app.add_subcommand(
      "profile", "Run one call on the simulator and show what its kernels do in memory, by line");
  profile->add_option("STAGE", options.stage, "03_shared_memory, 03 or 3")->required();
  profile
      ->add_option("--call", options.call,
                   "A contract function and its arguments but for the matrices, by name: "
                   "'matmul_shared(n=1024, tile=32)'")
      ->option_text("CALL")
      ->required();
  add_submission(profile, options);
  profile->add_flag("--exhaustive", options.exhaustive,
                    "Run every block, rather than a few that stand for all");
  profile->add_option("--json", options.json, "Write the profile as JSON")->option_text("FILE");
}

void add_cohort_grade(CLI::App& cohort, CohortOptions& options) {
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
  grade->add_option("--backend", options.backend, "auto (the default), simt or cuda")
      ->option_text("NAME")
      ->check(CLI::IsMember({"auto", "simt", "cuda"}));
  grade->add_option("--gpu", options.gpu, "GPU that the simulator models (default: gtx1080)")
      ->option_text("PROFILE");
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
}

/// What a job of a cluster runs; nobody types it.
CLI::App* add_cohort_grade_one(CLI::App& cohort, CohortTask& task) {
  CLI::App* grade_one = cohort.add_subcommand("grade-one", "One job of --engine slurm")->group("");
  grade_one->add_option("--out", task.out)->required();
  grade_one->add_option("--batch", task.batch)->required();
  grade_one->add_option("--task", task.number)->required()->check(whole_number());
  return grade_one;
}

void add_autograder(CLI::App& app, AutograderOptions& options) {
  CLI::App* autograder = app.add_subcommand(
      "autograder", "For instructors: write an autograder for Gradescope, a zip archive");
  autograder->add_option("STAGE", options.stages, "Stages to grade; all if none is named");
  autograder->add_option("--out", options.out, "The archive: autograder.zip")
      ->option_text("FILE")
      ->required();
  autograder->add_option("--gpu", options.gpu, "GPU that the simulator models (default: gtx1080)")
      ->option_text("PROFILE");
}

void add_occupancy(CLI::App& app, OccupancyOptions& options) {
  CLI::App* occupancy = app.add_subcommand(
      "occupancy", "Work out how the blocks of a launch fill the multiprocessors of a GPU");
  occupancy
      ->add_option("--gpu", options.gpus,
                   "GPU (default: gtx1080); several, with commas between, are compared")
      ->option_text("PROFILE")
      ->delimiter(',')
      ->allow_extra_args(false);
  occupancy->add_option("--block", options.block, "Threads of a block along x and y: 16x16")
      ->option_text("XxY")
      ->required();
  occupancy
      ->add_option("--registers", options.registers,
                   "Registers of a thread, as nvcc -Xptxas -v prints them (default: not known)")
      ->option_text("R")
      ->check(whole_number(1, 255));  // no GPU gives a thread more
  occupancy
      ->add_option("--shared", options.shared,
                   "Bytes of shared memory a block, static and dynamic (default: 0)")
      ->option_text("BYTES")
      ->check(whole_number(0, INT32_MAX));
  occupancy
      ->add_option("--results", options.results,
                   "Elements of C that a thread computes along x and y (default: 1x1)")
      ->option_text("RXxRY");
  occupancy
      ->add_option("--blocks", options.blocks,
                   "Blocks of the grid (default: more than the GPU holds at a time)")
      ->option_text("N")
      ->check(whole_number(1, INT32_MAX));
  occupancy->add_option("--json", options.json, "Write the result as JSON")->option_text("FILE");
}

int run(int argc, char** argv) {
  CLI::App app("Tilewise: a lab course on CUDA matrix kernels, tile by tile.", "lab");
  app.require_subcommand(1);
  app.add_subcommand("list", "List the stages");
  GradeOptions options;
  options.seed = random_seed();
  add_grade(app, options);
  BenchOptions bench_options;
  add_bench(app, bench_options);
  ReportOptions report_options;
  add_report(app, report_options);
  ProfileOptions profile_options;
  add_profile(app, profile_options);
  CohortOptions cohort_options;
  cohort_options.seed = options.seed;
  CohortTask cohort_task;
  CLI::App* cohort = app.add_subcommand("cohort", "For instructors: many submissions at once")
                         ->require_subcommand(1);
  add_cohort_grade(*cohort, cohort_options);
  const CLI::App* one_of_cohort = add_cohort_grade_one(*cohort, cohort_task);
  AutograderOptions autograder_options;
  add_autograder(app, autograder_options);
  OccupancyOptions occupancy_options;
  add_occupancy(app, occupancy_options);
  bool check = false;
  app.add_subcommand("skeletons", "For maintainers: write labs/ from what is marked in solutions/")
      ->add_flag("--check", check, "Write nothing, tell differences");
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const bool names_one = std::ranges::any_of(
      commands, [&](const CLI::App* command) { return argc > 1 && command->check_name(argv[1]); });
  if (argc > 1 && argv[1][0] != '-' && !names_one) {
    fmt::print(stderr, "tilewise: there is no command '{}'; ./lab help lists them\n",
               printable(argv[1]));
    return exit_could_not_grade;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_passed : exit_could_not_grade;
  }
  if (app.got_subcommand("list")) return list_stages();
  if (app.got_subcommand("skeletons")) return skeletons(check);
  if (app.got_subcommand("occupancy")) {
    occupancy(occupancy_options);
    return exit_passed;
  }
  interrupt_on_signals();
  if (one_of_cohort->parsed()) {
    grade_one(cohort_task);
    return exit_passed;
  }
  if (app.got_subcommand("cohort")) {
    grade_cohort(cohort_options);
    return exit_passed;
  }
  if (app.got_subcommand("autograder")) {
    write_autograder(autograder_options);
    return exit_passed;
  }
  if (app.got_subcommand("report")) return report(report_options) ? exit_passed : exit_failed;
  if (app.got_subcommand("bench")) return bench(bench_options) ? exit_passed : exit_failed;
  if (app.got_subcommand("profile")) return profile(profile_options) ? exit_passed : exit_failed;
  return grade(options) ? exit_passed : exit_failed;
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  try {
    return tilewise::grading::run(argc, argv);
  } catch (const std::exception& error) {
    const std::string what = tilewise::grading::printable(error.what());
    std::cout.flush();
    fmt::print(stderr, "tilewise: {}\n", what);
    return tilewise::grading::exit_could_not_grade;
  }
}
