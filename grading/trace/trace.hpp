#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/worker/call.hpp"

/// The memory accesses of a small call, prepared for drawing.
namespace tilewise::grading {

/// Thrown for a call that cannot be traced. Its message says which calls can.
class CannotTrace : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The number of an element. The elements of all matrices are numbered row after row, matrix after
/// matrix.
using ElementNumber = std::int32_t;
inline constexpr ElementNumber no_element = -1;

struct TraceMatrix {
  std::string name;
  int rows = 0;
  int cols = 0;
  int leading_dimension = 0;  ///< elements from one row to the next
  int element_bytes = 4;
  bool read_only = false;
  std::uint32_t place = 0;  ///< position of the first element in device memory, in bytes
  ElementNumber first = 0;  ///< number of the first element; gaps between rows count

  std::int64_t elements() const { return std::int64_t{rows} * leading_dimension; }
  std::int64_t bytes() const { return elements() * element_bytes; }
};

/// One memory instruction of one warp.
struct TraceRequest {
  simt::TracedRequest made;
  /// The step within the interval. A new step begins when the warp repeats an access of the current
  /// one.
  int step = 0;
  int matrix = -1;  ///< the matrix that it touches; -1: shared memory, or memory of no matrix
  /// For shared memory, by lane and word of 4 bytes (or by element, if elements have 8 bytes): the
  /// element that was brought there from device memory, or no_element.
  std::vector<ElementNumber> origins;
  std::uint32_t outside = 0;  ///< lanes that touch memory outside of all matrices
  std::uint32_t racing = 0;   ///< lanes that take part in a race found by the checks

  /// Returns the position of a lane's access relative to the matrix's first byte.
  std::int64_t offset(const TraceMatrix& of, std::size_t nth_lane) const {
    return std::int64_t{made.at[nth_lane]} - of.place;
  }
};

struct TraceBlock {
  std::uint64_t number = 0;
  int intervals = 0;
  bool cut = false;  ///< the block made more requests than are kept
  std::vector<TraceRequest> requests;
};

struct TraceKernel {
  simt::LaunchRecord launch = {};
  std::vector<simt::TracedSite> sites;
  std::vector<simt::TracedArray> arrays;
  std::vector<TraceBlock> blocks;
  /// The bytes from and to each DRAM partition, by block of the grid. Empty on GPUs that hash
  /// addresses over partitions, and for large grids.
  std::vector<simt::PartitionBytes> partitions;
};

struct Trace {
  std::string stage;
  std::string call;
  core::GpuProfile gpu;
  std::vector<TraceMatrix> matrices;
  std::vector<TraceKernel> kernels;
  int launches = 0;  ///< launches of the call, including those that left no trace
  std::vector<Finding> findings;
  SourceTexts sources;
};

/// Returns the matrix that a lane's access lies in, or null if there is none. It need not be the
/// request's matrix: some lanes may load from A while others load from B.
/// @param nth counts the lanes that take part
const TraceMatrix* matrix_of_lane(const std::vector<TraceMatrix>& matrices,
                                  const simt::TracedRequest& request, std::size_t nth);

/// Returns the index of a block in its grid.
std::array<unsigned, 3> block_index(const simt::LaunchRecord& launch, std::uint64_t block);

/// Sorts the call's requests and works out their steps, origins and marks.
/// @param text  a worker's trace text (trace_text.hpp)
/// @param matrices  as filled by write_matrices(); their places are set
/// @throws std::runtime_error if the text is not a trace
std::vector<TraceKernel> interpret_trace(const std::string& text,
                                         std::vector<TraceMatrix>& matrices,
                                         const std::vector<Finding>& findings);

}  // namespace tilewise::grading
