#pragma once

#include <cstddef>
#include <functional>

#include "common/simt/include/tilewise/driver_types.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/runtime/stream_order.hpp"

/// The work that the device is given, and when it runs: at once, or each time that a graph is
/// launched.
namespace tilewise::simt {

/// Whether the address is one of device memory, including managed memory, or of a module's
/// variable.
bool points_to_device(const void* address);

// These run at once, whatever the stream.
cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t copy_rows_now(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                          std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind);
cudaError_t fill_now(void* pointer, int byte, std::size_t bytes);

/// Work on the device, which may be called repeatedly.
using Work = std::function<cudaError_t()>;

/// Whether work that the stream is given becomes part of a graph.
bool is_captured(cudaStream_t stream);

/// Adds the work to the graph that the stream is captured for.
cudaError_t capture(cudaStream_t stream, cudaGraphNodeType type, Work work);

/// Returns what messages call work of a type: "cudaMemcpyAsync()".
const char* name_of_work(cudaGraphNodeType type);

/// Gives work to a stream.
template <class Do>
cudaError_t issue(cudaStream_t stream, cudaGraphNodeType type, Do&& work) {
  if (is_captured(stream)) return capture(stream, type, std::forward<Do>(work));
  const StreamOrder::Work under_way(stream, name_of_work(type));
  return work();
}

/// Returns a launch whose arguments are kept, so that it can run later.
Work kept_launch(const LaunchConfiguration& configuration, const LaunchBody& body);

/// Takes the launch for a graph, if its stream is captured or an explicit node asks for it.
/// @return whether it was taken
bool captures_launch(const LaunchConfiguration& configuration, const LaunchBody& body);

}  // namespace tilewise::simt
