#include "grading/debug/debug.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/debug/debug_job.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/problem/problem.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/result.hpp"
#include "grading/results/terminal.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Reads "3", "3,2" or "3,2,0"; the indices that are left out are 0.
Index3 read_index(const std::string& option, const std::string& text) {
  Index3 index = {};
  std::size_t count = 0;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const char* end = word.data() + word.size();
    unsigned value = 0;
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (count == index.size() || error != std::errc() || rest != end) {
      throw CannotGrade(tr("{0} '{1}': give it as {0} 3,2,0", option, text));
    }
    index[count++] = value;
  }
  return index;
}

void demand_debugger() {
  if (find_program("gdb").empty()) {
    throw CannotGrade(tr("gdb is not installed; install it with: sudo apt-get install gdb"));
  }
  if (!may_trace()) {
    throw CannotGrade(
        tr("programs may not trace others here, which gdb must; in a container of Docker add "
           "--cap-add=SYS_PTRACE --security-opt seccomp=unconfined to docker run"));
  }
}

/// The matrices of a call as graders fill them, one after another.
struct CallInputs {
  std::vector<Argument> arguments;  ///< of the call; they say where each matrix lies
  std::vector<std::byte> matrices;
};

/// Fills the matrices with random values, which are always the same.
CallInputs inputs_of(const NamedCall& call, const Problem& problem) {
  CallInputs inputs;
  inputs.matrices.resize(bytes_in_memory(call));
  inputs.arguments = problem.pose(call, {}, {})->place(call, inputs.matrices);
  return inputs;
}

/// A test that failed, and where.
struct FailingCall {
  std::string test;
  std::string gpu;  ///< the GPU profile that was modelled
  Finding finding;  ///< names the call
};

/// The failure that `lab grade` recorded last for a stage, if it names the failing call.
/// @throws CannotGrade if the record cannot be read
std::optional<FailingCall> recorded_failure(const StageInfo& stage) {
  const auto failure = progress_of(read_progress(layout().root), stage.id).last_failure;
  if (!failure || failure->finding.call.empty()) return std::nullopt;
  return FailingCall{failure->test, failure->gpu, failure->finding};
}

/// Grades a stage on the simulator and returns the first failure that names its call.
/// @param now_runs is called with the name of each test
std::optional<FailingCall> find_failure(const StageInfo& stage, const Submission& submission,
                                        std::uint64_t seed,
                                        const std::function<void(std::string_view)>& now_runs) {
  const Rubric rubric = load_rubric(layout().root);
  const std::string gpu = core::default_gpu;
  const ExamConditions conditions{
      .gpu = gpu, .seed = seed, .bubblewrap = find_sandbox().sandbox.bubblewrap};
  StageListener listener;
  listener.compiling = [&] { now_runs(tr("compiling")); };
  listener.cannot_judge = [](const Finding&) {};  // the build for the debugger reports it
  listener.exam.test_started = now_runs;
  listener.exam.test_ended = [](const TestResult&, const std::string&) {};
  // The tests run one at a time, because most of them come after the one that is wanted.
  for (const RubricEntry& entry : rubric.at(stage.id)) {
    if (entry.hidden) continue;
    const StageResult result =
        grade_stage({stage.id, submission.folder_of(stage), conditions, {entry}}, listener);
    for (const TestResult& test : result.tests) {
      if (test.status != Status::failed || test.finding.call.empty()) continue;
      return FailingCall{test.name, gpu, test.finding};
    }
  }
  return std::nullopt;
}

/// The failure to start from if the user names no call.
FailingCall failure_to_debug(const DebugOptions& options, const StageInfo& stage,
                             const Submission& submission, TerminalReport& terminal) {
  if (options.is_learners_own()) {
    if (const auto recorded = recorded_failure(stage)) return *recorded;
  }
  const auto found = find_failure(stage, submission, options.seed, [&](std::string_view what) {
    terminal.show_progress(tr("looking: {}", what));
  });
  terminal.clear_progress();
  if (found) return *found;
  throw CannotGrade(
      tr("no test of {0} fails in a call; name one: --call '{1}(...)'. ./lab grade {0} says how "
         "the stage stands",
         stage.id, stage.functions.front()));
}

/// The matrix that messages call `name`. A solution is called X in messages, and lies in memory
/// where B was.
const BufferArgument& matrix_in_message(const std::string& name, const CallInputs& inputs) {
  const BufferArgument* written = nullptr;
  for (const Argument& argument : inputs.arguments) {
    const auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix == nullptr) continue;
    if (matrix->name == name) return *matrix;
    if (!matrix->read_only) written = matrix;
  }
  if (written == nullptr) throw std::logic_error("the call writes no matrix");
  return *written;
}

WatchedElement element_of(const Finding& finding, const CallInputs& inputs) {
  const BufferArgument& matrix = matrix_in_message(finding.matrix, inputs);
  const std::size_t element =
      std::size_t(finding.row) * matrix.row_elements + std::size_t(finding.col);
  return {matrix.name, element * matrix.element_bytes, matrix.element_bytes};
}

/// What a run of the call reveals about an element.
struct Search {
  std::optional<ThreadOfCall> writer;  ///< the thread that gives the element its final value
  bool crashed = false;
};

Search find_writer(DebugJob job, const Finding& finding, const CallInputs& inputs,
                   const fs::path& folder) {
  job.element = element_of(finding, inputs);
  write_job(folder, job, inputs.matrices);
  Command command;
  command.arguments = {tool("tilewise-debuggee"), folder};
  command.time_limit_s = 120;
  const CommandResult run = run_command(std::move(command));
  return {read_writer(folder), run.ending == CommandResult::Ending::signalled};
}

std::string describe(const ThreadOfCall& of_call) {
  const std::string launch = of_call.launch == 1 ? "" : tr("launch {}, ", of_call.launch);
  return tr("{}block ({}), thread ({})", launch, fmt::join(of_call.place.block, ", "),
            fmt::join(of_call.place.thread, ", "));
}

/// Where gdb stops, and why.
struct Stop {
  /// nullopt to stop where the program crashes
  std::optional<ThreadOfCall> thread = ThreadOfCall{};
  std::string why = {};
};

Stop stop_at_fault(const std::optional<FailingCall>& failing, const DebugJob& job,
                   const CallInputs& inputs, const fs::path& folder) {
  if (!failing) return {};
  const Finding& finding = failing->finding;
  if (finding.place) {
    return {ThreadOfCall{*finding.place}, finding.line == 0
                                              ? tr("It is at fault.")
                                              : tr("It is at fault on line {}.", finding.line)};
  }
  if (finding.matrix.empty()) return {};
  const std::string element = fmt::format("{}[{}][{}]", finding.matrix, finding.row, finding.col);
  const Search search = find_writer(job, finding, inputs, folder);
  if (search.writer) {
    return {*search.writer, tr("It writes {}, which is wrong.", element)};
  }
  if (search.crashed) {
    return {std::nullopt, tr("That is before {} has its value.", element)};
  }
  return {.why =
              tr("No thread gives {} a new value: is a kernel launched, and does it store there?",
                 element)};
}

/// Replaces the place of the failure by the block and thread that the user names.
void take_wishes(const DebugOptions& options, Stop& stop) {
  if (options.block.empty() && options.thread.empty()) return;
  stop.why.clear();
  ThreadOfCall wished = stop.thread.value_or(ThreadOfCall{});
  wished.launch = 1;
  if (!options.block.empty()) wished.place.block = read_index("--block", options.block);
  if (!options.thread.empty()) wished.place.thread = read_index("--thread", options.thread);
  stop.thread = wished;
}

void introduce(const std::string& call, const Stop& stop,
               const std::optional<FailingCall>& failing) {
  if (failing) std::cout << tr("{} failed: {}\n", failing->test, failing->finding.message);
  const std::string where = stop.thread ? describe(*stop.thread) : tr("where it crashes");
  std::cout << tr("gdb stops in {}, {}.{}\n", call, where, stop.why.empty() ? "" : " " + stop.why)
            << tr("There: next, step, until LINE, print NAME, tw-where, tw-tile As, quit; "
                  "docs/debugging.md has more.\n")
            << std::flush;
}

void start_gdb(const fs::path& folder, const fs::path& sources) {
  run_in_foreground({.arguments = {"gdb", "--quiet", "--directory", sources, "-x",
                                   layout().root / "grading" / "debug" / "tilewise_gdb.py",
                                   "--args", tool("tilewise-debuggee"), folder},
                     .environment = {{core::catalogue_variable, core::catalogue_file().string()}}});
}

}  // namespace

bool may_trace() {
#ifdef __linux__
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (child == 0) ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
#else
  return true;
#endif
}

bool debug(const DebugOptions& options) {
  const StageInfo stage = stage_of(options);
  const Submission submission = choose_submission(options, {stage});
  const fs::path sources = fs::absolute(submission.folder_of(stage));
  const auto& contracts = contracts_of(stage.id);
  if (!options.call.empty()) read_call(options.call, contracts);  // reports a bad call early
  Stop wishes;
  take_wishes(options, wishes);
  demand_debugger();

  TerminalReport terminal(std::cout, style_of_standard_output());
  terminal.show_progress(tr("compiling"));
  const ScratchDirectory scratch;
  const BuildResult built =
      build_module({stage.id, sources, Backend::simt, scratch.path(), Flavour::debug});
  terminal.clear_progress();
  if (!built.ok) {
    terminal.explain_stage({.message = built.finding.message, .hint = built.finding.hint});
    return false;
  }
  std::optional<FailingCall> failing;
  if (options.call.empty()) failing = failure_to_debug(options, stage, submission, terminal);
  const NamedCall call = read_call(failing ? failing->finding.call : options.call, contracts);
  const CallInputs inputs = inputs_of(call, problem_of(layout().root, stage.id, call.function));

  DebugJob job;
  job.hello.module = built.module;
  job.hello.profile =
      simulated_gpu(stage, core::gpu_profile(failing ? failing->gpu : core::default_gpu));
  job.call.function = call.function;
  job.call.arguments = inputs.arguments;
  job.text = call.text;
  Stop stop = stop_at_fault(failing, job, inputs, scratch.path());
  take_wishes(options, stop);
  job.stop = stop.thread;
  write_job(scratch.path(), job, inputs.matrices);
  introduce(call.text, stop, failing);
  start_gdb(scratch.path(), sources.parent_path().parent_path());
  return true;
}

}  // namespace tilewise::grading
