/// \file
/// Contract of stage 12, first part. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

/// C = A * B by tensor cores, from half precision with sums in single precision.
///
/// The functions launch on the default stream and do not wait for the kernel. Sums are those of
/// single precision: no product, and no sum of some products, is rounded to half precision. A
/// tensor core may truncate where it adds.
///
/// \param[in]  A     (n, n) row-major, device memory
/// \param[in]  B     (n, n) row-major, device memory
/// \param[out] C     (n, n) row-major, device memory, not overlapping A or B; every element is
///                   written and none is read
/// \param      n     order of the matrices, in elements; any; 0 does nothing and allows null
///                   pointers
///
/// \return `cudaSuccess`, or
///         - `cudaErrorInvalidValue`, with nothing launched or written, if n is negative, or if a
///           matrix is null although n is not 0;
///         - `cudaErrorNotSupported`, with nothing launched or written, if the device lacks the
///           instructions: fragments of half came with compute capability 7.0, all else that this
///           stage uses with 8.0;
///         - whatever else `cudaGetLastError()` reports after the launch.
///
/// Fragments of nvcuda::wmma, from tiles in shared memory.
///
/// Source: CUDA C++ Programming Guide, "Warp Matrix Functions"; PTX ISA, "Warp-Level Matrix
/// Instructions".
cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n);

/// The same by mma.sync, ldmatrix and asynchronous copies (tilewise/ptx.hpp), several tiles of
/// which are on their way, from tiles laid out such that nothing meets in a bank.
cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n);

/// C = A * B in single precision, from three products of tf32, which has 10 fraction bits: each
/// element is the sum of a large and a small part, and large * large + large * small + small *
/// large lacks little more of the product than a float does. Sums are as precise as those of floats,
/// also where no product is negative: a tensor core cuts off wherever it adds, so that the error of
/// a long sum within it grows with every step. Elements are finite, and small enough that neither
/// they nor the products overflow as they are rounded.
///
/// Source: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while
/// surpassing the FP32 theoretical peak performance", 2022.
cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n);
