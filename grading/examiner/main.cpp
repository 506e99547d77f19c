/// \file
/// tilewise-examiner: grades one stage of one submission. It judges in a process of its own; the
/// submission's code runs in workers that it starts.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/base/catalogue.hpp"
#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/process.hpp"
#include "grading/course/stages.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/examiner/time_budget.hpp"
#include "grading/profile/modelled_time.hpp"

namespace tilewise::grading {
namespace {

constexpr int exit_could_not_grade = 2;

// Selects only the stage's tests, and ignores other flags of GoogleTest from the environment.
void select_tests(const std::vector<RubricEntry>& entries) {
  std::string filter;
  for (const RubricEntry& entry : entries) filter += entry.test + ":";
  GTEST_FLAG_SET(filter, filter);
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(catch_exceptions, true);
}

// Prints every test that a grader has, so that it can be checked whether the rubric's are among
// them.
void list_tests() {
  const auto& unit_test = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit_test.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *unit_test.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      std::puts(full_name(*suite.GetTestInfo(j)).c_str());
    }
  }
}

// Returns the stage's tests, or those of them that are asked for.
std::vector<RubricEntry> choose(const std::vector<RubricEntry>& entries,
                                const std::vector<std::string>& wanted) {
  if (wanted.empty()) return entries;
  std::vector<RubricEntry> chosen;
  for (const std::string& test : wanted) {
    const auto entry = std::ranges::find(entries, test, &RubricEntry::test);
    if (entry == entries.end()) throw std::runtime_error("the stage has no test " + test);
    chosen.push_back(*entry);
  }
  return chosen;
}

int examine(ExaminerOptions options, const std::vector<std::string>& tests, int events_fd) {
  const Rubric rubric = load_rubric(core::project_root());
  const auto stage = rubric.find(options.stage);
  if (stage == rubric.end())
    throw std::runtime_error("no stage " + options.stage + " in the rubric");

  const std::vector<RubricEntry> entries = choose(stage->second, tests);
  for (const RubricEntry& entry : entries) {
    if (entry.minimum) options.minima[entry.test] = *entry.minimum;
  }
  StageTest::configure(std::move(options));
  int arguments = 1;
  std::string program = "tilewise-examiner";
  char* argument_values[] = {program.data(), nullptr};
  testing::InitGoogleTest(&arguments, argument_values);
  select_tests(entries);

  std::FILE* events = nullptr;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (events_fd >= 0) {
    events = fdopen(events_fd, "w");
    if (events == nullptr) throw std::runtime_error("--events-fd is no descriptor to write to");
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new EventListener(events, entries));
  }
  const int status = RUN_ALL_TESTS();
  StageTest::end_baselines();
  if (events != nullptr) std::fclose(events);
  return status;
}

int run(int argc, char** argv) {
  ExaminerOptions options;
  options.backend = "simt";
  std::string gpu = core::default_gpu;
  int events_fd = -1;
  CLI::App app("Grades one stage of one submission.");
  app.add_flag_callback(
         "--list-tests",
         [] {
           list_tests();
           throw CLI::Success();
         },
         "print what tests there are, and grade nothing")
      ->trigger_on_parse();
  app.add_option("--stage", options.stage, "stage, e.g. 03_shared_memory")->required();
  app.add_option("--module", options.module, "submission as a shared object")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--checked-module", options.checked_module,
                 "its checked build; with the backend simt")
      ->check(CLI::ExistingFile);
  std::vector<std::string> baselines;
  app.add_option("--baseline", baselines,
                 "NAME=MODULE: what to time beside it, or with the backend simt to model");
  std::filesystem::path compiled;
  app.add_option("--compiled", compiled, "file with what nvcc made of the kernels")
      ->check(CLI::ExistingFile);
  std::vector<std::string> tests;
  app.add_option("--test", tests, "one of the stage's tests to run; without it all");
  app.add_option("--backend", options.backend, "simt or cuda")
      ->check(CLI::IsMember({"simt", "cuda"}))
      ->capture_default_str();
  app.add_option("--gpu", gpu, "profile of the GPU to simulate, or a file of one")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of all random inputs")
      ->envname("TILEWISE_SEED")
      ->required();
  app.add_option("--time-limit", options.time_limit_s, "seconds one call may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  std::string taken;
  app.add_option("--taken", taken, "what other tests of the stage took, as their events tell");
  app.add_option("--sandbox", options.sandbox.bubblewrap,
                 "bubblewrap, to run the submission in; without it, limits alone hold it");
  app.add_flag("--coverage", options.writes_coverage,
               "let the submission, built for it, write how often its lines were run");
  app.add_option("--events-fd", events_fd,
                 "descriptor for one JSON line an event; without it "
                 "GoogleTest prints to the terminal");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_could_not_grade;
  }
  for (const std::string& baseline : baselines) {
    const std::size_t equals = baseline.find('=');
    if (equals == baseline.npos) throw std::runtime_error("--baseline takes NAME=MODULE");
    options.baselines[baseline.substr(0, equals)] = baseline.substr(equals + 1);
  }
  if (!options.on_gpu() && options.checked_module.empty()) {
    throw std::runtime_error("--checked-module is required with the backend simt");
  }
  keep_secrets();
  core::speak_as_the_user_wants();
  if (!taken.empty()) {
    TimeBudget::of_this_exam().set_before(nlohmann::json::parse(taken).get<TimeTaken>());
  }
  if (!compiled.empty()) options.compiled = read_compiled_kernels(compiled);
  options.profile = simulated_gpu(stage_called(options.stage), core::gpu_profile(gpu));
  options.sandbox.with_devices = options.on_gpu();
  return examine(options, tests, events_fd);
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  // Matrices come and go with each call. Memory that the process keeps need not be mapped and
  // cleared anew, which takes longer than filling it.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);  // never
  try {
    return tilewise::grading::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilewise-examiner: %s\n", error.what());
    return tilewise::grading::exit_could_not_grade;
  }
}
