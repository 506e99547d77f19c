#include <algorithm>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// Some trials of a pass, in a worker of their own, and their outcome.
struct TrialTest::CheckedPart {
  CheckedPart(const ExaminerOptions& options, const CheckPass& pass_,
              std::span<const PrepareTrial> trials_)
      : pass(pass_), trials(trials_.begin(), trials_.end()), calls(options, pass) {}

  CheckPass pass;
  std::vector<PrepareTrial> trials;
  CheckedCalls calls;
  std::vector<PreparedTrial> made;  ///< up to the first one at fault
  std::optional<Verdict> fault = {};
  std::exception_ptr error = {};  ///< from a call that could not be made
};

void TrialTest::make_calls(CheckedPart& part) {
  for (const PrepareTrial& prepare : part.trials) {
    Trial& trial = *part.made.emplace_back(prepare());
    trial.text += part.pass.circumstances;
    part.fault = part.calls.make(trial.call, trial.reply);
    if (part.fault) return;
  }
  part.fault = part.calls.finish();
}

namespace {

/// Returns into how many parts a pass is divided. Of all tools racecheck takes most of the time, up
/// to two seconds of one processor for the first launch of a large kernel. But each part has a
/// context on the GPU and a worker, and a driver starts workers one after the other, in a fifth of
/// a second each.
std::size_t parts_of(const CheckPass& pass, std::size_t trials) {
  constexpr std::size_t most = 4, processors_of_a_part = 4, trials_of_a_part = 8;
  if (pass.tool != "racecheck") return 1;
  const std::size_t processors = std::thread::hardware_concurrency();
  return std::clamp(std::min(processors / processors_of_a_part, trials / trials_of_a_part),
                    std::size_t{1}, most);
}

}  // namespace

std::list<TrialTest::CheckedPart> TrialTest::start_passes(const std::vector<CheckPass>& passes,
                                                          const std::vector<PrepareTrial>& trials,
                                                          const std::vector<PrepareTrial>& large) {
  std::list<CheckedPart> parts;
  for (const CheckPass& pass : passes) {
    std::vector<PrepareTrial> all = trials;
    if (options().on_gpu() || &pass == &passes.front()) {
      all.insert(all.end(), large.begin(), large.end());
    }
    // Neighbouring trials are often of one kernel, which the tool prepares only once.
    const std::size_t count = parts_of(pass, all.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = all.size() * i / count, end = all.size() * (i + 1) / count;
      parts.emplace_back(options(), pass, std::span(all).subspan(first, end - first));
    }
  }
  return parts;
}

void TrialTest::make_calls_side_by_side(std::list<CheckedPart>& parts) {
  // The matrices are drawn one after the other, so that a seed gives the same numbers each time.
  for (CheckedPart& part : parts) {
    for (PrepareTrial& prepare : part.trials) {
      const PrepareTrial again = prepare;
      auto drawn = std::make_shared<PreparedTrial>(prepare());
      // If the calls of this pass are made once more, they get new matrices.
      prepare = [drawn, again] { return *drawn ? std::move(*drawn) : again(); };
    }
  }
  const ReferencesWithoutThreads without_threads;
  std::vector<std::jthread> threads;
  for (CheckedPart& part : parts) {
    threads.emplace_back([&part] {
      try {
        make_calls(part);
      } catch (...) {
        part.error = std::current_exception();
      }
    });
  }
  for (std::jthread& thread : threads) thread.join();
  for (const CheckedPart& part : parts) {
    if (part.error) std::rethrow_exception(part.error);
  }
}

void TrialTest::try_clean(const std::vector<PrepareTrial>& trials,
                          const std::vector<PrepareTrial>& large) {
  const std::vector<CheckPass> passes = check_passes(options(), random());
  if (passes.empty()) {
    skip(
        tr("compute-sanitizer, which finds races and stray accesses on a GPU, is not installed."),
        tr("It comes with the CUDA Toolkit. Grade with --backend simt as well: the simulator finds "
           "more of them."));
    return;
  }
  // All workers are started before the first one is waited for, because on a GPU each takes long to
  // start.
  std::list<CheckedPart> parts = start_passes(passes, trials, large);
  for (CheckedPart& part : parts) {
    const std::string obstacle = part.calls.obstacle();
    if (obstacle.empty()) continue;
    skip(tr("compute-sanitizer does not run here: ") + obstacle,
         tr("Grade with --backend simt as well."));
    return;
  }
  if (options().on_gpu()) make_calls_side_by_side(parts);
  for (CheckedPart& part : parts) {
    if (!options().on_gpu()) make_calls(part);
    if (part.fault && part.calls.found_a_copy_that_may_be_short()) {
      CheckPass again = part.pass;
      again.lets_copies_overhang = true;
      CheckedPart part_again(options(), again, part.trials);
      make_calls(part_again);
      part.fault = part_again.fault;
      part.made = std::move(part_again.made);
    }
    if (!part.fault) continue;
    if (!part.made.empty()) note_reply(part.made.back()->reply);
    fail(*part.fault);
  }
  // Results are judged last: a fault, which perhaps only a later pass finds, explains more than the
  // result that it spoils.
  for (const CheckedPart& part : parts) {
    for (const PreparedTrial& trial : part.made) {
      note_reply(trial->reply);
      if (!trial->hangs_over || trial->reply.launches == 0) trial->check_result();
      check_own_kernels(*trial);
    }
  }
}

void TrialTest::fail_by_fault(const Trial& trial, bool crashes) {
  constexpr double most_work = 1e8;   // the work of a product of order 368
  constexpr double most_bytes = 4e6;  // of a matrix of 1,000 x 1,000 elements
  if (options().on_gpu() || trial.work > (trial.computes ? most_work : most_bytes)) return;
  Random as_drawn = random();  // what is drawn later does not depend on this call
  CheckedCalls calls(options(), check_passes(options(), as_drawn).front());
  CallReply reply;
  const auto fault = calls.make(trial.call, reply);
  // A call that does not end under the checks says nothing about why its result was wrong.
  if (fault && (!reply.findings.empty() || (crashes && fault->kind == "crash"))) fail(*fault);
}

void TrialTest::run_or_explain(Trial& trial) {
  trial.reply = run_to_any_end(trial.call);
  const auto failure = failure_of(trial.call.text, trial.reply);
  if (!failure) return;
  if (failure->kind == "crash") fail_by_fault(trial, true);
  fail(*failure);
}

}  // namespace tilewise::grading
