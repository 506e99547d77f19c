// Work in several streams, which a GPU runs in any order that nothing forbids.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    check(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

constexpr int size = 64;

__global__ void makes(float* data) {
  data[threadIdx.x] = threadIdx.x + 0.5f;  // fault: other side
}
__global__ void doubles(float* out, const float* data) {
  out[threadIdx.x] = 2 * data[threadIdx.x];  // fault
}

struct TwoStreams {
  explicit TwoStreams(unsigned flags = cudaStreamNonBlocking) : first(flags), second(flags) {}
  Stream first, second;
  Event event;
  Buffer<float> data{"data", size, Contents::nothing}, out{"out", size, Contents::nothing};

  void make() const { makes<<<1, size, 0, first>>>(data.data()); }
  void use() const { doubles<<<1, size, 0, second>>>(out.data(), data.data()); }
  ~TwoStreams() { cudaDeviceSynchronize(); }
};

DEFECT(two_streams_without_an_event, "race", "in stream") {
  const TwoStreams streams;
  streams.make();
  streams.use();
}
DEFECT(an_event_before_the_work, "race", "and nothing orders the two") {
  const TwoStreams streams;
  check(cudaEventRecord(streams.event, streams.first));
  streams.make();
  check(cudaStreamWaitEvent(streams.second, streams.event, 0));
  streams.use();
}
DEFECT(waits_for_the_wrong_stream, "race", "cudaStreamWaitEvent") {
  const TwoStreams streams;
  streams.make();
  check(cudaStreamSynchronize(streams.second));
  streams.use();
}
CORRECT(two_streams_with_an_event) {
  const TwoStreams streams;
  streams.make();
  check(cudaEventRecord(streams.event, streams.first));
  check(cudaStreamWaitEvent(streams.second, streams.event, 0));
  streams.use();
}
CORRECT(the_host_waits_for_the_first) {
  const TwoStreams streams;
  streams.make();
  check(cudaStreamSynchronize(streams.first));
  streams.use();
}
CORRECT(the_host_waits_for_the_event) {
  const TwoStreams streams;
  streams.make();
  check(cudaEventRecord(streams.event, streams.first));
  check(cudaEventSynchronize(streams.event));
  streams.use();
}

// The default stream waits for those that do not say that it need not, and they for it.
CORRECT(the_default_stream_between_two) {
  const TwoStreams streams(cudaStreamDefault);
  streams.make();
  const Buffer<float> other("other", size, Contents::nothing);
  makes<<<1, size>>>(other.data());
  streams.use();
}
DEFECT(nothing_between_two_that_block, "race", "and nothing orders the two") {
  const TwoStreams streams(cudaStreamDefault);
  streams.make();
  streams.use();
}
DEFECT(the_default_stream_beside_one_that_does_not_block, "race", "in the default stream") {
  const TwoStreams streams;
  makes<<<1, size>>>(streams.data.data());
  streams.use();
}

// Each stream has its part of one array, down to parts of a word.
__global__ void fills(unsigned char* bytes, int first, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) bytes[first + i] = 7;
}
CORRECT(two_streams_with_a_part_each) {
  const Stream first, second;
  const Buffer<unsigned char> bytes("bytes", 101, Contents::nothing);
  fills<<<1, 32, 0, first>>>(bytes.data(), 0, 51);
  fills<<<1, 32, 0, second>>>(bytes.data(), 51, 50);
  check(cudaDeviceSynchronize());
}

__global__ void counts(int* count) { atomicAdd(count, 1); }
CORRECT(two_streams_that_count_by_atomics) {
  const Stream first, second;
  const Buffer<int> count("count", 1, Contents::zeros);
  check(cudaDeviceSynchronize());
  counts<<<1, 32, 0, first>>>(count.data());
  counts<<<1, 32, 0, second>>>(count.data());
  check(cudaDeviceSynchronize());
}

/// Memory of the host's that copies need not wait for.
class Pinned {
 public:
  Pinned() { check(cudaMallocHost(&data_, size * sizeof(float))); }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

__global__ void makes_too_late(float* data) {
  data[threadIdx.x] = threadIdx.x + 0.5f;  // fault: other side
}
void take(const Pinned& to, const Buffer<float>& data, cudaStream_t stream) {
  const std::size_t bytes = size * sizeof(float);
  check(cudaMemcpyAsync(to.data(), data.data(), bytes, cudaMemcpyDeviceToHost, stream));  // fault
}
DEFECT(a_copy_in_another_stream, "race", "cudaMemcpyAsync() in stream") {
  const Pinned host;
  const Stream first, second;
  const Buffer<float> data("data", size, Contents::nothing);
  makes_too_late<<<1, size, 0, first>>>(data.data());
  take(host, data, second);
  check(cudaDeviceSynchronize());
}
CORRECT(a_copy_in_the_same_stream) {
  const Pinned host;
  const Stream stream;
  const Buffer<float> data("data", size, Contents::nothing);
  makes_too_late<<<1, size, 0, stream>>>(data.data());
  take(host, data, stream);
  check(cudaDeviceSynchronize());
}

__global__ void uses_too_early(float* out, const float* data) {
  out[threadIdx.x] = data[threadIdx.x];  // fault
}
void give(const Buffer<float>& data, const Pinned& from, cudaStream_t stream) {
  constexpr std::size_t bytes = size * sizeof(float);
  constexpr auto kind = cudaMemcpyHostToDevice;
  check(cudaMemcpyAsync(data.data(), from.data(), bytes, kind, stream));  // fault: other side
}
void give_and_use(cudaStream_t giving, cudaStream_t using_it) {
  const Pinned host;
  for (int i = 0; i < size; ++i) host.data()[i] = 1;
  const Buffer<float> data("data", size, Contents::nothing), out("out", size, Contents::nothing);
  give(data, host, giving);
  uses_too_early<<<1, size, 0, using_it>>>(out.data(), data.data());
  check(cudaDeviceSynchronize());
}
DEFECT(a_kernel_that_does_not_wait_for_the_copy, "race", "cudaMemcpyAsync() in stream") {
  const Stream first, second;
  give_and_use(first, second);
}
CORRECT(a_kernel_behind_the_copy) {
  const Stream stream;
  give_and_use(stream, stream);
}

// A copy of pageable memory has ended when the call returns.
CORRECT(work_that_the_host_waits_for) {
  const Stream first, second;
  float host[size] = {};
  const Buffer<float> data("data", size, Contents::nothing), out("out", size, Contents::nothing);
  makes<<<1, size, 0, first>>>(data.data());
  check(cudaMemcpyAsync(host, data.data(), sizeof host, cudaMemcpyDeviceToHost, first));
  doubles<<<1, size, 0, second>>>(out.data(), data.data());
  check(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace tilewise::defects
