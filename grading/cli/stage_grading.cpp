#include "grading/cli/stage_grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/compiler_warnings.hpp"
#include "grading/builder/kernel_registers.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/source_account.hpp"
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

/// Returns why a backend does not run tests of a category at all; empty if it does.
std::string never_judged(Category category, Backend backend) {
  if (backend == Backend::cuda && category == Category::memory) {
    return tr("Accesses to memory are counted on the simulator.");
  }
  return "";
}

/// Returns results for the tests of a rubric that could not be judged because of `why`. Those that
/// the backend never runs are skipped.
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

/// Puts the tests into the order of the rubric, in whatever order they have ended.
void put_in_order(StageResult& stage, const std::vector<RubricEntry>& rubric) {
  std::ranges::sort(stage.tests, {}, [&](const TestResult& test) {
    return std::ranges::find(rubric, test.name, &RubricEntry::test) - rubric.begin();
  });
}

/// Returns why the tests after the last one reported have no verdict.
Finding death_of_examiner(const EarlyEnd& early) {
  Finding why;
  why.message = tr("The examiner {}{}; no verdict.\n{}", describe_ending(early.examiner),
                   early.test.empty() ? "" : tr(" during {}", early.test), early.examiner.output);
  why.hint =
      tr("If the kernel file does nothing to other processes, this is a fault of Tilewise: please "
         "report it.");
  return why;
}

std::filesystem::path solutions() { return layout().root / "solutions"; }

/// Returns a build of other sources of the same stage. `name` is that of a folder for its files.
BuildRequest build_beside(const BuildRequest& submission, const std::string& name,
                          const std::filesystem::path& folder) {
  BuildRequest request = submission;
  request.source_directory = folder / submission.stage_id;
  request.scratch = submission.scratch / name;
  return request;
}

bool is_solution(const BuildRequest& submission) {
  std::error_code no_such_folder;  // the builder says what is missing
  return std::filesystem::equivalent(submission.source_directory, solutions() / submission.stage_id,
                                     no_such_folder);
}

/// Finds the registers that nvcc, if it is found, gives a submission and the solution, for the
/// model of their speed. This takes seconds, for which tests of other things need not wait.
class Registers {
 public:
  Registers(BuildRequest submission, const std::string& gpu, std::filesystem::path file)
      : submission_(std::move(submission)),
        gpu_(simulated_gpu(stage_called(submission_.stage_id), core::gpu_profile(gpu))),
        file_(std::move(file)) {}

  /// Starts or continues this, and returns whether all registers are in the file.
  bool are_there() {
    if (is_written_) return true;
    if (!own_) start();
    const bool own_is_over = own_->is_over();
    if (!own_is_over || (reference_ && !reference_->is_over())) return false;
    CompiledKernels kernels{.submission = own_->wait()};
    kernels.reference = reference_ ? reference_->wait() : kernels.submission;
    write_compiled_kernels(file_, kernels);
    return is_written_ = true;
  }

 private:
  void start() {
    own_.emplace(submission_.stage_id, submission_.source_directory, gpu_, submission_.scratch,
                 Sandbox{submission_.bubblewrap});
    if (is_solution(submission_)) return;
    const BuildRequest reference = build_beside(submission_, "reference", solutions());
    reference_.emplace(reference.stage_id, reference.source_directory, gpu_, reference.scratch);
  }

  BuildRequest submission_;
  core::GpuProfile gpu_;
  std::filesystem::path file_;
  std::optional<RegisterCompilation> own_, reference_;
  bool is_written_ = false;
};

/// A submission's modules, or why one could not be built.
struct Built {
  Modules modules = {};
  std::optional<Finding> problem = {};
  std::optional<Registers> registers = {};  ///< if speed is modelled
};

/// Uses one build for every test, so that what is timed is what is checked. With coverage there are
/// two, because optimised code shares lines, and drops some.
/// @throws std::runtime_error if the solution does not compile
Built build_for_simulator(const BuildRequest& submission, const std::string& gpu,
                          bool models_speed) {
  std::vector<BuildRequest> requests = {submission};
  requests.back().flavour = Flavour::checked;
  if (submission.covered) requests.insert(requests.begin(), submission);
  const std::size_t own = requests.size();
  const bool needs_reference = models_speed && (submission.covered || !is_solution(submission));
  if (needs_reference) {
    requests.push_back(build_beside(submission, "reference", solutions()));
    requests.back().flavour = Flavour::checked;
    requests.back().covered = false;
    std::filesystem::create_directories(requests.back().scratch);
  }
  Built built;
  std::function<void()> meanwhile;
  if (models_speed) {
    built.modules.compiled = submission.scratch / "compiled_kernels.json";
    built.registers.emplace(submission, gpu, built.modules.compiled);
    // One file is compiled by one processor, so others are free meanwhile.
    meanwhile = [&] { built.registers->are_there(); };
  }
  const std::vector<BuildResult> all_built = build_modules(requests, meanwhile);
  const auto failed = std::ranges::find(all_built, false, &BuildResult::ok);
  if (failed != all_built.end()) {
    if (std::size_t(failed - all_built.begin()) < own) return {.problem = failed->finding};
    throw std::runtime_error(tr("the reference solution: ") + failed->finding.message);
  }
  built.modules.fast = all_built.front().module;
  built.modules.checked = all_built[own - 1].module;
  if (models_speed) built.modules.baselines["reference"] = all_built.back().module;
  return built;
}

/// Returns what to time beside a submission to a stage: its solution, and the baselines.
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
  if (!all_built.front().ok) return {.problem = all_built.front().finding};
  Built built;
  built.modules.fast = all_built.front().module;
  for (std::size_t i = 1; i < all_built.size(); ++i) {
    // A baseline may be missing, because cuBLAS need not be installed.
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
  return build_for_simulator(submission, request.conditions.gpu,
                             std::ranges::any_of(request.rubric, of_speed));
}

Finding stopped_by(const Interrupted& interrupted) {
  Finding why;
  why.message = tr("Grading was stopped by {} before there was a verdict.", name_of(interrupted));
  why.hint = tr("Grade again.");
  return why;
}

/// Adds what the sources alone reveal: to a finding an account of its lines, to wrong results and
/// compiler errors a doubt, and to the first test that passed a remark on what no test can try.
class Remarker {
 public:
  explicit Remarker(const StageRequest& request) : folder_(request.source_directory) {
    const auto stage = std::ranges::find(stages(), request.id, &StageInfo::id);
    if (stage == stages().end()) return;
    stage_ = &*stage;
    remarks_ = source_remarks(*stage, folder_);
  }

  void add_to(TestResult& test) {
    if (test.finding.kind == "free" && test.finding.line == 0) {
      test.finding.file = remarks_.freed.file;
      test.finding.line = remarks_.freed.line;
    }
    if (test.status == Status::failed && stage_ != nullptr) {
      add_account(test.finding, *stage_, folder_);
    }
    static const std::set<std::string_view> wrong = {
        "wrong-result", "uninitialised", "out-of-bounds", "race",
        "warp-race",    "misaligned",    "host-pointer",  "launch"};
    const bool is_wrong = test.status == Status::failed && wrong.contains(test.finding.kind);
    const Finding statement = first_about(test.finding, remarks_.statements);
    const bool may_be_statement =
        test.status == Status::failed && !test.hidden && !statement.message.empty();
    const Finding doubt = may_be_statement ? statement : first_about(test.finding, remarks_.doubts);
    // Of a crash only its own line tells.
    const bool is_of_crash = test.status == Status::failed && test.finding.kind == "crash" &&
                             doubt.line == test.finding.line && doubt.file == test.finding.file;
    const bool may_be_doubt = may_be_statement || is_wrong || is_of_crash;
    if (may_be_doubt && !doubt.message.empty()) add(doubt, test.finding, " ");
    const bool may_remark = test.status == Status::passed && !test.hidden && test.max_score > 0 &&
                            test.category == Category::correctness;
    if (!may_remark || remarks_.costless.empty()) return;
    test.finding.message += tr("{}Remark, which costs nothing: {}.",
                               test.finding.message.empty() ? "" : " ", remarks_.costless.front());
    remarks_.costless.erase(remarks_.costless.begin());  // once is enough
  }

  /// Adds a doubtful statement shortly before an error. A loop that ends before its body leaves
  /// variables behind that the compiler does not know.
  void add_to_compiler_error(Finding& error) const {
    constexpr int near = 20;  // lines
    for (const SourceDoubt& statement : remarks_.statements) {
      const int line = statement.finding.line;
      if (line <= error.line && error.line - line <= near) {
        return add(statement.finding, error, "\n");
      }
    }
  }

 private:
  /// Returns the first doubt about code that the function of a finding comes to; without a message:
  /// none.
  static Finding first_about(const Finding& finding, const std::vector<SourceDoubt>& doubts) {
    const std::string function = finding.call.substr(0, finding.call.find('('));
    for (const SourceDoubt& doubt : doubts) {
      if (std::ranges::find(doubt.innocent, function) == doubt.innocent.end()) return doubt.finding;
    }
    return {};
  }

  static void add(const Finding& doubt, Finding& finding, const char* apart) {
    finding.message +=
        tr("{}The cause may be this: {}:{}: {}.", apart, doubt.file, doubt.line, doubt.message);
    finding.hint = doubt.hint;
    if (finding.line > 0) return;
    finding.file = doubt.file;
    finding.line = doubt.line;
  }

  std::filesystem::path folder_;
  const StageInfo* stage_ = nullptr;
  SourceRemarks remarks_;
};

/// Does the same as grade_stage(), but the caller owns the result, and keeps it even if this
/// throws.
void grade_into(StageResult& stage, const StageRequest& request, const StageListener& listener,
                const std::filesystem::path& scratch) {
  have_built(parts_that_grade({stage_called(request.id)}));
  if (listener.compiling) listener.compiling();
  Built built = build(request, scratch);
  built.modules.working_folder = scratch / "work";
  std::filesystem::create_directory(built.modules.working_folder);
  Remarker remarker(request);
  if (built.problem) {
    remarker.add_to_compiler_error(*built.problem);
    complete(stage, request, *built.problem, listener);
    add_up(stage);
    stage.status = Status::error;
    return;
  }

  ExamListener exam;
  exam.test_started = listener.exam.test_started;
  exam.test_ended = [&](const TestResult& test, const std::string& printed) {
    TestResult told = test;
    remarker.add_to(told);
    stage.tests.push_back(for_students(told));
    if (!listener.exam.test_ended) return;
    listener.exam.test_ended(stage.tests.back(), for_students(printed, longest_message_bytes));
  };
  ExamRequest sat{request.id, request.rubric, built.modules, request.conditions};
  if (built.registers) sat.speed_can_be_judged = [&] { return built.registers->are_there(); };
  if (const auto early = run_exam(sat, exam)) {
    complete(stage, request, death_of_examiner(*early), listener);
  }
  put_in_order(stage, request.rubric);
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
    put_in_order(stage, request.rubric);
    add_up(stage);
    throw StageInterrupted(interrupted, std::move(stage));
  }
  return stage;
}

}  // namespace tilewise::grading
