#include "grading/benchmark/sgeam.hpp"

#ifdef TILEWISE_HAVE_CUBLAS
#include "grading/benchmark/cublas_handle.hpp"

namespace tilewise::benchmark {

std::optional<std::function<void(float*, const float*, int, int)>> cublas_sgeam() {
  return [handle = make_cublas_handle()](float* out, const float* in, int rows, int cols) {
    const float one = 1, zero = 0;
    // cuBLAS is column-major: out is (rows, cols) by columns, in (cols, rows).
    check_cublas(cublasSgeam(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, in, cols,
                             &zero, out, rows, out, rows),
                 "cublasSgeam");
  };
}

}  // namespace tilewise::benchmark
#else
namespace tilewise::benchmark {

std::optional<std::function<void(float*, const float*, int, int)>> cublas_sgeam() {
  return std::nullopt;
}

}  // namespace tilewise::benchmark
#endif
