#include "common/simt/runtime/streams.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/graphs.hpp"

using namespace tilewise::simt;

// Work runs when it is issued, so a stream is always in order and idle. StreamOrder knows what a
// GPU might have done in another order.
struct CUstream_st {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  unsigned long long id = 0;
  std::shared_ptr<Capture> capture;
  std::vector<CUgraphNode_st*> last;  ///< the nodes of the capture that the next one waits for
};

struct CUevent_st {
  bool times = true;
  bool recorded = false;
  std::chrono::steady_clock::time_point moment{};
  std::shared_ptr<Capture> capture;  ///< the capture in which it was recorded
  std::vector<CUgraphNode_st*> last;
};

namespace {

constexpr int least_priority = 0, greatest_priority = -5;  // the values that GPUs have

StreamOrder& order() { return StreamOrder::instance(); }

/// Returns null for a stream that exists without being created.
CUstream_st* created(cudaStream_t stream) {
  return stream == cudaStreamLegacy || stream == cudaStreamPerThread ? nullptr : stream;
}

}  // namespace

namespace tilewise::simt {

const char* name_of_work(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeMemcpy:
      return "cudaMemcpyAsync()";
    case cudaGraphNodeTypeMemset:
      return "cudaMemsetAsync()";
    case cudaGraphNodeTypeGraph:
      return "cudaGraphLaunch()";
    default:
      return "cudaLaunchHostFunc()";
  }
}

bool is_captured(cudaStream_t stream) {
  const CUstream_st* const state = created(stream);
  return state != nullptr && state->capture != nullptr && state->capture->graph != nullptr;
}

cudaError_t capture(cudaStream_t stream, cudaGraphNodeType type, Work work) {
  stream->last = {add_node(*stream->capture->graph, type, std::move(work), stream->last)};
  return cudaSuccess;
}

}  // namespace tilewise::simt

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  static unsigned long long created_streams = 2;
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return device::fail(cudaErrorInvalidValue);
  }
  priority = std::clamp(priority, greatest_priority, least_priority);
  *stream = new CUstream_st{flags, priority, ++created_streams, {}, {}};
  order().create(*stream, flags != cudaStreamNonBlocking, created_streams);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return device::fail(cudaErrorInvalidResourceHandle);
  }
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (flags == nullptr) return device::fail(cudaErrorInvalidValue);
  *flags = created(stream) ? stream->flags : cudaStreamDefault;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (priority == nullptr) return device::fail(cudaErrorInvalidValue);
  *priority = created(stream) ? stream->priority : 0;
  return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (id == nullptr) return device::fail(cudaErrorInvalidValue);
  *id = created(stream) ? stream->id : stream == cudaStreamPerThread ? 2 : 1;
  return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) { return cudaGetDevice(device); }

// Stream attributes tune performance, and change no result.
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue* value) {
  if (value == nullptr) return device::fail(cudaErrorInvalidValue);
  *value = {};
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (is_captured(stream)) return device::fail(cudaErrorStreamCaptureUnsupported);
  order().host_waits_for(stream);
  return device::lasting_error();
}

// A program may rely on the answer that all is done, so the query counts as a wait.
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaDeviceSynchronize() {
  order().host_waits();
  return device::lasting_error();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return device::fail(cudaErrorInvalidValue);
  return issue(stream, cudaGraphNodeTypeHost, [=] {
    if (device::lasting_error() == cudaSuccess) function(data);
    order().host_waits_for(stream);  // the function may notify other threads of it
    return device::lasting_error();
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  if (callback == nullptr) return device::fail(cudaErrorInvalidValue);
  if (is_captured(stream)) return device::fail(cudaErrorStreamCaptureUnsupported);
  order().host_waits_for(stream);
  callback(stream, device::lasting_error(), data);
  return cudaSuccess;
}

// Events.

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return device::fail(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->times = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr) return device::fail(cudaErrorInvalidResourceHandle);
  if (is_captured(stream)) {
    event->capture = stream->capture;
    event->last = stream->last;
    return cudaSuccess;
  }
  event->capture.reset();
  event->recorded = true;
  event->moment = std::chrono::steady_clock::now();
  order().record(event, stream);
  return device::lasting_error();
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags != cudaEventRecordExternal || !is_captured(stream)) {
    return cudaEventRecord(event, stream);
  }
  return capture(stream, cudaGraphNodeTypeEventRecord,
                 [event] { return cudaEventRecord(event, nullptr); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event == nullptr) return device::fail(cudaErrorInvalidResourceHandle);
  const bool is_of_capture = event->capture != nullptr && event->capture->graph != nullptr;
  if (is_of_capture && created(stream) != nullptr) {
    // The stream takes part in the capture from here on.
    if (stream->capture != event->capture) stream->last.clear();
    stream->capture = event->capture;
    stream->last.insert(stream->last.end(), event->last.begin(), event->last.end());
  }
  order().wait(stream, event);
  return device::lasting_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  order().host_waits_for_event(event);
  return device::lasting_error();
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return device::fail(cudaErrorInvalidValue);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded || !start->times ||
      !stop->times) {
    return device::fail(cudaErrorInvalidResourceHandle);
  }
  order().host_waits_for_event(stop);  // without a wait, there would be no result
  *milliseconds = std::chrono::duration<float, std::milli>(stop->moment - start->moment).count();
  return cudaSuccess;
}

// Capture.

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count,
                                          cudaStreamCaptureMode) {
  if (created(stream) == nullptr) return device::fail(cudaErrorStreamCaptureUnsupported);
  if (graph == nullptr || is_captured(stream)) return device::fail(cudaErrorIllegalState);
  static unsigned long long captures = 0;
  stream->capture = std::make_shared<Capture>(Capture{graph, stream, ++captures});
  stream->last.assign(dependencies, dependencies + count);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  const cudaError_t error = cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, mode);
  if (error != cudaSuccess) cudaGraphDestroy(graph);
  return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph == nullptr) return device::fail(cudaErrorInvalidValue);
  *graph = nullptr;
  if (!is_captured(stream)) return device::fail(cudaErrorIllegalState);
  if (stream->capture->origin != stream) return device::fail(cudaErrorStreamCaptureUnmatched);
  // Ends the capture for streams that joined, too.
  *graph = std::exchange(stream->capture->graph, nullptr);
  stream->capture.reset();
  stream->last.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return device::fail(cudaErrorInvalidValue);
  *status = is_captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  const cudaError_t error = cudaStreamIsCapturing(stream, status);
  if (error != cudaSuccess || *status == cudaStreamCaptureStatusNone) return error;
  if (id != nullptr) *id = stream->capture->id;
  if (graph != nullptr) *graph = stream->capture->graph;
  if (dependencies != nullptr) *dependencies = stream->last.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = stream->last.size();
  return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count,
                                                unsigned flags) {
  if (!is_captured(stream)) return device::fail(cudaErrorIllegalState);
  if (flags == cudaStreamSetCaptureDependencies) stream->last.clear();
  stream->last.insert(stream->last.end(), dependencies, dependencies + count);
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  if (mode == nullptr) return device::fail(cudaErrorInvalidValue);
  std::swap(*mode, current);
  return cudaSuccess;
}
