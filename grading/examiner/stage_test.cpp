#include "grading/examiner/stage_test.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>

#include "common/core/paths.hpp"
#include "grading/examiner/events.hpp"
#include "grading/examiner/messages.hpp"

namespace tilewise::grading {
namespace {

ExaminerOptions& configured() {
  static ExaminerOptions options;
  return options;
}

// Three matrices of order 4096 with their guard bands take 216 MiB. Pages that no matrix reaches
// cost nothing.
constexpr std::size_t shared_bytes = std::size_t{256} << 20;

// The simulator reserves 4 GiB of addresses for device memory and, for each of up to 16 threads
// that it runs blocks on, half a GiB for stacks, shared memory and the allocator. The other 4 GiB
// are for the memory shared with the examiner and the student's own allocations.
std::size_t simulator_address_space_bytes() {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
  return 8 * gibibyte + threads * gibibyte / 2;
}

WorkerOptions worker_options() {
  const ExaminerOptions& options = configured();
  return {.executable = core::executable_directory() / ("tilewise-worker-" + options.backend),
          .module = options.module,
          .profile = options.profile,
          .time_limit_s = options.time_limit_s,
          .shared_bytes = shared_bytes,
          .address_space_bytes = options.on_gpu() ? 0 : simulator_address_space_bytes()};
}

// Lays the call's matrices out in shared memory, one behind the other.
std::vector<Argument> store_arguments(const Call& call, std::span<std::byte> memory) {
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
    if (offset + matrix.image_bytes() > memory.size()) {
      throw std::length_error(call.text + ": the matrices exceed the memory shared with a worker");
    }
    matrix.store(memory.subspan(offset));
    arguments.emplace_back(BufferArgument{.offset = offset,
                                          .image_bytes = matrix.image_bytes(),
                                          .payload_offset = matrix.payload_offset(),
                                          .payload_bytes = matrix.payload_bytes(),
                                          .name = matrix.name(),
                                          .read_only = matrix.access() == Access::input});
    offset += (matrix.image_bytes() + page - 1) / page * page;
  }
  return arguments;
}

void load_arguments(const Call& call, std::span<const Argument> arguments,
                    std::span<const std::byte> memory) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* array = std::get_if<DeviceArray*>(&call.arguments[i]);
    if (array == nullptr) continue;
    (*array)->load(memory.subspan(std::get<BufferArgument>(arguments[i]).offset));
  }
}

CallReply call_worker(Worker& worker, const Call& call, std::optional<Timing> timing) {
  const std::vector<Argument> arguments = store_arguments(call, worker.memory());
  CallReply reply = worker.call(call.function, arguments, timing);
  if (reply.outcome == CallReply::Outcome::returned) {
    load_arguments(call, arguments, worker.memory());
  }
  return reply;
}

// What happened instead of a return; the process that went wrong has put it into words.
Finding no_return(const std::string& what, const CallReply& reply) {
  if (!reply.diagnostics.empty()) return kernel_fault(what, reply.diagnostics.front());
  const bool nobodys_code_ran = reply.outcome == CallReply::Outcome::refused;
  return {.message = what + ": " + reply.message,
          .file = reply.file,
          .line = reply.line,
          .status = nobodys_code_ran ? Status::error : Status::failed};
}

}  // namespace

void StageTest::configure(ExaminerOptions options) { configured() = std::move(options); }

const ExaminerOptions& StageTest::options() { return configured(); }

int StageTest::threads_per_block() {
  // Every card that the cuda backend can be built for.
  constexpr int on_any_real_gpu = 1024;
  return options().on_gpu() ? on_any_real_gpu : options().profile.threads_per_block;
}

void StageTest::SetUp() {
  random_ = seeded_random(options().seed,
                          full_name(*testing::UnitTest::GetInstance()->current_test_info()));
  worker_.emplace(worker_options());
  if (worker_->ready().outcome != CallReply::Outcome::returned) {
    fail(no_return("Loading the submission", worker_->ready()));
  }
}

void StageTest::TearDown() {
  if (worker_) record_output(worker_->output());
}

CallReply StageTest::run(const Call& call, std::optional<Timing> timing) {
  CallReply reply = call_worker(*worker_, call, timing);
  ++calls_made_;
  if (reply.outcome != CallReply::Outcome::returned) fail(no_return(call.text, reply));
  return reply;
}

CallReply StageTest::run_successfully(const Call& call, std::optional<Timing> timing) {
  CallReply reply = run(call, timing);
  if (!reply.diagnostics.empty()) fail(kernel_fault(call.text, reply.diagnostics.front()));
  if (reply.cuda_status != cudaSuccess) {
    fail(wrong_status(call.text, reply.cuda_error_name, "cudaSuccess",
                      "its arguments are within the contract"));
  }
  return reply;
}

std::optional<CallReply> StageTest::run_in_fresh_worker(const Call& call) {
  Worker worker(worker_options());
  if (worker.ready().outcome != CallReply::Outcome::returned) return std::nullopt;
  CallReply reply = call_worker(worker, call, std::nullopt);
  if (reply.outcome != CallReply::Outcome::returned || reply.cuda_status != cudaSuccess) {
    return std::nullopt;
  }
  return reply;
}

void StageTest::fail(const Finding& finding) {
  record_finding(finding);
  [&] { FAIL() << finding.message << "\n" << finding.hint; }();
  // Ends the test from any depth. GoogleTest takes this exception for a failure reported already.
  throw testing::AssertionException(testing::TestPartResult(testing::TestPartResult::kFatalFailure,
                                                            nullptr, -1, finding.message.c_str()));
}

}  // namespace tilewise::grading
