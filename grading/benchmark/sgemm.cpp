#include "grading/benchmark/sgemm.hpp"

#ifdef TILEWISE_HAVE_CUBLAS
#include "grading/benchmark/cublas_handle.hpp"

namespace tilewise::benchmark {

std::optional<std::function<void(const float*, const float*, float*, int)>> cublas_sgemm() {
  return [handle = make_cublas_handle()](const float* A, const float* B, float* C, int n) {
    const float one = 1, zero = 0;
    // cuBLAS is column-major: what is C = A * B by rows is C = B * A by columns.
    check_cublas(
        cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, B, n, A, n, &zero, C, n),
        "cublasSgemm");
  };
}

}  // namespace tilewise::benchmark
#else
namespace tilewise::benchmark {

std::optional<std::function<void(const float*, const float*, float*, int)>> cublas_sgemm() {
  return std::nullopt;
}

}  // namespace tilewise::benchmark
#endif
