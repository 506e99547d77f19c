#include "grading/cli/stage_grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/compiler_message.hpp"
#include "grading/builder/kernel_registers.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

std::filesystem::path folder_of(const Baseline& baseline, const std::string& stage_id) {
  return drawer_of(layout().root, stage_id) / "baselines" / baseline.name;
}

}  // namespace

std::vector<Baseline> baselines_of(const std::string& stage_id) {
  std::vector<Baseline> found;
  for (const Baseline& baseline : {Baseline{"copy", false}, Baseline{"cublas", true}}) {
    if (std::filesystem::exists(folder_of(baseline, stage_id))) found.push_back(baseline);
  }
  return found;
}

BuildRequest baseline_build(const Baseline& baseline, const std::string& stage_id) {
  BuildRequest request;
  request.stage_id = stage_id;
  request.source_directory = folder_of(baseline, stage_id);
  request.backend = Backend::cuda;
  request.uses_cublas = baseline.uses_cublas;
  return request;
}

namespace {

// An exam takes seconds, with every test at its time limit minutes: then the examiner hangs.
constexpr double exam_time_limit_s = 3600;

void deliver(std::string_view line, const ExamListener& listener) {
  const auto event = nlohmann::ordered_json::parse(line);
  const std::string kind = event.at("event").get<std::string>();
  if (kind == "start") {
    listener.test_started(event.at("name").get<std::string>());
  } else if (kind == "end") {
    auto test = event.at("test").get<TestResult>();
    test.finding = nlohmann::json(event.at("finding")).get<Finding>();
    listener.test_ended(test, event.at("output").get<std::string>());
  } else {
    throw std::runtime_error(fmt::format("the examiner sent an unknown event '{}'", kind));
  }
}

}  // namespace

CommandResult run_examiner(const std::string& stage_id, const std::vector<RubricEntry>& tests,
                           const Modules& modules, const ExamConditions& conditions,
                           const ExamListener& listener) {
  Command command;
  command.arguments = {tool("tilewise-examiner"),
                       "--stage",
                       stage_id,
                       "--module",
                       modules.fast,
                       "--backend",
                       std::string(to_string(conditions.backend)),
                       "--gpu",
                       conditions.gpu,
                       "--time-limit",
                       fmt::format("{}", conditions.time_limit_s),
                       "--events-fd",
                       std::to_string(Command::event_descriptor)};
  for (const RubricEntry& entry : tests) {
    command.arguments.insert(command.arguments.end(), {"--test", entry.test});
  }
  if (!modules.checked.empty()) {
    command.arguments.insert(command.arguments.end(), {"--checked-module", modules.checked});
  }
  if (!conditions.bubblewrap.empty()) {
    command.arguments.insert(command.arguments.end(), {"--sandbox", conditions.bubblewrap});
  }
  if (conditions.covered) command.arguments.emplace_back("--coverage");
  if (!modules.compiled.empty()) {
    command.arguments.insert(command.arguments.end(), {"--compiled", modules.compiled});
  }
  for (const auto& [name, module] : modules.baselines) {
    command.arguments.insert(command.arguments.end(),
                             {"--baseline", fmt::format("{}={}", name, module.string())});
  }
  // Command lines are there for every process to read.
  command.environment = {{"TILEWISE_SEED", std::to_string(conditions.seed)},
                         {"TILEWISE_ROOT", layout().root},
                         // OpenBLAS' threads sleep after 2^4 cycles without work. Left alone they
                         // spin for 2^28, on the cores that the kernels run on.
                         {"OPENBLAS_THREAD_TIMEOUT", "4"}};
  if (!modules.working_folder.empty()) {
    command.working_directory = modules.working_folder;
    command.environment.emplace_back("HOME", modules.working_folder);
  }
  command.time_limit_s = exam_time_limit_s;
  command.on_event = [&](std::string_view line) { deliver(line, listener); };
  CommandResult result = run_command(command);
  if (result.ending == CommandResult::Ending::not_started) {
    throw std::runtime_error(fmt::format("the examiner {} {}; build Tilewise again",
                                         command.arguments.front(), describe_ending(result)));
  }
  return result;
}

namespace {

/// Why a backend does not run tests of a category at all; empty where it does.
std::string never_judged(Category category, Backend backend) {
  if (backend == Backend::cuda && category == Category::memory) {
    return "Accesses to memory are counted on the simulator.";
  }
  return "";
}

/// The tests of a rubric that could not be judged, because of `why`. Those that the backend would
/// not have run anyway are skipped.
std::vector<TestResult> unjudged(const std::vector<RubricEntry>& tests, Backend backend,
                                 const Finding& why) {
  std::vector<TestResult> results;
  for (const RubricEntry& entry : tests) {
    TestResult test;
    test.name = entry.test;
    test.category = entry.category;
    test.hidden = entry.hidden;
    if (const std::string reason = never_judged(entry.category, backend); !reason.empty()) {
      test.status = Status::skipped;
      test.finding.message = reason;
    } else {
      test.max_score = entry.points;
      test.finding = why;
    }
    results.push_back(std::move(test));
  }
  return results;
}

Finding shown_to_students(Finding why) {
  why.message = for_students(why.message, longest_message_bytes);
  why.hint = for_students(why.hint, longest_message_bytes);
  return why;
}

/// Gives every test of the rubric that has no result yet one without a verdict.
void complete(StageResult& stage, const StageRequest& request, const Finding& why,
              const StageListener& listener) {
  std::vector<RubricEntry> missing;
  std::ranges::copy_if(request.rubric, std::back_inserter(missing), [&](const RubricEntry& entry) {
    return std::ranges::find(stage.tests, entry.test, &TestResult::name) == stage.tests.end();
  });
  if (missing.empty()) return;
  if (listener.cannot_judge) listener.cannot_judge(shown_to_students(why));
  for (const TestResult& test : unjudged(missing, request.conditions.backend, why)) {
    stage.tests.push_back(for_students(test));
    if (listener.exam.test_ended) listener.exam.test_ended(stage.tests.back(), "");
  }
}

/// Why the tests after the last one reported have no verdict.
Finding death_of_examiner(const CommandResult& result, const std::string& running_test) {
  Finding why;
  why.message = fmt::format("The examiner {}{}; no verdict.\n{}", describe_ending(result),
                            running_test.empty() ? "" : " during " + running_test, result.output);
  why.hint =
      "If the kernel file does nothing to other processes, this is a fault of Tilewise: please "
      "report it.";
  return why;
}

/// A submission's modules, or why one could not be built.
struct Built {
  Modules modules;
  std::optional<Finding> problem;
};

std::filesystem::path solutions() { return layout().root / "solutions"; }

/// A build of other sources of the same stage. `name`: of a folder for its files.
BuildRequest build_beside(const BuildRequest& submission, const std::string& name,
                          const std::filesystem::path& folder) {
  BuildRequest request = submission;
  request.source_directory = folder / submission.stage_id;
  request.scratch = submission.scratch / name;
  return request;
}

/// One build serves every test, so that what is timed is what is checked. Lines are counted in two:
/// optimised code shares lines, and drops some.
Built build_for_simulator(const BuildRequest& submission) {
  std::vector<BuildRequest> requests = {submission};
  requests.back().flavour = Flavour::checked;
  if (submission.covered) requests.insert(requests.begin(), submission);
  const std::vector<BuildResult> all_built = build_modules(requests);
  const auto failed = std::ranges::find(all_built, false, &BuildResult::ok);
  if (failed != all_built.end()) return {{}, failed->finding};
  return {{all_built.front().module, all_built.back().module}, {}};
}

/// Adds to what is built for the simulator what the model of a kernel's speed takes: the solution,
/// and the registers that nvcc gives both, where it is found.
class ModelPreparation {
 public:
  ModelPreparation(const BuildRequest& submission, const std::string& gpu)
      : reference_(build_beside(submission, "reference", solutions())) {
    reference_.flavour = Flavour::checked;
    reference_.covered = false;
    std::filesystem::create_directories(reference_.scratch);
    const core::GpuProfile profile = core::gpu_profile(gpu);
    // Beside the builds.
    own_registers_.emplace(submission.stage_id, submission.source_directory, profile,
                           submission.scratch, Sandbox{submission.bubblewrap});
    std::error_code no_such_folder;  // the builder says what is missing
    if (std::filesystem::equivalent(submission.source_directory, reference_.source_directory,
                                    no_such_folder)) {
      return;
    }
    reference_registers_.emplace(submission.stage_id, reference_.source_directory, profile,
                                 reference_.scratch);
  }

  /// @throws std::runtime_error if the solution does not compile
  void add_to(Modules& modules) {
    const BuildResult reference = build_module(reference_);
    if (!reference.ok)
      throw std::runtime_error("the reference solution: " + reference.finding.message);
    modules.baselines["reference"] = reference.module;
    modules.compiled = reference_.scratch / "compiled_kernels.json";
    CompiledKernels kernels{.submission = own_registers_->wait()};
    kernels.reference = reference_registers_ ? reference_registers_->wait() : kernels.submission;
    write_compiled_kernels(modules.compiled, kernels);
  }

 private:
  BuildRequest reference_;
  std::optional<RegisterCompilation> own_registers_;
  std::optional<RegisterCompilation> reference_registers_;
};

/// What to time beside a submission to a stage: its solution, and the baselines.
std::vector<BuildRequest> beside(const BuildRequest& submission) {
  std::vector<BuildRequest> requests = {build_beside(submission, "reference", solutions())};
  for (const Baseline& baseline : baselines_of(submission.stage_id)) {
    requests.push_back(baseline_build(baseline, submission.stage_id));
    requests.back().scratch = submission.scratch / baseline.name;
  }
  return requests;
}

Built build_for_gpu(const BuildRequest& submission) {
  std::vector<BuildRequest> requests = beside(submission);
  requests.insert(requests.begin(), submission);
  const std::vector<BuildResult> all_built = build_modules(requests);
  if (!all_built.front().ok) return {{}, all_built.front().finding};
  Built built{{.fast = all_built.front().module, .checked = {}}, {}};
  for (std::size_t i = 1; i < all_built.size(); ++i) {
    // cuBLAS need not be installed.
    if (!all_built[i].ok) continue;
    built.modules.baselines[requests[i].scratch.filename()] = all_built[i].module;
  }
  return built;
}

Built build(const StageRequest& request, const std::filesystem::path& scratch) {
  BuildRequest submission{request.id, request.source_directory, request.conditions.backend,
                          scratch};
  submission.bubblewrap = request.conditions.bubblewrap;
  submission.covered = request.conditions.covered;
  if (submission.backend == Backend::cuda) return build_for_gpu(submission);
  const auto of_speed = [](const RubricEntry& entry) {
    return entry.category == Category::performance;
  };
  std::optional<ModelPreparation> model;
  if (std::ranges::any_of(request.rubric, of_speed)) {
    model.emplace(submission, request.conditions.gpu);
  }
  Built built = build_for_simulator(submission);
  if (model && !built.problem) model->add_to(built.modules);
  return built;
}

Finding stopped_by(const Interrupted& interrupted) {
  Finding why;
  why.message =
      fmt::format("Grading was stopped by {} before there was a verdict.", name_of(interrupted));
  why.hint = "Grade again.";
  return why;
}

/// Adds what the sources say by themselves: to wrong results a doubt, to the first test that passed
/// a remark on what no test can try.
class Remarker {
 public:
  explicit Remarker(const StageRequest& request) {
    const auto stage = std::ranges::find(stages(), request.id, &StageInfo::id);
    if (stage != stages().end()) remarks_ = source_remarks(*stage, request.source_directory);
  }

  void add_to(TestResult& test) {
    const bool is_wrong = test.status == Status::failed && (test.finding.kind == "wrong-result" ||
                                                            test.finding.kind == "uninitialised");
    if (is_wrong && !remarks_.doubt.message.empty()) {
      const Finding& doubt = remarks_.doubt;
      test.finding.message +=
          fmt::format(" The cause may be this: {}:{}: {}.", doubt.file, doubt.line, doubt.message);
      test.finding.hint =
          "An array that all threads of a block are to see is declared __shared__: look there "
          "first.";
      if (test.finding.line == 0) test.finding.file = doubt.file, test.finding.line = doubt.line;
    }
    const bool may_remark = test.status == Status::passed && !test.hidden && test.max_score > 0 &&
                            test.category == Category::correctness;
    if (!may_remark || remarks_.overflow.empty()) return;
    test.finding.message += fmt::format("{}Remark, which costs nothing: {}.",
                                        test.finding.message.empty() ? "" : " ", remarks_.overflow);
    remarks_.overflow.clear();  // once is enough
  }

 private:
  SourceRemarks remarks_;
};

/// As grade_stage(), with the result in the caller's hands all the way.
void grade_into(StageResult& stage, const StageRequest& request, const StageListener& listener,
                const std::filesystem::path& scratch) {
  if (listener.compiling) listener.compiling();
  Built built = build(request, scratch);
  built.modules.working_folder = scratch / "work";
  std::filesystem::create_directory(built.modules.working_folder);
  if (built.problem) {
    complete(stage, request, *built.problem, listener);
    add_up(stage);
    stage.status = Status::error;
    return;
  }

  std::string running_test;
  bool any_event = false;
  Remarker remarker(request);
  ExamListener exam;
  exam.test_started = [&](std::string_view test) {
    any_event = true;
    running_test = test;
    if (listener.exam.test_started) listener.exam.test_started(test);
  };
  exam.test_ended = [&](const TestResult& test, const std::string& printed) {
    running_test.clear();
    TestResult told = test;
    remarker.add_to(told);
    stage.tests.push_back(for_students(told));
    if (!listener.exam.test_ended) return;
    listener.exam.test_ended(stage.tests.back(), for_students(printed, longest_message_bytes));
  };
  const CommandResult ended =
      run_examiner(request.id, request.rubric, built.modules, request.conditions, exam);
  // No student's code runs before the first test.
  if (!any_event) {
    throw std::runtime_error(fmt::format("the examiner {} before the first test: {}",
                                         describe_ending(ended), ended.output));
  }
  complete(stage, request, death_of_examiner(ended, running_test), listener);
  add_up(stage);
}

}  // namespace

StageResult not_graded(const StageRequest& request, const std::string& why) {
  StageResult stage;
  stage.id = request.id;
  complete(stage, request, Finding{.message = why}, {});
  add_up(stage);
  stage.status = Status::error;
  return stage;
}

StageResult grade_stage(const StageRequest& request, const StageListener& listener) {
  const ScratchDirectory scratch;
  return grade_stage(request, listener, scratch.path());
}

StageResult grade_stage(const StageRequest& request, const StageListener& listener,
                        const std::filesystem::path& scratch) {
  StageResult stage;
  stage.id = request.id;
  try {
    grade_into(stage, request, listener, scratch);
  } catch (const Interrupted& interrupted) {
    complete(stage, request, stopped_by(interrupted), listener);
    add_up(stage);
    throw StageInterrupted(interrupted, std::move(stage));
  }
  return stage;
}

}  // namespace tilewise::grading
