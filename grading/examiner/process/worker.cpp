#include "grading/examiner/process/worker.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
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

/// Returns the thread that ran, if the fault was in a kernel.
std::optional<ThreadOfGrid> thread_of(const Fault& fault) {
  if (fault.in_kernel == 0) return std::nullopt;
  return ThreadOfGrid{std::to_array(fault.block), std::to_array(fault.thread)};
}

/// Finds the source line of the module's instruction at which a fault occurred, or else of the call
/// that led to it.
SourceLocation locate(const Fault& fault, const std::filesystem::path& module,
                      const Sandbox& sandbox) {
  std::error_code unknown;
  const std::uintmax_t module_bytes = std::filesystem::file_size(module, unknown);
  if (unknown || fault.module_base == 0) return {};
  SourceLocation first_known;
  const auto look_up = [&](std::uint64_t address) {
    if (address < fault.module_base || address - fault.module_base >= module_bytes) return;
    const SourceLocation found = find_source_location(module, address - fault.module_base, sandbox);
    if (first_known.file.empty()) first_known = found;
  };
  look_up(fault.pc);
  for (std::uint32_t i = 0; i < fault.caller_count && first_known.file.empty(); ++i) {
    look_up(fault.callers[i] - 1);  // a return address belongs to the instruction after the call
  }
  return first_known;
}

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

struct Worker::State {
  explicit State(WorkerOptions given) : options(std::move(given)), memory(options.shared_bytes) {}

  SandboxView view() const;
  void start();
  void load();
  void part();
  CallReply exchange(double time_limit_s);
  CallReply interpret(const std::string& message);
  CallReply fail(Ending ending, const std::string& message, const SourceLocation& place = {},
                 const std::optional<ThreadOfGrid>& thread = {});
  std::string trace_text(std::size_t bytes) const;
  std::string failed_assertion(const Fault& fault) const;
  SourceLocation place_of(const Fault& fault) const;
  CallReply fail_by_end();
  CallReply fail_by_tampering(const std::string& what);
  CallReply fail_by_time();

  WorkerOptions options;
  SharedMemory memory;
  std::string token = random_token();
  std::size_t trace_begin = 0;  ///< offset in the shared memory, for the call under way
  std::uint64_t sequence = 0;
  std::optional<Connection> connection;
  bool has_warmed_up = false;  ///< the last answer said only that the warm-up is over
  Situation situation;
  std::int32_t variant = 0;  ///< set by choose_variant()
  /// Time counted while none of the student's code ran.
  Connection::Clock::duration before_loading{};
  bool started = false;  ///< the worker is past the part in which only our code runs
  DeviceInfo device;
  std::optional<CallReply> ready;
  std::optional<CallReply> failure;  ///< set once the worker is gone
};

SandboxView Worker::State::view() const {
  SandboxView view{with_libraries(options.executable)};
  view.readable.push_back(options.module);
  if (const auto catalogue = core::catalogue_file(); !catalogue.empty()) {
    view.readable.push_back(catalogue);
  }
  return view;
}

/// Ends the process.
void Worker::State::part() {
  // compute-sanitizer takes seconds to look at what it has recorded.
  constexpr std::chrono::seconds time_to_write_down(20);
  if (!options.supervisor.empty()) connection->close(time_to_write_down);
  connection->end();
}

/// Returns the kind of finding for an ending, as core::Finding names it.
std::string kind_of(Ending ending) {
  switch (ending) {
    case Ending::crashed:
      return "crash";
    case Ending::timed_out:
      return "time-out";
    case Ending::exited:
      return "exit";
    case Ending::flooded:
      return "output";
    case Ending::protocol:
    case Ending::refused:
    case Ending::returned:
      break;
  }
  return "";
}

CallReply Worker::State::fail(Ending ending, const std::string& message,
                              const SourceLocation& place,
                              const std::optional<ThreadOfGrid>& thread) {
  if (connection) part();
  CallReply reply;
  reply.ending = ending;
  reply.finding = {.kind = kind_of(ending),
                   .message = message,
                   .file = place.file,
                   .line = place.line,
                   .place = thread};
  failure = reply;
  return reply;
}

/// Returns what assert() printed before it aborted the process; empty if the process ended
/// otherwise.
std::string Worker::State::failed_assertion(const Fault& fault) const {
  constexpr std::size_t enough = 300;
  const std::string output = connection->output();
  const std::size_t at = output.find("Assertion `");
  if (fault.signal != SIGABRT || at == output.npos) return "";
  return " " + output.substr(at, std::min(output.find('\n', at) - at, enough));
}

SourceLocation Worker::State::place_of(const Fault& fault) const {
  return options.is_for_trials ? SourceLocation{} : locate(fault, options.module, options.sandbox);
}

CallReply Worker::State::fail_by_end() {
  const int status = connection->end();
  if (!started) {
    return fail(Ending::refused,
                tr("The worker {} could not start{}. It printed: {}", options.executable.string(),
                   options.sandbox ? tr(" in a sandbox that shows it its own libraries only") : "",
                   connection->output()));
  }
  if (const auto fault = connection->fault()) {
    const SourceLocation place = place_of(*fault);
    return fail(Ending::crashed,
                describe_crash(*fault, place, situation) + failed_assertion(*fault), place,
                thread_of(*fault));
  }
  return fail(WIFEXITED(status) ? Ending::exited : Ending::crashed,
              describe_end(status, situation));
}

CallReply Worker::State::fail_by_tampering(const std::string& what) {
  return fail(Ending::protocol,
              tr("The channel between the submission and the grader was tampered with: {}. "
                 "Use no file descriptor that your code did not open.",
                 what));
}

CallReply Worker::State::fail_by_time() {
  if (!options.is_for_trials) connection->interrupt();
  const auto fault = connection->fault();
  const SourceLocation place = fault ? place_of(*fault) : SourceLocation{};
  return fail(Ending::timed_out, describe_time_out(fault, place, situation), place,
              fault ? thread_of(*fault) : std::nullopt);
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
    (finding.kind == "refused" ? result.refusals : result.findings).push_back(std::move(finding));
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
      std::vector<Finding> refusals = std::move(result.refusals);
      std::string trace = std::move(result.trace);
      result = fail(Ending::crashed, result.finding.message, place);
      result.findings = failure->findings = std::move(findings);
      result.refusals = failure->refusals = std::move(refusals);
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
