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

/// What a small call does in memory, made ready to be drawn.
namespace tilewise::grading {

/// A call that cannot be traced; says which can.
class CannotTrace : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Elements of all matrices have one number each, row after row, matrix after matrix.
using ElementNumber = std::int32_t;
inline constexpr ElementNumber no_element = -1;

struct TraceMatrix {
  std::string name;
  int rows = 0;
  int cols = 0;
  int leading_dimension = 0;  ///< elements from one row to the next
  int element_bytes = 4;
  bool read_only = false;
  std::uint32_t place = 0;  ///< of the first element in device memory, in bytes
  ElementNumber first = 0;  ///< number of the first element, gaps between rows counted

  std::int64_t elements() const { return std::int64_t{rows} * leading_dimension; }
  std::int64_t bytes() const { return elements() * element_bytes; }
};

/// One instruction of one warp.
struct TraceRequest {
  simt::TracedRequest made;
  /// Within the interval: a step begins where the warp comes again to what it has done in this one.
  int step = 0;
  int matrix = -1;  ///< that it touches; -1: shared memory, or memory of the kernel's own
  /// Of shared memory, by lane and word of 4 bytes (an element, where those have 8): the element
  /// that was brought there from device memory, or no_element.
  std::vector<ElementNumber> origins;
  std::uint32_t outside = 0;  ///< lanes that touch what is no part of any matrix
  std::uint32_t racing = 0;   ///< lanes that take part in a race that the checks have found

  /// A lane's access relative to the matrix's first byte.
  std::int64_t offset(const TraceMatrix& of, std::size_t nth_lane) const {
    return std::int64_t{made.at[nth_lane]} - of.place;
  }
};

struct TraceBlock {
  std::uint64_t number = 0;
  int intervals = 0;
  bool cut = false;  ///< it did more than is kept
  std::vector<TraceRequest> requests;
};

struct TraceKernel {
  simt::LaunchRecord launch = {};
  std::vector<simt::TracedSite> sites;
  std::vector<simt::TracedArray> arrays;
  std::vector<TraceBlock> blocks;
  /// By block of the grid: bytes from and to each DRAM partition. Empty where addresses are hashed
  /// over partitions, and in large grids.
  std::vector<simt::PartitionBytes> partitions;
};

struct Trace {
  std::string stage;
  std::string call;
  core::GpuProfile gpu;
  std::vector<TraceMatrix> matrices;
  std::vector<TraceKernel> kernels;
  int launches = 0;  ///< of the call, those that left no trace too
  std::vector<Finding> findings;
  SourceTexts sources;
};

/// Where a block stands in its grid.
std::array<unsigned, 3> block_index(const simt::LaunchRecord& launch, std::uint64_t block);

/// What the call's requests tell once they are put in order: steps, origins, marks.
/// @param text  a worker's (trace_text.hpp)
/// @param matrices  as write_matrices() has filled them; they learn where they lie
/// @throws std::runtime_error where the text is none
std::vector<TraceKernel> interpret_trace(const std::string& text,
                                         std::vector<TraceMatrix>& matrices,
                                         const std::vector<Finding>& findings);

}  // namespace tilewise::grading
