// The host and its memory that kernels and copies come to: whether it waits for them before.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

constexpr int size = 64;
constexpr std::size_t bytes = size * sizeof(float);

/// Zeros that the host shares with kernels.
class Shared {
 public:
  enum Kind { managed, pinned };
  explicit Shared(Kind kind) : kind_(kind) {
    check(kind == managed ? cudaMallocManaged(&data_, bytes) : cudaMallocHost(&data_, bytes));
    describe(data_, "data", 1, size, Contents::zeros);
    for (int i = 0; i < size; ++i) data_[i] = 0;
  }
  ~Shared() { kind_ == managed ? cudaFree(data_) : cudaFreeHost(data_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  float* data() const { return data_; }

 private:
  Kind kind_;
  float* data_ = nullptr;
};

struct Stream {
  Stream() { check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t stream = nullptr;
};

float seen;

// Kernels.

__global__ void counts_up(float* data) {
  data[threadIdx.x] += 1;  // fault: other side
}
void reads(const Shared& shared) {
  seen = shared.data()[7];  // fault
}
DEFECT(host_reads_managed_memory_at_once, "race", "counts_up in the default stream writes it") {
  const Shared shared(Shared::managed);
  counts_up<<<1, size>>>(shared.data());
  reads(shared);
}
DEFECT(host_reads_pinned_memory_at_once, "race", "race on data[7]") {
  const Shared shared(Shared::pinned);
  counts_up<<<1, size>>>(shared.data());
  reads(shared);
}
DEFECT(host_waits_for_another_stream, "race", "call cudaDeviceSynchronize() before") {
  const Stream first, second;
  const Shared shared(Shared::managed);
  counts_up<<<1, size, 0, first.stream>>>(shared.data());
  check(cudaStreamSynchronize(second.stream));
  reads(shared);
}
DEFECT(host_waits_for_an_event_before_the_kernel, "race", "counts_up in stream") {
  const Stream stream;
  const Shared shared(Shared::managed);
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  check(cudaEventRecord(event, stream.stream));
  counts_up<<<1, size, 0, stream.stream>>>(shared.data());
  check(cudaEventSynchronize(event));
  reads(shared);
  check(cudaEventDestroy(event));
}
CORRECT(host_waits_for_the_device) {
  const Shared shared(Shared::managed);
  counts_up<<<1, size>>>(shared.data());
  check(cudaDeviceSynchronize());
  reads(shared);
}
CORRECT(host_waits_by_a_copy) {
  const Shared shared(Shared::managed);
  const Buffer<float> one("one", 1, Contents::input);
  counts_up<<<1, size>>>(shared.data());
  check(cudaMemcpy(&seen, one.data(), sizeof seen, cudaMemcpyDeviceToHost));
  reads(shared);
}
CORRECT(host_waits_for_an_event) {
  const Stream stream;
  const Shared shared(Shared::pinned);
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  counts_up<<<1, size, 0, stream.stream>>>(shared.data());
  check(cudaEventRecord(event, stream.stream));
  check(cudaEventSynchronize(event));
  reads(shared);
  check(cudaEventDestroy(event));
}
CORRECT(host_function_in_the_stream) {
  const Stream stream;
  const Shared shared(Shared::managed);
  counts_up<<<1, size, 0, stream.stream>>>(shared.data());
  const auto function = [](void* data) { seen = static_cast<const float*>(data)[7]; };
  check(cudaLaunchHostFunc(stream.stream, function, shared.data()));
  check(cudaDeviceSynchronize());
}

// Host and kernels may wait for each other by atomic operations.
CORRECT(host_meets_a_kernel_by_atomics) {
  const Shared shared(Shared::managed);
  counts_up<<<1, size>>>(shared.data());
  int* const flag = reinterpret_cast<int*>(shared.data());
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
  }
  reads(shared);
  check(cudaDeviceSynchronize());
}

__global__ void takes(float* out, const float* data) {
  out[threadIdx.x] = data[threadIdx.x];  // fault: other side
}
void writes(const Shared& shared, int i) {
  shared.data()[i] = 3;  // fault
}
DEFECT(host_writes_what_a_kernel_reads, "race", "takes in the default stream reads it") {
  const Shared shared(Shared::managed);
  const Buffer<float> out("out", size, Contents::nothing);
  takes<<<1, size>>>(out.data(), shared.data());
  writes(shared, 7);
}
CORRECT(host_writes_what_no_kernel_reads) {
  const Shared shared(Shared::managed);
  const Buffer<float> out("out", size, Contents::nothing);
  takes<<<1, size / 2>>>(out.data(), shared.data());
  writes(shared, size / 2);
}
CORRECT(host_reads_what_a_kernel_reads) {
  const Shared shared(Shared::managed);
  const Buffer<float> out("out", size, Contents::nothing);
  takes<<<1, size>>>(out.data(), shared.data());
  reads(shared);
}

// Copies.

void fetch(const Shared& to, const Buffer<float>& from, cudaStream_t stream) {
  constexpr auto kind = cudaMemcpyDeviceToHost;
  check(cudaMemcpyAsync(to.data(), from.data(), bytes, kind, stream));  // fault: other side
}
void reads_too_early(const Shared& shared) {
  seen = shared.data()[7];  // fault
}
DEFECT(host_reads_the_target_of_a_copy, "race", "cudaMemcpyAsync() in stream") {
  const Stream stream;
  const Shared shared(Shared::pinned);
  const Buffer<float> data("from", size, Contents::input);
  fetch(shared, data, stream.stream);
  reads_too_early(shared);
  check(cudaDeviceSynchronize());
}
CORRECT(host_waits_for_the_copy) {
  const Stream stream;
  const Shared shared(Shared::pinned);
  const Buffer<float> data("from", size, Contents::input);
  fetch(shared, data, stream.stream);
  check(cudaStreamSynchronize(stream.stream));
  reads_too_early(shared);
}

void send(const Buffer<float>& to, const Shared& from) {
  constexpr auto kind = cudaMemcpyHostToDevice;
  check(cudaMemcpyAsync(to.data(), from.data(), bytes, kind));  // fault: other side
}
void writes_too_early(const Shared& shared) {
  shared.data()[7] = 3;  // fault
}
DEFECT(host_writes_the_source_of_a_copy, "race", "cudaMemcpyAsync() in the default stream reads") {
  const Shared shared(Shared::pinned);
  const Buffer<float> data("to", size, Contents::zeros);
  send(data, shared);
  writes_too_early(shared);
  check(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace tilewise::defects
