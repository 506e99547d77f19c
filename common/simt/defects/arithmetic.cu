// Arithmetic whose result nothing specifies.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

#ifdef __x86_64__  // whose processors refuse such a division, so that it is seen

// The columns of the second call are not known yet.
__global__ void splits_an_index(int* out, int columns) {
  const int i = threadIdx.x;
  out[i] = i / columns;  // fault
}
DEFECT(divides_by_zero, "arithmetic", "divides by zero") {
  const Buffer<int> out("out", 32, Contents::nothing);
  splits_an_index<<<1, 32>>>(out.data(), 0);
  int first = 0;
  check(cudaMemcpy(&first, out.data(), sizeof first, cudaMemcpyDeviceToHost));
}

#endif

// The least number has no negative: a GPU gives that number.
__global__ void divides(const int* in, int* out, int by) {
  out[threadIdx.x] = in[threadIdx.x] / by;
}
CORRECT(divides_the_least_number) {
  const Buffer<int> in("in", 1, Contents::zeros), out("out", 1, Contents::nothing);
  int value = -2147483647 - 1;
  check(cudaMemcpy(in.data(), &value, sizeof value, cudaMemcpyHostToDevice));
  divides<<<1, 1>>>(in.data(), out.data(), -1);
  check(cudaMemcpy(&value, out.data(), sizeof value, cudaMemcpyDeviceToHost));
  if (value != -2147483647 - 1) throw std::runtime_error("not what a GPU gives");
}

}  // namespace
}  // namespace tilewise::defects
