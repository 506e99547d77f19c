#include "grading/examiner/calling.hpp"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/fault_advice.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/process/failures.hpp"
#include "grading/examiner/time_budget.hpp"

namespace tilewise::grading {
namespace {

// Three matrices of doubles of order 4096 with their guard bands take 432 MiB. Pages that no matrix
// reaches cost nothing.
constexpr std::size_t bytes_shared_with_worker = std::size_t{512} << 20;

TimeBudget& time_budget() { return TimeBudget::of_this_exam(); }

// Loading counts as a function, too, because the constructors of static objects may never end.
constexpr const char* loading = "loading";

CallReply used_up() {
  CallReply reply;
  reply.ending = CallReply::Ending::timed_out;
  reply.finding.kind = "time-out";
  reply.finding.message = time_budget().explanation();
  return reply;
}

// Describes a matrix as an argument, except for its place in shared memory: its image begins at 0.
BufferArgument describe(const DeviceArray& matrix, const CallManner& manner) {
  BufferArgument buffer;
  buffer.image_bytes = matrix.image_bytes();
  buffer.payload_offset = matrix.payload_offset();
  buffer.payload_bytes = matrix.payload_bytes();
  buffer.name = matrix.name();
  buffer.read_only = matrix.access() == Access::input;
  buffer.uninitialised = matrix.readable() == Readable::nothing;
  buffer.lower_triangular = matrix.readable() == Readable::lower_triangle;
  buffer.element_bytes = matrix.element_bytes();
  buffer.row_elements = static_cast<std::size_t>(matrix.leading_dimension());
  if (!manner.with_guard_bands) {
    constexpr std::size_t unit = 16;  // the largest copy of a thread; shorter than a guard band
    const std::size_t bytes = buffer.payload_bytes;
    buffer.offset = std::exchange(buffer.payload_offset, 0);
    buffer.image_bytes = manner.ends_at_a_unit ? (bytes + unit - 1) / unit * unit : bytes;
  }
  return buffer;
}

// Lays the call's matrices out in shared memory, one behind the other.
std::vector<Argument> store_arguments(const Call& call, std::span<std::byte> memory,
                                      const CallManner& manner) {
  constexpr std::size_t page = 4096;
  std::vector<Argument> arguments;
  std::size_t offset = 0;
  for (const CallArgument& given : call.arguments) {
    const auto* array = std::get_if<DeviceArray*>(&given);
    if (array == nullptr) {
      std::visit(
          [&](const auto& value) {
            if constexpr (!std::is_pointer_v<std::decay_t<decltype(value)>>) {
              arguments.emplace_back(value);
            }
          },
          given);
      continue;
    }
    const DeviceArray& matrix = **array;
    BufferArgument& buffer =
        std::get<BufferArgument>(arguments.emplace_back(describe(matrix, manner)));
    if (offset + matrix.image_bytes() > memory.size()) {
      throw std::length_error(call.text +
                              tr(": the matrices exceed the memory shared with a worker"));
    }
    matrix.store(memory.subspan(offset));
    buffer.offset += offset;
    offset += (matrix.image_bytes() + page - 1) / page * page;
  }
  return arguments;
}

void load_arguments(const Call& call, std::span<const Argument> arguments,
                    std::span<const std::byte> memory, bool with_inputs) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* array = std::get_if<DeviceArray*>(&call.arguments[i]);
    if (array == nullptr) continue;
    if ((*array)->access() == Access::input && !with_inputs) continue;
    const auto& buffer = std::get<BufferArgument>(arguments[i]);
    const std::size_t payload = buffer.offset + buffer.payload_offset;
    (*array)->load(memory.subspan(payload - (*array)->payload_offset()));
  }
}

}  // namespace

WorkerOptions worker_options(const ExaminerOptions& options) {
  time_budget().set_call_limit(options.time_limit_s);
  return {.executable = core::executable_directory() / ("tilewise-worker-" + options.backend),
          .sandbox = options.sandbox,
          .module = options.module,
          .profile = options.profile,
          .time_limit_s = options.time_limit_s * time_budget().share_of(loading),
          .shared_bytes = bytes_shared_with_worker,
          .address_space_bytes = options.on_gpu() ? 0 : simulator_address_space_bytes(),
          .cpu_s = cpu_seconds(options.time_limit_s),
          .writes_coverage = options.writes_coverage};
}

WorkerOptions checked_worker_options(const ExaminerOptions& options) {
  WorkerOptions checked = worker_options(options);
  checked.module = options.checked_module;
  return checked;
}

WorkerOptions baseline_worker_options(const ExaminerOptions& options,
                                      const std::filesystem::path& module) {
  WorkerOptions baseline = worker_options(options);
  baseline.module = module;
  baseline.sandbox = {};  // our own code; the libraries that it calls may lie anywhere
  baseline.time_limit_s = options.time_limit_s;
  return baseline;
}

const CallReply& wait_until_ready(Worker& worker) {
  static CallReply none;
  if (time_budget().is_used_up()) {
    none = used_up();
    return none;
  }
  const double before = worker.seconds_taken();
  const CallReply& reply = worker.ready();
  time_budget().note(loading, loading, reply.ending, worker.seconds_taken() - before);
  return reply;
}

CallReply call_worker(Worker& worker, const Call& call, const CallManner& manner) {
  if (!manner.is_reference && time_budget().is_used_up()) return used_up();
  const auto store = [&](const Call& stored) {
    return store_arguments(stored, worker.memory(), manner);
  };
  // Nothing has to be hidden from the reference, so it needs no other matrices to warm up with.
  const bool has_warm_up = manner.timing && manner.warm_up != nullptr && !manner.is_reference;
  const std::vector<Argument> arguments = store(has_warm_up ? *manner.warm_up : call);
  const double before = worker.seconds_taken();
  const double share = manner.is_reference ? 1 : time_budget().share_of(call.function);
  CallReply reply = worker.call(
      call.function, arguments, manner.timing, manner.watch,
      [&] {
        if (has_warm_up) store(call);
      },
      share);
  if (reply.ending == CallReply::Ending::timed_out && share < 1) {
    reply.finding.message += time_budget().why_less(call.function);
  }
  // compute-sanitizer's tools slow a kernel down at least this much.
  constexpr double times_slower = 4;
  const double seconds =
      (worker.seconds_taken() - before) / (manner.is_supervised ? times_slower : 1);
  if (manner.is_reference) {
    time_budget().note_reference(seconds);
  } else {
    time_budget().note(call.function, call.text, reply.ending, seconds);
  }
  if (reply.ending == CallReply::Ending::returned && !manner.is_reference) {
    load_arguments(call, arguments, worker.memory(), !manner.timing);
  }
  return reply;
}

Verdict no_return(const std::string& what, const CallReply& reply) {
  if (!reply.findings.empty()) return {kernel_fault(what, reply.findings)};
  const bool nobodys_code_ran = reply.ending == CallReply::Ending::refused;
  Verdict verdict{reply.finding, nobodys_code_ran ? Status::error : Status::failed};
  verdict.message = what + ": " + verdict.message;
  if (verdict.hint.empty()) verdict.hint = advise_on(verdict);
  return verdict;
}

std::optional<Verdict> failure_of(const std::string& what, const CallReply& reply) {
  if (reply.ending != CallReply::Ending::returned) return no_return(what, reply);
  if (!reply.findings.empty()) return Verdict{kernel_fault(what, reply.findings)};
  if (reply.cuda_status == cudaSuccess) return std::nullopt;
  if (reply.cuda_error_name == "cudaErrorNotSupported") {
    return Verdict{
        {.kind = "launch",
         .message =
             what + tr(" returned cudaErrorNotSupported: it calls a function of CUDA's that the "
                       "simulator has not, or not where host code runs apart from the kernels, "
                       "as it does in grading. On a GPU, it is the device that lacks it."),
         .hint = tr("The lines above that begin with \"tilewise:\" name it. cudaMalloc() and "
                    "cudaMemcpy() do for a matrix of your own.")}};
  }
  return Verdict{wrong_status(what, reply.cuda_error_name, "cudaSuccess",
                              tr("its arguments are within the contract"))};
}

namespace {

WorkerOptions options_for(const ExaminerOptions& options, const CheckPass& pass,
                          const std::filesystem::path& log) {
  if (pass.tool.empty()) return checked_worker_options(options);
  WorkerOptions supervised = worker_options(options);
  supervised.supervisor = {find_compute_sanitizer().value(),
                           "--tool",
                           pass.tool,
                           "--log-file",
                           log,
                           "--show-backtrace",
                           "no"};
  return supervised;
}

}  // namespace

std::vector<CheckPass> check_passes(const ExaminerOptions& options, Random& random) {
  if (!options.on_gpu()) {
    const auto in_order = [&](simt::ThreadOrder order) {
      return simt::Watch{.checks = true, .order = order, .seed = random()};
    };
    return {{"", in_order(simt::ThreadOrder::forward), ""},
            {tr(", threads in reverse order"), in_order(simt::ThreadOrder::reverse), ""},
            {tr(", threads in random order"), in_order(simt::ThreadOrder::shuffled), ""}};
  }
  if (!find_compute_sanitizer()) return {};
  std::vector<CheckPass> passes;
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    passes.push_back({std::string(tr(" under compute-sanitizer --tool ")) + tool, {}, tool});
  }
  return passes;
}

CheckedCalls::CheckedCalls(const ExaminerOptions& options, const CheckPass& pass)
    : pass_(pass),
      scratch_(pass.tool.empty() ? nullptr : std::make_unique<ScratchDirectory>()),
      worker_(options_for(options, pass, log())) {}

std::string CheckedCalls::obstacle() {
  const bool refused = worker_.ready().ending == CallReply::Ending::refused;
  return refused && !pass_.tool.empty() ? worker_.ready().finding.message : "";
}

std::optional<Verdict> CheckedCalls::make(const Call& call, CallReply& reply) {
  last_call_ = call.text;
  CallManner manner;
  if (pass_.tool.empty()) {
    manner.watch = pass_.watch;
  } else {
    manner.with_guard_bands = false;  // the tool would not notice what strays into them
    manner.ends_at_a_unit = pass_.lets_copies_overhang;
    manner.is_supervised = true;
  }
  reply = call_worker(worker_, call, manner);
  auto failure = failure_of(call.text + pass_.circumstances, reply);
  if (!failure) return std::nullopt;
  failure->call = call.text;
  // The log says more than that a kernel has failed.
  const auto logged = finish();
  return logged ? logged : failure;
}

std::optional<Verdict> CheckedCalls::finish() {
  if (pass_.tool.empty()) return std::nullopt;
  worker_.finish();
  std::ifstream stream(log(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto error = first_sanitizer_error(text);
  if (!error) return std::nullopt;
  may_be_short_ = may_be_short_copy(*error);
  return Verdict{sanitizer_fault(last_call_, pass_.tool, *error)};
}

}  // namespace tilewise::grading
