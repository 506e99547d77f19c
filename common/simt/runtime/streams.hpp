#pragma once

#include <cstddef>
#include <functional>

#include "common/simt/include/tilewise/driver_types.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/runtime/stream_order.hpp"

/// What the device is given to do, and when: at once, or each time that a graph is launched.
namespace tilewise::simt {

/// Whether the address is one of device memory, managed memory too, or of a module's variable.
bool points_to_device(const void* address);

// What is done at once, by whatever stream.
cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t copy_rows_now(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                          std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind);
cudaError_t fill_now(void* pointer, int byte, std::size_t bytes);

/// Work on the device, as often as it is called.
using Work = std::function<cudaError_t()>;

/// Whether what the stream is given is to become part of a graph.
bool is_captured(cudaStream_t stream);

/// Adds to the graph that the stream is captured for.
cudaError_t capture(cudaStream_t stream, cudaGraphNodeType type, Work work);

/// How messages call work of a type: "cudaMemcpyAsync()".
const char* name_of_work(cudaGraphNodeType type);

/// Gives a stream something to do.
template <class Do>
cudaError_t issue(cudaStream_t stream, cudaGraphNodeType type, Do&& work) {
  if (is_captured(stream)) return capture(stream, type, std::forward<Do>(work));
  const StreamOrder::Work under_way(stream, name_of_work(type));
  return work();
}

/// A launch whose arguments are kept, for it to be run later.
Work kept_launch(const LaunchConfiguration& configuration, const LaunchBody& body);

/// Takes the launch for a graph, where one of its stream or an explicit node wants it.
bool captures_launch(const LaunchConfiguration& configuration, const LaunchBody& body);

}  // namespace tilewise::simt
