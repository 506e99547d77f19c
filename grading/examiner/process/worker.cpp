#include "grading/examiner/process/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/process/process.hpp"
#include "grading/examiner/process/connection.hpp"
#include "grading/examiner/process/failures.hpp"
#include "grading/examiner/process/worker_state.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

using Clock = Connection::Clock;
using Ending = CallReply::Ending;

/// The environment variables that a worker and the CUDA driver in it need. Others may hold secrets,
/// such as the seed or credentials of the machine that grades.
const std::vector<std::string> kept_variables = {"PATH",
                                                 "HOME",
                                                 "LD_LIBRARY_PATH",
                                                 "CUDA_VISIBLE_DEVICES",
                                                 "CUDA_DEVICE_ORDER",
                                                 "CUDA_CACHE_PATH",
                                                 "ASAN_OPTIONS",
                                                 "UBSAN_OPTIONS"};

std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The most threads that a worker may have. Its own and those of a CUDA driver, which has some for
/// each GPU, are a few dozen. No limit of the system counts the threads of a single process, or
/// those of root.
constexpr std::size_t most_threads = 512;

/// The number of threads that the simulator runs blocks on.
std::size_t simulator_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 16U); }

}  // namespace

std::size_t simulator_address_space_bytes() {
  // The simulator reserves 4 GiB of addresses for device memory and, for each of the threads that
  // it runs blocks on, a GiB for stacks, shared memory and the allocator. The other 4 GiB are for
  // the memory shared with the examiner and the student's own allocations.
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  return 8 * gibibyte + simulator_threads() * gibibyte;
}

std::size_t cpu_seconds(double time_limit_s) {
  // A test makes a dozen calls, few of which come near the time limit.
  constexpr double start_s = 60, calls = 20;
  const double per_call = time_limit_s * static_cast<double>(1 + simulator_threads());
  return static_cast<std::size_t>(start_s + calls * per_call);
}

Worker::State::State(WorkerOptions given)
    : options(std::move(given)), memory(options.shared_bytes), token(random_token()) {}

SandboxView Worker::State::view() const {
  SandboxView view{with_libraries(options.executable)};
  view.readable.push_back(options.module);
  if (const auto catalogue = core::catalogue_file(); !catalogue.empty()) {
    view.readable.push_back(catalogue);
  }
  return view;
}

/// Returns the worker's trace; empty if the shared memory has no room for that many bytes.
std::string Worker::State::trace_text(std::size_t bytes) const {
  const auto shared = memory.bytes().first(options.shared_bytes);
  if (trace_begin > shared.size() || bytes > shared.size() - trace_begin) return "";
  const auto text = shared.subspan(trace_begin, bytes);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

CallReply Worker::State::interpret(const std::string& message) {
  std::string problem;
  auto reply = decode_reply(message, token, sequence++, problem);
  if (!reply) return fail_by_tampering(tr("a message is not the worker's: ") + problem);

  CallReply result;
  for (Finding& finding : reply->findings) {
    const bool only_explains = finding.kind == "refused" || finding.kind == "lost-shuffle";
    (only_explains ? result.explanations : result.findings).push_back(std::move(finding));
  }
  result.trace = trace_text(reply->trace_bytes);
  result.finding.message = reply->message;
  has_warmed_up = reply->kind == WorkerReply::Kind::warmed_up;
  switch (reply->kind) {
    case WorkerReply::Kind::kernel_failed:
      if (options.is_for_trials) {
        result.ending = Ending::crashed;
        return result;
      }
      [[fallthrough]];
    case WorkerReply::Kind::failed: {
      SourceLocation place;
      if (!result.findings.empty()) {
        const Finding& first = result.findings.front();
        place = {first.file, first.line};
        result.finding.message = first.message;
      }
      std::vector<Finding> findings = std::move(result.findings);
      std::vector<Finding> explanations = std::move(result.explanations);
      std::string trace = std::move(result.trace);
      result = fail(Ending::crashed, result.finding.message, place);
      result.findings = failure->findings = std::move(findings);
      result.explanations = failure->explanations = std::move(explanations);
      result.trace = std::move(trace);
      return result;
    }
    case WorkerReply::Kind::refused:
      result.ending = Ending::refused;
      return result;
    case WorkerReply::Kind::tampered:
      return fail_by_tampering(reply->message);
    case WorkerReply::Kind::started:
      device = reply->device;
      break;
    case WorkerReply::Kind::loaded:
    case WorkerReply::Kind::warmed_up:
    case WorkerReply::Kind::returned:
      break;
  }
  result.ending = Ending::returned;
  result.cuda_status = reply->status;
  result.cuda_error_name = std::move(reply->status_name);
  result.launches = reply->launches;
  result.launch_list = std::move(reply->launch_list);
  result.bytes_for_the_host = reply->bytes_for_the_host;
  result.loaded_libraries = std::move(reply->loaded_libraries);
  result.profiles = std::move(reply->profiles);
  result.times_ms = std::move(reply->times_ms);
  result.copies_ms = reply->copies_ms;
  return result;
}

/// Waits for the answer to what has been sent.
CallReply Worker::State::exchange(double time_limit_s) {
  situation.time_limit_s = time_limit_s;
  std::string message;
  switch (connection->wait(after(time_limit_s), message)) {
    case Event::message:
      return interpret(message);
    case Event::ended:
      return fail_by_end();
    case Event::closed:
      return fail_by_tampering(tr("it was closed"));
    case Event::garbled:
      return fail_by_tampering(tr("what came over it is no message"));
    case Event::flooded:
      return fail(Ending::flooded,
                  tr("The submission printed more than {} bytes and was stopped. Remove "
                     "printf calls from its loops and kernels.",
                     options.output_bytes));
    case Event::crowded:
      return fail(Ending::flooded,
                  tr("The submission runs more than {} threads at once and was stopped. "
                     "Join the threads that host code starts.",
                     most_threads));
    case Event::late:
      break;
  }
  return fail_by_time();
}

void Worker::State::start() {
  situation.address_space_bytes = can_limit_address_space ? options.address_space_bytes : 0;
  constexpr std::size_t open_files = 1024;  // the CUDA driver opens a few dozen for each GPU
  Program program{.arguments = options.supervisor,
                  .environment = {with_large_pages,
                                  {core::catalogue_variable, core::catalogue_file().string()}},
                  .inherits = kept_variables,
                  .limits = {.address_space_bytes = situation.address_space_bytes,
                             .file_bytes = largest_file_bytes,
                             .open_files = open_files,
                             .cpu_s = options.cpu_s}};
  program.arguments.push_back(options.executable);
  // compute-sanitizer cannot run in the sandbox: it writes files where it is told to, and talks to
  // the program through /tmp.
  if (options.sandbox && options.supervisor.empty()) {
    program.sandbox = options.sandbox;
    program.view = view();
  }
  try {
    connection.emplace(ConnectionOptions{.program = std::move(program),
                                         .memory_fd = memory.fd(),
                                         .output_bytes = options.output_bytes,
                                         .threads = most_threads});
  } catch (const std::system_error& error) {
    ready = fail(Ending::refused, tr("The worker could not start: {}", error.what()));
    return;
  }
  // If this fails, the process has ended, which the wait for its answer will notice.
  connection->send(
      encode(Hello{token, options.module.string(), options.profile, options.writes_coverage}));
}

void Worker::State::load() {
  // No code of the student's runs in this time; the CUDA driver takes seconds on a large machine.
  constexpr double start_limit_s = 60;
  ready = exchange(start_limit_s);
  if (ready->ending != Ending::returned) return;
  started = true;
  before_loading = connection->counted();
  ready = exchange(options.time_limit_s);
}

Worker::Worker(WorkerOptions options) : state_(std::make_unique<State>(std::move(options))) {
  state_->start();
}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

const CallReply& Worker::ready() {
  if (!state_->ready) state_->load();
  return *state_->ready;
}

const DeviceInfo& Worker::device() const { return state_->device; }

std::span<std::byte> Worker::memory() {
  return state_->memory.bytes().first(state_->options.shared_bytes);
}

CallReply Worker::call(const std::string& function, std::span<const Argument> arguments,
                       std::optional<Timing> timing, std::optional<simt::Watch> watch,
                       const std::function<void()>& hand_over, double share_of_time) {
  const double time_limit_s = share_of_time * state_->options.time_limit_s;
  if (ready().ending != Ending::returned) return *state_->ready;
  if (state_->failure) return *state_->failure;
  state_->situation.function = function;
  state_->trace_begin = trace_offset(arguments);
  state_->connection->send(encode(
      CallRequest{function, {arguments.begin(), arguments.end()}, timing, watch, state_->variant}));
  CallReply reply = state_->exchange(time_limit_s);
  if (timing && state_->has_warmed_up) {
    if (hand_over) hand_over();
    state_->connection->send(std::string(inputs_are_there));
    reply = state_->exchange(time_limit_s);
  }
  if (reply.ending == Ending::returned && state_->has_warmed_up) {
    return state_->fail_by_tampering(tr("an answer is out of turn"));
  }
  const bool complete = !timing || reply.cuda_status != 0 ||
                        reply.times_ms.size() == static_cast<std::size_t>(timing->repetitions);
  if (reply.ending == Ending::returned && !complete) {
    return state_->fail_by_tampering(tr("a time is missing"));
  }
  return reply;
}

void Worker::choose_variant(std::int32_t variant) { state_->variant = variant; }

bool Worker::has_ended() const { return state_->failure.has_value(); }

double Worker::seconds_taken() const {
  if (!state_->started) return 0;
  const auto taken = state_->connection->counted() - state_->before_loading;
  return std::chrono::duration<double>(taken).count();
}

void Worker::finish() {
  if (state_->failure) return;
  CallReply gone;
  gone.finding.message = tr("the worker has been ended.");
  state_->failure = gone;
  if (state_->connection) state_->part();
}

std::string Worker::output() const {
  return state_->connection ? state_->connection->output() : "";
}

}  // namespace tilewise::grading
