#include "grading/examiner/stage_fixture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "common/base/language.hpp"
#include "grading/examiner/calling.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/examiner/time_budget.hpp"

namespace tilewise::grading {
namespace {

ExaminerOptions& configured() {
  static ExaminerOptions options;
  return options;
}

/// The baselines' workers, by the path of their module.
std::map<std::filesystem::path, Worker>& baseline_workers() {
  static std::map<std::filesystem::path, Worker> workers;
  return workers;
}

// Sampled calls are larger than those of other tests. That shows where a few blocks cannot stand
// for the grid, for example where one block walks over all of the result, so they get more time. A
// function whose other calls never ended gets no extra time.
WorkerOptions sampling_worker_options(WorkerOptions worker, const std::string& function) {
  constexpr double times_the_usual = 4;
  if (TimeBudget::of_this_exam().share_of(function) == 1) worker.time_limit_s *= times_the_usual;
  return worker;
}

// Irregular blocks are estimated from some of them, because to run all of them would take minutes.
simt::Watch sample_of_blocks(std::uint64_t seed) {
  return {.counters = true, .sample = true, .estimate = true, .seed = seed};
}

/// Whether the fault may come from blocks of another shape than the kernel was written for.
bool comes_of_launches(const Verdict& verdict) {
  return verdict.kind == "wrong-result" || verdict.kind == "uninitialised" ||
         verdict.kind == "out-of-bounds" || verdict.kind == "race";
}

/// Adds what may explain a call that went wrong. What CUDA refused comes before what was missing
/// afterwards.
void explain(Verdict& verdict, const Finding& explanation) {
  const bool may_come_of_it = verdict.kind == "launch" || verdict.kind == "wrong-result" ||
                              verdict.kind == "uninitialised" || verdict.kind == "status";
  if (!may_come_of_it) return;
  verdict.message += tr(" The cause may be this: {}.", explanation.message);
  verdict.file = explanation.file;
  verdict.line = explanation.line;
  if (explanation.kind == "lost-shuffle") {
    verdict.hint =
        tr("Let shuffles sum up each warp, and add the warps' sums by way of shared memory.");
    return;
  }
  verdict.kind = "launch";
  const std::string bounds = core::in_language(marked(
      "{} was not launched: a block of {} has {} threads, and its __launch_bounds__ allow {}"));
  const std::size_t end = bounds.rfind("{}"), begin = bounds.rfind('}', end) + 1;
  if (explanation.message.find(bounds.substr(begin, end - begin)) != std::string::npos) {
    verdict.hint = tr(
        "Let the __launch_bounds__ before the kernel's name count the threads of the largest block "
        "that it is launched with, or launch smaller blocks on line {}.",
        explanation.line);
    return;
  }
  verdict.hint =
      explanation.line > 0
          ? tr("Look at what the grid, the block and the shared memory of the launch on line {} "
               "are "
               "made of, and at which of them comes first.",
               explanation.line)
          : tr("Look at what each call of CUDA returns, and at cudaGetLastError() after a launch.");
}

/// Returns " Before it f(n=1), f(n=16) came right.": the latest of the calls to the same function.
/// Empty if there are none.
std::string words_on_right_calls(const std::string& wrong,
                                 const std::vector<std::string>& came_right) {
  constexpr std::size_t most = 3;
  const std::string function = wrong.substr(0, wrong.find('(') + 1);
  std::vector<std::string> told;
  for (auto call = came_right.rbegin(); call != came_right.rend() && told.size() < most; ++call) {
    const bool is_told = *call == wrong || std::ranges::find(told, *call) != told.end();
    if (!is_told && call->starts_with(function)) told.insert(told.begin(), *call);
  }
  return told.empty() ? "" : tr(" Before it {} came right.", fmt::join(told, ", "));
}

}  // namespace

void StageTest::configure(ExaminerOptions options) { configured() = std::move(options); }

void StageTest::end_baselines() { baseline_workers().clear(); }

const ExaminerOptions& StageTest::options() { return configured(); }

int StageTest::threads_per_block() {
  // This holds for every card that the cuda backend can be built for.
  constexpr int on_any_real_gpu = 1024;
  return options().on_gpu() ? on_any_real_gpu : options().profile.threads_per_block;
}

void StageTest::SetUp() {
  random_ = seeded_random(options().seed,
                          full_name(*testing::UnitTest::GetInstance()->current_test_info()));
  // On a GPU a worker takes long to start, and workers that start at the same time wait for one
  // another. There a test starts one only when it makes a call.
  if (!options().on_gpu()) await_worker();
}

void StageTest::TearDown() { record_output(output_ + (worker_ ? worker_->output() : "")); }

void StageTest::start_worker() {
  if (worker_) return;
  worker_.emplace(worker_options(options()));
  worker_has_loaded_ = false;
}

void StageTest::await_worker() {
  start_worker();
  if (worker_has_loaded_) return;
  const CallReply& loaded = wait_until_ready(*worker_);
  if (loaded.ending != CallReply::Ending::returned) {
    fail(no_return(tr("Loading the submission"), loaded));
  }
  worker_has_loaded_ = true;
}

const DeviceInfo& StageTest::device() {
  await_worker();
  return worker_->device();
}

CallReply StageTest::run_to_any_end(const Call& call, const CallManner& manner) {
  last_call_ = call.text;
  await_worker();
  CallReply reply = call_worker(*worker_, call, manner);
  ++calls_made_;
  note_reply(reply);
  return reply;
}

CallReply StageTest::run(const Call& call, const CallManner& manner) {
  CallReply reply = run_to_any_end(call, manner);
  if (reply.ending != CallReply::Ending::returned) fail(no_return(call.text, reply));
  return reply;
}

CallReply StageTest::run_successfully(const Call& call, const CallManner& manner) {
  CallReply reply = run(call, manner);
  if (const auto failure = failure_of(call.text, reply)) fail(*failure);
  return reply;
}

CallReply StageTest::run_counted(const Call& call) {
  last_call_ = call.text;
  if (!checked_worker_) checked_worker_.emplace(checked_worker_options(options()));
  CallReply reply = call_worker(*checked_worker_, call, {.watch = simt::Watch{.counters = true}});
  note_reply(reply);
  if (const auto failure = failure_of(call.text, reply)) fail(*failure);
  if (std::ssize(reply.profiles) < reply.launches) {
    fail({.message = tr("{} launched {} kernels; the accesses of no more than {} are "
                        "counted.",
                        call.text, reply.launches, reply.profiles.size()),
          .hint = tr("Let fewer launches do more each.")});
  }
  return reply;
}

CallReply StageTest::run_sampled(const Call& call) {
  last_call_ = call.text;
  if (!sampling_worker_) {
    sampling_worker_.emplace(
        sampling_worker_options(checked_worker_options(options()), call.function));
  }
  CallReply reply = call_worker(*sampling_worker_, call, {.watch = sample_of_blocks(random()())});
  note_reply(reply);
  if (const auto failure = failure_of(call.text, reply)) fail(*failure);
  return reply;
}

std::optional<CallReply> StageTest::run_in_step(const Call& call, bool sampled) {
  // This uses the worker whose call went wrong: in a fresh worker it would be the first call, and
  // might be right.
  std::optional<Worker>& worker = sampled ? sampling_worker_ : checked_worker_;
  if (!worker) {
    worker.emplace(sampling_worker_options(checked_worker_options(options()), call.function));
  }
  simt::Watch watch = sampled ? sample_of_blocks(random()()) : simt::Watch{.counters = true};
  watch.order = simt::ThreadOrder::in_step;
  CallReply reply = call_worker(*worker, call, {.watch = watch});
  if (failure_of(call.text, reply) || std::ssize(reply.profiles) < reply.launches) return {};
  return reply;
}

CallReply StageTest::sample_reference(const Call& call) {
  const std::filesystem::path module = options().baselines.at("reference");
  const auto [worker, is_new] = baseline_workers().try_emplace(
      module, sampling_worker_options(baseline_worker_options(options(), module), ""));
  CallReply reply = call_worker(worker->second, call,
                                {.watch = sample_of_blocks(random()()), .is_reference = true});
  if (const auto failure = failure_of(call.text, reply)) {
    throw std::runtime_error(tr("the reference solution: ") + failure->message);
  }
  return reply;
}

void StageTest::start_baselines() {
  for (const auto& [name, module] : options().baselines) {
    baseline_workers().try_emplace(module, baseline_worker_options(options(), module));
  }
}

std::vector<double> StageTest::time_baseline(const std::string& name, const Call& call,
                                             const CallManner& timed) {
  start_baselines();
  Worker& worker = baseline_workers().at(options().baselines.at(name));
  if (worker.ready().ending != CallReply::Ending::returned) return {};
  CallManner manner = timed;
  manner.is_reference = true;
  const CallReply reply = call_worker(worker, call, manner);
  return failure_of(call.text, reply) ? std::vector<double>{} : reply.times_ms;
}

std::map<std::string, std::vector<double>> StageTest::time_baselines(const Call& call,
                                                                     const CallManner& timed) {
  std::map<std::string, std::vector<double>> all_ms;
  for (const auto& [name, module] : options().baselines) {
    auto times_ms = time_baseline(name, call, timed);
    if (!times_ms.empty()) all_ms[name] = std::move(times_ms);
  }
  return all_ms;
}

void StageTest::end_worker() {
  worker_->finish();
  output_ += worker_->output();
  worker_.reset();
}

bool StageTest::skip(const std::string& reason, const std::string& advice) {
  record_verdict({{.message = reason, .hint = advice}});
  [] { GTEST_SKIP(); }();
  return true;
}

const SpeedMinimum& StageTest::minimum_speed() {
  const std::string test = full_name(*testing::UnitTest::GetInstance()->current_test_info());
  const auto minimum = options().minima.find(test);
  if (minimum == options().minima.end()) {
    throw std::runtime_error(
        tr("grading/stages/{}/stage.json: {} has no \"minimum\"", options().stage, test));
  }
  return minimum->second;
}

bool StageTest::skipped_without_simulator() {
  return options().on_gpu() && skip(tr("Accesses to memory are counted on the simulator."),
                                    tr("Grade with --backend simt as well."));
}

std::optional<CallReply> StageTest::run_in_fresh_worker(const Call& call) {
  Worker worker(worker_options(options()));
  if (worker.ready().ending != CallReply::Ending::returned) return std::nullopt;
  CallReply reply = call_worker(worker, call);
  if (reply.ending != CallReply::Ending::returned || reply.cuda_status != cudaSuccess) {
    return std::nullopt;
  }
  return reply;
}

void StageTest::fail(Verdict verdict) {
  if (verdict.call.empty()) verdict.call = last_call_;
  if (!explanations_.empty()) {
    const auto refused = std::ranges::find(explanations_, "refused", &Finding::kind);
    explain(verdict, refused == explanations_.end() ? explanations_.front() : *refused);
  }
  const auto block = blocks_.find(verdict.call);
  if (block != blocks_.end() && !launches_.empty() && comes_of_launches(verdict)) {
    verdict.message += doubt_about_launch(launches_.front(), block->second);
  }
  verdict.message += words_on(verdict.call, launches_);
  if (verdict.kind == "wrong-result") {
    verdict.message += words_on_right_calls(verdict.call, came_right_);
  }
  record_verdict(verdict);
  [&] { FAIL() << verdict.message << "\n" << verdict.hint; }();
  // This exception ends the test from any depth of calls. GoogleTest takes it for a failure that
  // was reported already.
  throw testing::AssertionException(testing::TestPartResult(testing::TestPartResult::kFatalFailure,
                                                            nullptr, -1, verdict.message.c_str()));
}

}  // namespace tilewise::grading
