#include "grading/worker/session.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "common/cuda/call_timer.hpp"
#include "common/cuda/device_buffer.hpp"
#include "grading/worker/backend.hpp"
#include "grading/worker/fault_report.hpp"

namespace tilewise::grading {
namespace {

WorkerReply without_result(WorkerReply::Kind kind, const std::string& message) {
  WorkerReply reply;
  reply.kind = kind;
  reply.message = message;
  return reply;
}

WorkerReply refused(const std::string& message) {
  return without_result(WorkerReply::Kind::refused, message);
}

WorkerReply failed(const std::string& message) {
  WorkerReply reply = without_result(WorkerReply::Kind::failed, message);
  reply.findings = take_findings();
  return reply;
}

/// @return why the argument's ranges are impossible; empty if they are possible.
std::string range_problem(const BufferArgument& buffer, std::size_t memory_bytes) {
  const bool fits =
      buffer.offset <= memory_bytes && buffer.image_bytes <= memory_bytes - buffer.offset;
  if (!fits && !buffer.device_only) return "lies outside of the shared memory";
  if (buffer.payload_offset > buffer.image_bytes ||
      buffer.payload_bytes > buffer.image_bytes - buffer.payload_offset) {
    return "has a payload outside of its image";
  }
  return "";
}

std::string bind_problem(BindResult result) {
  switch (result) {
    case BindResult::wrong_count:
      return "was called with a wrong number of arguments";
    case BindResult::wrong_kind:
      return "was called with an argument of a wrong type";
    case BindResult::out_of_range:
      return "was called with an integer that its parameter cannot hold";
    case BindResult::called:
      break;
  }
  return "";
}

std::string no_room_for(const CallRequest& request) {
  std::size_t bytes = 0;
  for (const Argument& argument : request.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) bytes += buffer->image_bytes;
  }
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  return "the matrices take " + std::to_string(bytes / mebibyte) +
         " MiB of device memory, more than there is room for (the simulator keeps several times as "
         "much about their elements). Choose smaller ones.";
}

/// A request that does not fit the contract function.
class WrongArguments : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Some code of the submission ran at a time when none should.
class LeftBehind : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Measures by the host's clock; copies from and to ordinary memory are over when their calls
/// return.
template <class Work>
double milliseconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  TILEWISE_CUDA_CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Calls the function. Afterwards the worker's phase is that of waiting for its kernels.
cudaError_t invoke(const Module& module, const BoundFunction& function,
                   const std::vector<DecodedArgument>& arguments) {
  std::int32_t status = 0;
  set_phase(Phase::calling);
  const BindResult result = module.call(function, arguments.data(), arguments.size(), &status);
  set_phase(Phase::waiting);
  if (result != BindResult::called) {
    throw WrongArguments(std::string(function.name) + " " + bind_problem(result) + ".");
  }
  return static_cast<cudaError_t>(status);
}

}  // namespace

void Session::place_images(const CallRequest& request) {
  std::vector<Image> kept = std::exchange(images_, {});
  std::vector<std::pair<const BufferArgument*, std::optional<cuda::DeviceBuffer>>> placed;
  for (const Argument& argument : request.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer == nullptr) continue;
    const std::string problem = range_problem(*buffer, memory_.size());
    if (!problem.empty()) throw std::runtime_error("matrix " + buffer->name + " " + problem + ".");
    auto& place = placed.emplace_back(buffer, std::nullopt);
    const auto same_size = std::find_if(kept.begin(), kept.end(), [&](const Image& image) {
      return image.device.bytes() == buffer->image_bytes;
    });
    if (same_size == kept.end()) continue;
    place.second = std::move(same_size->device);
    kept.erase(same_size);
  }
  kept.clear();  // makes room for the buffers that are allocated next
  for (auto& [buffer, device] : placed) {
    if (!device) device.emplace(buffer->image_bytes);
    images_.push_back({*buffer, std::move(*device)});
  }
  for (Image& image : images_) {
    const BufferArgument& argument = image.argument;
    if (!argument.device_only) memory_.upload(argument.offset, image.device);
    describe_payload(static_cast<std::byte*>(image.device.data()) + argument.payload_offset,
                     argument);
  }
}

std::vector<DecodedArgument> Session::decode(const CallRequest& request) const {
  std::vector<DecodedArgument> arguments;
  auto image = images_.begin();
  for (const Argument& argument : request.arguments) {
    DecodedArgument& decoded = arguments.emplace_back();
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      decoded.kind = DecodedArgument::Kind::buffer;
      decoded.buffer = static_cast<std::byte*>(image++->device.data()) + buffer->payload_offset;
    } else if (const auto* integer = std::get_if<std::int64_t>(&argument)) {
      decoded.kind = DecodedArgument::Kind::integer;
      decoded.integer = *integer;
    } else if (const auto* real = std::get_if<double>(&argument)) {
      decoded.kind = DecodedArgument::Kind::real;
      decoded.real = *real;
    } else {
      decoded.kind = DecodedArgument::Kind::extent;
      std::ranges::copy(std::get<std::array<unsigned, 3>>(argument), decoded.extent);
    }
  }
  return arguments;
}

// Shared memory still holds every image as the examiner wrote it, because results go there only at
// the end.
void Session::restore_outputs() {
  for (Image& image : images_) {
    if (image.argument.read_only || image.argument.device_only) continue;
    memory_.upload(image.argument.offset, image.device);
  }
}

void Session::upload_all() {
  for (Image& image : images_) {
    if (!image.argument.device_only) memory_.upload(image.argument.offset, image.device);
  }
}

// From here to the timed run no code of the submission may run, because a thread or a signal
// handler would see the matrices before the timing begins. Whatever such code computes it has to
// launch, or to copy to the device, so the counts of both reveal it.
double Session::take_over(const BoundFunction& function, const HandOver& hand_over) {
  const SignalsHeldBack no_handler_runs;
  take_launches(module_.bindings());
  const std::size_t copies_before = copies_made(module_.bindings());
  if (!hand_over()) throw std::runtime_error("the examiner is gone.");
  const double uploads_ms = milliseconds_of([&] { upload_all(); });
  const bool launched = take_launches(module_.bindings()).count > 0;
  if (!launched && copies_made(module_.bindings()) == copies_before) return uploads_ms;
  throw LeftBehind(std::string(function.name) + " left a thread behind that " +
                   (launched ? "launched kernels" : "copied matrices") +
                   " after the function had returned. Leave nothing behind.");
}

void Session::make_room_for_results() {
  for (Image& image : images_) {
    if (image.argument.read_only || image.argument.device_only) continue;
    image.result.emplace(image.device.bytes());
  }
}

void Session::keep_results() {
  for (Image& image : images_) {
    if (image.result) image.result->copy_from(image.device);
  }
}

void Session::run(const BoundFunction& function, const CallRequest& request,
                  const std::vector<DecodedArgument>& arguments, const HandOver& hand_over,
                  WorkerReply& reply) {
  const Timing timing = request.timing.value_or(Timing{.warmups = 1, .repetitions = 0});
  const bool timed = timing.repetitions > 0;
  std::optional<cuda::CallTimer> timer;
  if (timed) {
    timer.emplace();
    make_room_for_results();
  }
  cudaError_t status = cudaSuccess;
  for (int i = 0; i < timing.warmups + timing.repetitions && status == cudaSuccess; ++i) {
    if (timed && i == timing.warmups) {
      reply.copies_ms = take_over(function, hand_over);
    } else if (i > 0) {
      restore_outputs();
    }
    take_launches(module_.bindings());  // only the last run's launches are reported
    take_bytes_for_the_host(module_.bindings());
    const auto call = [&] { status = invoke(module_, function, arguments); };
    if (i < timing.warmups) {
      call();
      TILEWISE_CUDA_CHECK(cudaDeviceSynchronize());
    } else {
      // The results are kept at once, so that what a thread left behind computes later comes too
      // late.
      const auto calls = [&] {
        for (int k = 0; k < timing.calls && status == cudaSuccess; ++k) call();
      };
      reply.times_ms.push_back(timer->measure(calls, [&] { keep_results(); }));
    }
  }
  reply.kind = WorkerReply::Kind::returned;
  reply.status = status;
  reply.status_name = cudaGetErrorName(status);
  const Launches launches = take_launches(module_.bindings());
  reply.launches =
      static_cast<int>(std::min<std::size_t>(launches.count, std::numeric_limits<int>::max()));
  reply.launch_list = launches.list;
  reply.bytes_for_the_host = take_bytes_for_the_host(module_.bindings());
  for (const Image& image : images_) {
    if (image.argument.device_only || (timed && image.argument.read_only)) continue;
    const bool kept = image.result && !reply.times_ms.empty();
    const double ms = milliseconds_of(
        [&] { memory_.download(kept ? *image.result : image.device, image.argument.offset); });
    if (kept) reply.copies_ms += ms;
  }
  reply.findings = take_findings();
  reply.profiles = take_profiles();
}

std::size_t Session::write_trace(const CallRequest& request) {
  const std::size_t begin = std::min(trace_offset(request.arguments), memory_.size());
  std::vector<TracedBuffer> buffers;
  for (const Image& image : images_) {
    const auto* start = static_cast<const std::byte*>(image.device.data());
    buffers.push_back({image.argument.name, start + image.argument.payload_offset});
  }
  const std::string text = take_traces(buffers, memory_.size() - begin);
  memory_.write(begin, std::as_bytes(std::span(text)));
  return text.size();
}

WorkerReply Session::perform(const CallRequest& request, const HandOver& hand_over) {
  WorkerReply reply = perform_watched(request, hand_over);
  if (request.watch && request.watch->trace) reply.trace_bytes = write_trace(request);
  return reply;
}

WorkerReply Session::perform_watched(const CallRequest& request, const HandOver& hand_over) {
  const BoundFunction* const function = module_.find(request.function);
  if (function == nullptr) {
    return refused("the module has no function " + request.function + "; it has " +
                   module_.function_names() + ".");
  }
  if (request.timing && (request.timing->repetitions < 1 || request.timing->warmups < 0 ||
                         request.timing->calls < 1)) {
    return refused("a timed call needs at least one repetition.");
  }
  std::vector<DecodedArgument> arguments;
  try {
    if (std::exchange(needs_reset_, false)) {
      images_.clear();
      TILEWISE_CUDA_CHECK(cudaDeviceReset());
      module_.go_on_after_reset();
    }
    watch(request.watch);
    module_.choose_variant(request.variant);
    place_images(request);
    arguments = decode(request);
  } catch (const std::bad_alloc&) {
    return refused(no_room_for(request));
  } catch (const cuda::Error& error) {
    if (error.status() == cudaErrorMemoryAllocation) return refused(no_room_for(request));
    // A kernel's errors are returned by whichever call of the run-time is next.
    return failed("the device failed before " + request.function + " was called: " +
                  cudaGetErrorString(error.status()) + " (" + cudaGetErrorName(error.status()) +
                  "). Does an earlier call leave a kernel or a thread behind?");
  } catch (const std::exception& error) {
    return refused(error.what());
  }
  take_findings();
  take_profiles();
  take_traces({}, 0);
  WorkerReply reply;
  try {
    run(*function, request, arguments, hand_over, reply);
    return reply;
  } catch (const WrongArguments& error) {
    return refused(error.what());
  } catch (const LeftBehind& error) {
    return failed(error.what());
  } catch (const cuda::Error& error) {
    WorkerReply reply = failed("a kernel that " + request.function +
                               " launched failed: " + cudaGetErrorString(error.status()) + " (" +
                               cudaGetErrorName(error.status()) + ").");
    reply.kind = WorkerReply::Kind::kernel_failed;
    needs_reset_ = true;
    return reply;
  } catch (const std::bad_alloc&) {
    return failed(request.function + " ran out of memory (std::bad_alloc).");
  } catch (const std::exception& error) {
    return failed(request.function + " threw an exception: " + error.what() +
                  ". Contract functions return a status instead.");
  }
}

}  // namespace tilewise::grading
