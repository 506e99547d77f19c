#pragma once

#include <cuda_runtime.h>

namespace tilewise::simt {

/// What one warp does in the instruction that an access pattern tests.
enum class Access { load_shared, store_shared, load_global, store_global };

/// The elements that a pattern may choose from.
constexpr int pattern_elements = 1024;

/// Launches one warp. Each lane accesses the element that a table in memory names, so that no
/// compiler knows the pattern. Apart from that instruction the kernel makes only accesses of known
/// cost: consecutive elements, lane by lane.
///
/// @param bytes of an element: 4 (float), 8 (float2) or 16 (float4)
/// @param elements device memory, (32): the element of each lane, below pattern_elements; -1 for a
///        lane that makes no access
/// @param memory device memory, (pattern_elements) elements, which patterns on global memory use
/// @param out device memory, (32) elements, which makes the compiler keep the values
/// @return cudaErrorInvalidValue for another number of bytes
cudaError_t launch_access(Access access, int bytes, const int* elements, void* memory, void* out);

}  // namespace tilewise::simt
