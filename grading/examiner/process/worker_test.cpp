#include "grading/examiner/process/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "common/base/files.hpp"
#include "common/process/process.hpp"

namespace tilewise::grading {
namespace {

using Ending = CallReply::Ending;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

constexpr std::size_t address_space_bytes = 768 * mebibyte;  // soon used up

core::GpuProfile profile() {
  core::GpuProfile profile;
  profile.id = "test";
  profile.name = "test GPU";
  profile.compute_major = 6;
  profile.compute_minor = 1;
  profile.sms = 2;
  profile.clock_mhz = 1000;
  profile.l2_bytes = mebibyte;
  profile.shared_bytes_per_sm = 96 << 10;
  profile.shared_bytes_per_block = 48 << 10;
  profile.registers_per_sm = 65536;
  profile.threads_per_sm = 2048;
  profile.warps_per_sm = 64;
  profile.blocks_per_sm = 32;
  profile.threads_per_block = 1024;
  profile.banks = 32;
  return profile;
}

constexpr double short_limit_s =
    0.5;  // only for calls that reach it, so a loaded machine breaks no other test

WorkerOptions options_for(const std::string& fixture) {
  WorkerOptions options;
  options.executable = core::executable_directory() / "../bin/tilewise-worker-simt";
  options.module = core::executable_directory() / (fixture + ".so");
  options.profile = profile();
  options.shared_bytes = 64 << 10;
  options.address_space_bytes = address_space_bytes;
  options.output_bytes = 100'000;
  return options;
}

Worker misbehaving_worker() { return Worker(options_for("fixture_misbehaving")); }

const Sandbox& sandbox() {
  static const Sandbox found = find_sandbox().sandbox;
  return found;
}

WorkerOptions options_for(const std::string& fixture, Ending expected) {
  WorkerOptions options = options_for(fixture);
  if (expected == Ending::timed_out) options.time_limit_s = short_limit_s;
  return options;
}

/// Places `values` at `offset` of shared memory, as an image without guard bands.
BufferArgument place(Worker& worker, std::size_t offset, const std::vector<float>& values,
                     const std::string& name) {
  const std::size_t bytes = values.size() * sizeof(float);
  std::memcpy(worker.memory().data() + offset, values.data(), bytes);
  BufferArgument buffer;
  buffer.offset = offset;
  buffer.image_bytes = buffer.payload_bytes = bytes;
  buffer.name = name;
  return buffer;
}

std::vector<float> values_at(Worker& worker, std::size_t offset, std::size_t count) {
  std::vector<float> values(count);
  std::memcpy(values.data(), worker.memory().data() + offset, count * sizeof(float));
  return values;
}

TEST(Worker, CallsAFunctionAndBringsItsOutputsBack) {
  Worker worker = misbehaving_worker();
  ASSERT_EQ(worker.ready().ending, Ending::returned) << worker.ready().finding.message;
  EXPECT_EQ(worker.device().name, "test GPU");
  BufferArgument in = place(worker, 0, {1, 2, 3}, "in");
  in.read_only = true;
  BufferArgument out = place(worker, 1024, {9, 9, 9, 9, 9}, "out");
  out.payload_offset = sizeof(float);  // a guard element on either side
  out.payload_bytes -= 2 * sizeof(float);

  const CallReply reply = worker.call(
      "scale",
      std::vector<Argument>{in, out, std::int64_t{3}, 0.5, std::array<unsigned, 3>{2, 1, 1}});

  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_EQ(reply.cuda_status, 0);
  EXPECT_EQ(reply.cuda_error_name, "cudaSuccess");
  EXPECT_THAT(values_at(worker, 1024, 5), ElementsAre(9, 0.5, 1, 1.5, 9));
  EXPECT_EQ(reply.launches, 1);
  ASSERT_THAT(reply.launch_list, SizeIs(1));
  EXPECT_EQ(reply.launch_list[0].kernel, "scale_kernel");
  EXPECT_THAT(reply.launch_list[0].grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(reply.launch_list[0].block, ElementsAre(2, 1, 1));
  EXPECT_THAT(reply.times_ms, IsEmpty());
}

TEST(Worker, HandsOverNumbersThatJsonCannotHold) {
  Worker worker = misbehaving_worker();
  const BufferArgument in = place(worker, 0, {1}, "in");
  const BufferArgument out = place(worker, 1024, {9}, "out");
  const CallReply reply =
      worker.call("scale", std::vector<Argument>{in, out, std::int64_t{1},
                                                 -std::numeric_limits<double>::infinity(),
                                                 std::array<unsigned, 3>{1, 1, 1}});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_EQ(values_at(worker, 1024, 1)[0], -std::numeric_limits<float>::infinity());
}

TEST(Worker, ReportsTheStatusThatTheFunctionReturned) {
  Worker worker = misbehaving_worker();
  const CallReply reply = worker.call("refuse", {});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_EQ(reply.cuda_status, 1);
  EXPECT_EQ(reply.cuda_error_name, "cudaErrorInvalidValue");
  EXPECT_EQ(reply.launches, 0);
}

TEST(Worker, StartsEveryTimedRunFromTheSameOutputs) {
  Worker worker = misbehaving_worker();
  const BufferArgument total = place(worker, 0, {10}, "total");
  const CallReply reply = worker.call("accumulate", std::vector<Argument>{total},
                                      Timing{.warmups = 2, .repetitions = 5});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_THAT(reply.times_ms, AllOf(SizeIs(5), Each(Ge(0))));
  EXPECT_EQ(values_at(worker, 0, 1)[0], 11);
  EXPECT_EQ(reply.launches, 1);
}

TEST(Worker, TimesSeveralCallsAsOne) {
  Worker worker = misbehaving_worker();
  const BufferArgument total = place(worker, 0, {10}, "total");
  const CallReply reply = worker.call("accumulate", std::vector<Argument>{total},
                                      Timing{.warmups = 1, .repetitions = 1, .calls = 10});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_THAT(reply.times_ms, SizeIs(1));
  EXPECT_EQ(values_at(worker, 0, 1)[0], 20);
  EXPECT_EQ(reply.launches, 10);
}

TEST(Worker, KnowsTimedMatricesOnceItHasWarmedUp) {
  Worker worker = misbehaving_worker();
  std::vector<float> values(40), others(40);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = float(i);
    others[i] = -float(i);
  }
  BufferArgument in = place(worker, 0, others, "in");
  in.read_only = true;
  in.element_bytes = sizeof(float);
  const BufferArgument times = place(worker, 1024, {7}, "times");
  int handed_over = 0;
  const CallReply reply = worker.call(
      "know_again", std::vector<Argument>{in, times, static_cast<std::int64_t>(values.size())},
      Timing{.warmups = 2, .repetitions = 3}, {}, [&] {
        ++handed_over;
        place(worker, 0, values, "in");
        place(worker, 1024, {0}, "times");
      });
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_EQ(handed_over, 1);
  EXPECT_EQ(values_at(worker, 1024, 1)[0], 2) << "of the three timed ones, two came before";
  EXPECT_EQ(values_at(worker, 0, values.size()), values);
  EXPECT_EQ(reply.bytes_for_the_host, values.size() * sizeof(float));
}

// A launch that a thread of host code asks for in the meantime waits for the next call.
TEST(Worker, LaunchesNothingBetweenWarmUpAndTimedRun) {
  Worker worker = misbehaving_worker();
  std::string printed_before;
  const CallReply reply =
      worker.call("launch_afterwards", {}, Timing{.warmups = 1, .repetitions = 1}, {}, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        printed_before = worker.output();
      });
  EXPECT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_THAT(printed_before, Not(HasSubstr("launched by now")));
}

TEST(Worker, BlamesTheSubmissionForWhatFailsBetweenCalls) {
  Worker worker = misbehaving_worker();
  ASSERT_EQ(worker.call("fail_afterwards", {}).ending, Ending::returned);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // until it waits for the next call
  const CallReply reply =
      worker.call("accumulate", std::vector<Argument>{place(worker, 0, {10}, "total")});
  EXPECT_EQ(reply.ending, Ending::crashed);
  EXPECT_THAT(reply.finding.message, HasSubstr("a kernel launches another kernel"));
}

TEST(Worker, ServesManyCallsWithBuffersOfChangingSizes) {
  Worker worker = misbehaving_worker();
  for (const std::size_t n : {1, 7, 7, 300, 7, 1}) {
    const BufferArgument in = place(worker, 0, std::vector<float>(n, 2), "in");
    const BufferArgument out = place(worker, 8192, std::vector<float>(n, NAN), "out");
    const CallReply reply =
        worker.call("scale", std::vector<Argument>{in, out, static_cast<std::int64_t>(n), 3.0,
                                                   std::array<unsigned, 3>{32, 1, 1}});
    ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
    EXPECT_THAT(values_at(worker, 8192, n), Each(6)) << "n = " << n;
  }
}

TEST(Worker, CopiesNothingOfAMatrixOnTheDeviceOnly) {
  Worker worker = misbehaving_worker();
  BufferArgument total = place(worker, 0, {10}, "total");
  total.device_only = true;
  EXPECT_EQ(worker.call("accumulate", std::vector<Argument>{total}).ending, Ending::returned);
  EXPECT_EQ(values_at(worker, 0, 1)[0], 10);
  total.offset = 1 << 30;  // outside of the shared memory, which is not looked at
  EXPECT_EQ(worker.call("accumulate", std::vector<Argument>{total}).ending, Ending::returned);
}

/// Calls scale() for `n` elements in blocks of 32, with matrices of 40 elements.
CallReply watched_call(Worker& worker, int n, const simt::Watch& watch) {
  BufferArgument in = place(worker, 0, std::vector<float>(40, 1), "in");
  in.read_only = true;
  BufferArgument out = place(worker, 1024, std::vector<float>(40, 0), "out");
  for (BufferArgument* buffer : {&in, &out}) buffer->element_bytes = sizeof(float);
  return worker.call(
      "scale",
      std::vector<Argument>{in, out, std::int64_t{n}, 2.0, std::array<unsigned, 3>{32, 1, 1}}, {},
      watch);
}

TEST(Worker, CountsWhatKernelsOfTheCheckedBuildDo) {
  WorkerOptions options = options_for("fixture_checked");
  options.address_space_bytes = simulator_address_space_bytes();
  Worker worker(options);
  const CallReply reply = watched_call(worker, 40, {.counters = true});
  ASSERT_EQ(reply.ending, Ending::returned) << reply.finding.message;
  EXPECT_THAT(reply.findings, IsEmpty());
  ASSERT_THAT(reply.profiles, SizeIs(1));
  const KernelProfile& profile = reply.profiles[0];
  EXPECT_EQ(profile.launch.kernel, "scale_kernel");
  EXPECT_EQ(profile.blocks, 2u);
  EXPECT_EQ(profile.simulated_blocks, 2u);
  EXPECT_EQ(profile.counters.global_load_requests, 2u);
  EXPECT_EQ(profile.counters.global_load_sectors, 5u) << "32 floats, then 8";
  EXPECT_EQ(profile.counters.global_store_bytes, 160u);
  EXPECT_THAT(profile.lines, Not(IsEmpty()));
  EXPECT_THAT(watched_call(worker, 40, {}).profiles, IsEmpty()) << "nobody asked";
}

TEST(Worker, FindsFaultsInTheCheckedBuild) {
  WorkerOptions options = options_for("fixture_checked");
  options.address_space_bytes = simulator_address_space_bytes();
  Worker worker(options);
  EXPECT_THAT(watched_call(worker, 40, {.checks = true}).findings, IsEmpty());
  const CallReply reply = watched_call(worker, 41, {.checks = true});
  ASSERT_THAT(reply.findings, Not(IsEmpty()));
  EXPECT_EQ(reply.findings[0].kind, "out-of-bounds");
  EXPECT_THAT(reply.findings[0].message, HasSubstr("in"));
}

TEST(Worker, OutlivesKernelsThatFailWhereItIsForTrials) {
  constexpr int far_off = 100000;  // where nothing is allocated
  for (const bool is_for_trials : {true, false}) {
    WorkerOptions options = options_for("fixture_checked");
    options.address_space_bytes = simulator_address_space_bytes();
    options.is_for_trials = is_for_trials;
    Worker worker(options);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(watched_call(worker, far_off, {.checks = true}).ending, Ending::crashed);
      EXPECT_EQ(worker.has_ended(), !is_for_trials);
      const CallReply reply = watched_call(worker, 40, {.checks = true});
      EXPECT_EQ(reply.ending, is_for_trials ? Ending::returned : Ending::crashed);
      if (!is_for_trials) continue;
      EXPECT_THAT(reply.findings, IsEmpty());
      EXPECT_THAT(values_at(worker, 1024, 40), Each(2.0F));
    }
  }
}

TEST(Worker, GivesItsSupervisorTimeToWriteDownWhatItSaw) {
  const std::string log = testing::TempDir() + "supervisor_log";
  std::remove(log.c_str());
  WorkerOptions options = options_for("fixture_misbehaving");
  options.supervisor = {"/bin/sh", "-c", "\"$0\"; sleep 0.5; echo seen >" + log};
  Worker worker(options);
  EXPECT_EQ(worker.call("refuse", {}).ending, Ending::returned);
  worker.finish();
  std::string seen;
  std::ifstream(log) >> seen;
  EXPECT_EQ(seen, "seen");
  EXPECT_EQ(worker.call("refuse", {}).ending, Ending::refused) << "it is gone";
}

TEST(Worker, KeepsWhatTheSubmissionPrints) {
  Worker worker = misbehaving_worker();
  EXPECT_EQ(worker.call("print_line", {}).ending, Ending::returned);
  EXPECT_EQ(worker.output(), "hello from the submission\nno end of line");
}

TEST(Worker, RunsOnAfterACallThatWasRefused) {
  Worker worker = misbehaving_worker();
  EXPECT_EQ(worker.call("no_such_function", {}).ending, Ending::refused);
  EXPECT_EQ(worker.call("refuse", {}).ending, Ending::returned);
}

TEST(Worker, RepeatsTheReasonOnceTheProcessIsGone) {
  Worker worker = misbehaving_worker();
  const CallReply first = worker.call("call_abort", {});
  const CallReply second = worker.call("refuse", {});
  EXPECT_EQ(first.ending, Ending::crashed);
  EXPECT_EQ(second.ending, Ending::crashed);
  EXPECT_EQ(second.finding.message, first.finding.message);
}

struct Misconduct {
  std::string function;
  Ending ending;
  std::string message;
};

void PrintTo(const Misconduct& misconduct, std::ostream* out) { *out << misconduct.function; }

void expect_survival(const Misconduct& misconduct, const Sandbox& sandbox) {
  WorkerOptions options = options_for("fixture_misbehaving", misconduct.ending);
  options.sandbox = sandbox;
  Worker worker(options);
  ASSERT_EQ(worker.ready().ending, Ending::returned) << worker.ready().finding.message;
  const BufferArgument data = place(worker, 0, std::vector<float>(1024), "data");
  std::vector<Argument> arguments;
  if (misconduct.function.ends_with("device_pointer")) arguments.push_back(data);

  const CallReply reply = worker.call(misconduct.function, arguments);

  EXPECT_EQ(reply.ending, misconduct.ending) << reply.finding.message;
  EXPECT_THAT(reply.finding.message, HasSubstr(misconduct.message));
  EXPECT_EQ(reply.finding.place.has_value(),
            reply.finding.message.find("in kernel") != std::string::npos);
}

class SurvivesCall : public testing::TestWithParam<Misconduct> {};

TEST_P(SurvivesCall, AndSaysWhatHappened) { expect_survival(GetParam(), {}); }

TEST_P(SurvivesCall, AndSaysTheSameFromASandbox) {
  if (!sandbox()) GTEST_SKIP() << find_sandbox().why_not;
  expect_survival(GetParam(), sandbox());
}

INSTANTIATE_TEST_SUITE_P(
    All, SurvivesCall,
    testing::Values(
        Misconduct{"use_null_pointer", Ending::crashed, "null pointer"},
        Misconduct{"use_null_pointer", Ending::crashed, "at submission.cu:101"},
        Misconduct{"use_device_pointer", Ending::crashed,
                   "host code dereferenced a device pointer"},
        Misconduct{"use_device_pointer", Ending::crashed, "at submission.cu:102"},
        Misconduct{"copy_device_pointer", Ending::crashed, "at submission.cu:103"},
        Misconduct{"use_null_pointer_in_kernel", Ending::crashed,
                   "in kernel add_one_kernel, block (0, 0, 0), thread (0, 0, 0) at "
                   "submission.cu:107"},
        Misconduct{"overflow_stack", Ending::crashed, "recursion without end"},
        Misconduct{"call_abort", Ending::crashed, "abort (SIGABRT) at submission.cu:104"},
        Misconduct{"call_exit", Ending::exited, "exit status 0"},
        Misconduct{"leave_child_behind", Ending::exited, "exit status 9"},
        Misconduct{"kill_itself", Ending::crashed, "was killed"},
        Misconduct{"throw_exception", Ending::crashed, "threw an exception: no idea"},
        Misconduct{"throw_integer", Ending::crashed, "abort (SIGABRT)"},
        Misconduct{"loop_on_host", Ending::timed_out,
                   "still running after 0.5 s at submission.cu:105"},
        Misconduct{"loop_in_kernel", Ending::timed_out, "in kernel endless_kernel, block ("},
        Misconduct{"loop_in_kernel", Ending::timed_out, "at submission.cu:106"},
        Misconduct{"ignore_time_limit", Ending::timed_out,
                   "does a loop, this one or one around it, ever end?"},
        Misconduct{"print_without_end", Ending::flooded, "more than 100000 bytes"},
        Misconduct{"write_to_every_descriptor", Ending::protocol, "tampered"},
        Misconduct{"forge_reply", Ending::protocol, "forged"},
        Misconduct{"forge_fault", Ending::crashed, "forge_fault crashed: abort (SIGABRT)"},
        Misconduct{"announce_huge_message", Ending::timed_out, "still running"},
        Misconduct{"close_every_descriptor", Ending::protocol, "was closed"},
        Misconduct{"no_such_function", Ending::refused, "no function no_such_function; it has"},
        Misconduct{"scale", Ending::refused, "wrong number of arguments"}));

class SurvivesShortageOfMemory : public testing::TestWithParam<Misconduct> {};

TEST_P(SurvivesShortageOfMemory, AndSaysWhatHappened) {
  if (!can_limit_address_space) GTEST_SKIP() << "a sanitizer needs more addresses than the limit";
  expect_survival(GetParam(), {});
}

INSTANTIATE_TEST_SUITE_P(
    All, SurvivesShortageOfMemory,
    testing::Values(Misconduct{"allocate_without_end", Ending::crashed, "run out of memory"},
                    Misconduct{"grow_vector_without_end", Ending::crashed, "ran out of memory"}));

class SurvivesLoading : public testing::TestWithParam<Misconduct> {};

TEST_P(SurvivesLoading, AndSaysWhatHappened) {
  Worker worker(options_for(GetParam().function, GetParam().ending));
  EXPECT_EQ(worker.ready().ending, GetParam().ending) << worker.ready().finding.message;
  EXPECT_THAT(worker.ready().finding.message, HasSubstr(GetParam().message));
  EXPECT_EQ(worker.call("refuse", {}).ending, GetParam().ending);
}

INSTANTIATE_TEST_SUITE_P(
    All, SurvivesLoading,
    testing::Values(
        Misconduct{"fixture_well_loaded", Ending::returned, ""},
        Misconduct{"fixture_exit_on_load", Ending::exited,
                   "exit called while the module was loading"},
        Misconduct{"fixture_loop_on_load", Ending::timed_out, "while the module was loading"},
        Misconduct{"fixture_crash_on_load", Ending::crashed, "while the module was loading"},
        Misconduct{"fixture_without_bindings", Ending::refused, "no bindings"},
        Misconduct{"no_such_file", Ending::refused, "cannot load the module"}));

TEST(Worker, ThatCannotBeExecutedIsRefused) {
  WorkerOptions options = options_for("fixture_misbehaving");
  options.executable = "/nonexistent/worker";
  Worker worker(options);
  EXPECT_EQ(worker.ready().ending, Ending::refused);
  EXPECT_THAT(worker.ready().finding.message, HasSubstr("cannot execute /nonexistent/worker"));
}

TEST(Worker, ThatIsNoWorkerIsRefused) {
  WorkerOptions options = options_for("fixture_misbehaving");
  options.executable = "/bin/false";
  Worker worker(options);
  EXPECT_EQ(worker.ready().ending, Ending::refused);
  EXPECT_THAT(worker.ready().finding.message, HasSubstr("could not start"));
}

struct Misplaced {
  const char* name;
  std::size_t offset, image_bytes, payload_offset, payload_bytes;
};

class RefusesBuffer : public testing::TestWithParam<Misplaced> {};

TEST_P(RefusesBuffer, OutsideOfItsBounds) {
  Worker worker = misbehaving_worker();
  BufferArgument buffer;
  buffer.offset = GetParam().offset;
  buffer.image_bytes = GetParam().image_bytes;
  buffer.payload_offset = GetParam().payload_offset;
  buffer.payload_bytes = GetParam().payload_bytes;
  buffer.name = "total";
  const CallReply reply = worker.call("accumulate", std::vector<Argument>{buffer});
  EXPECT_EQ(reply.ending, Ending::refused);
  EXPECT_THAT(reply.finding.message, HasSubstr("matrix total"));
}

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
INSTANTIATE_TEST_SUITE_P(All, RefusesBuffer,
                         testing::Values(Misplaced{"offset", huge, 4, 0, 4},
                                         Misplaced{"image", 65'536, 4, 0, 4},
                                         Misplaced{"wrap", 8, huge - 4, 0, 4},
                                         Misplaced{"payload", 0, 4, 4, 4},
                                         Misplaced{"payload_offset", 0, 4, huge, 4}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tilewise::grading
