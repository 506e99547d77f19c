/// \file
/// The program that `lab debug` runs under gdb. It makes one call of a contract function on the
/// simulator and runs all blocks one after another on one operating-system thread.
/// `tilewise-debuggee FOLDER` finds in the folder what to call and with which matrices
/// (debug_job.hpp).
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/simt/include/tilewise/debug_stop.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/watch.hpp"
#include "grading/debug/debug_job.hpp"
#include "grading/worker/module.hpp"

namespace tilewise::grading {
namespace {

/// The arguments of a call, with its matrices on the device.
class PlacedArguments {
 public:
  PlacedArguments(const CallRequest& request, const std::vector<std::byte>& matrices) {
    for (const Argument& argument : request.arguments) {
      DecodedArgument& decoded = arguments_.emplace_back();
      if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
        decoded.kind = DecodedArgument::Kind::buffer;
        decoded.buffer = place(*matrix, matrices);
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
  }

  const std::vector<DecodedArgument>& decoded() const { return arguments_; }

  /// The address of an element on the device.
  std::byte* address_of(const WatchedElement& element) const {
    for (const auto& [name, buffer] : buffers_) {
      if (name != element.matrix) continue;
      if (element.offset + element.bytes > buffer.bytes()) break;
      return static_cast<std::byte*>(buffer.data()) + element.offset;
    }
    throw std::runtime_error("the call has no such element of " + element.matrix);
  }

 private:
  void* place(const BufferArgument& matrix, const std::vector<std::byte>& matrices) {
    cuda::DeviceBuffer& buffer =
        buffers_.emplace_back(matrix.name, cuda::DeviceBuffer(matrix.payload_bytes)).second;
    buffer.upload(matrices.data() + matrix.offset);
    if (matrix.payload_bytes > 0) {
      simt::describe_buffer(buffer.data(), matrix.payload_bytes, matrix.name.c_str());
    }
    return buffer.data();
  }

  std::vector<std::pair<std::string, cuda::DeviceBuffer>> buffers_;
  std::vector<DecodedArgument> arguments_;
};

simt::DebugStop& debug_stop_of(const std::string& module) {
  void* const handle = dlopen(module.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, "tilewise_debug_stop");
  if (symbol == nullptr) throw std::runtime_error("the module was not built for a debugger");
  return *static_cast<simt::DebugStop*>(symbol);
}

uint3 to_uint3(const Index3& index) { return {index[0], index[1], index[2]}; }
Index3 to_index(uint3 index) { return {index.x, index.y, index.z}; }

void prepare(simt::DebugStop& stop, const DebugJob& job, const PlacedArguments& arguments,
             const std::vector<std::byte>& matrices) {
  if (job.stop) {
    stop.block = to_uint3(job.stop->place.block);
    stop.thread = to_uint3(job.stop->place.thread);
    stop.launch = job.stop->launch;
    stop.armed = true;
  }
  if (!job.element) return;
  stop.watched_bytes = static_cast<unsigned>(std::min(job.element->bytes, sizeof stop.last));
  for (const Argument& argument : job.call.arguments) {
    const auto* matrix = std::get_if<BufferArgument>(&argument);
    if (matrix == nullptr || matrix->name != job.element->matrix) continue;
    std::memcpy(stop.last, &matrices.at(matrix->offset + job.element->offset), stop.watched_bytes);
  }
  stop.watched = reinterpret_cast<unsigned char*>(arguments.address_of(*job.element));
}

int carry_out(const std::filesystem::path& folder) {
  const DebugJob job = read_job(folder);
  const std::vector<std::byte> matrices = read_matrices(folder);
  simt::use_device(job.hello.profile);
  simt::set_worker_threads(1);
  const Module module(job.hello.module);
  const BoundFunction* const function = module.find(job.call.function);
  if (function == nullptr) throw std::runtime_error("the module has no " + job.call.function);
  const PlacedArguments arguments(job.call, matrices);
  simt::DebugStop& stop = debug_stop_of(job.hello.module);
  prepare(stop, job, arguments, matrices);

  std::int32_t status = 0;
  if (function->invoke(arguments.decoded().data(), arguments.decoded().size(), &status) !=
      BindResult::called) {
    throw std::runtime_error(job.text + " has arguments that the function does not take");
  }
  if (stop.written) {
    write_writer(folder,
                 {{to_index(stop.writer_block), to_index(stop.writer_thread)}, stop.writer_launch});
  }
  for (const simt::Finding& fault : simt::take_findings()) {
    fmt::print("{}", tr("{}: {}, on line {}\n", job.text, fault.message, fault.line));
  }
  fmt::print("{}",
             tr("{} returned {}\n", job.text, cudaGetErrorName(static_cast<cudaError_t>(status))));
  return 0;
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("tilewise-debuggee is started by ./lab debug\n", stderr);
    return 2;
  }
  tilewise::core::speak_as_told();
  try {
    return tilewise::grading::carry_out(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilewise-debuggee: %s\n", error.what());
    return 2;
  }
}
