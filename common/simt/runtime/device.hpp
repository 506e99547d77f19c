#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/simt/include/tilewise/errors.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/launch_by_structure.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"

/// State of the one simulated device: which GPU it is, its last error, what ran and what was found.
namespace tilewise::simt::device {

const core::GpuProfile& profile();

/// Keeps the error for cudaGetLastError and returns it.
/// @param function  that is about to return it
cudaError_t fail(cudaError_t error, const char* function = __builtin_FUNCTION());

using simt::not_supported;

/// A finding for a call that is about to return an error: which, and where it was made.
/// @param function  that says so; a helper of CUDA's, maybe
void note_failed_call(cudaError_t error, const char* function);
/// Where the program has called the function that it is in.
void add_place_of_call(Finding& finding);

/// An error that ends the device's usefulness: every later call returns it, as CUDA does after a
/// kernel failed.
void fail_for_ever(cudaError_t error);
cudaError_t lasting_error();
void forget_errors();

/// Whether a whole program runs (lab check), rather than calls that somebody judges.
bool is_whole_program();

/// Dynamic shared memory a launch may ask for, raised by cudaFuncSetAttribute.
std::size_t dynamic_shared_limit();
cudaError_t raise_dynamic_shared_limit(std::size_t bytes);

LaunchRecord record_of(const LaunchConfiguration& launch);
void record(const LaunchConfiguration& launch);
void note_bytes_to_host(std::size_t bytes);
void record(Finding finding);
void record(KernelProfile profile);
void record(KernelTrace trace);
/// Notes why CUDA returned an error for a call, for whoever did not look at it: a finding of the
/// kind "refused", which is no fault by itself.
void record_refusal(std::string message, const char* file = "", int line = 0);
/// A copy whose direction is not that of its pointers.
void record_refused_copy(cudaMemcpyKind kind, bool to_device, bool from_device);

/// A launch is over, well or not: somebody may want to know (Listening::tell).
void tell_news();

/// How the next launch is to be watched: no sample where every block has to run anyway, and no
/// trace once there are as many as are kept.
Watch watch_of_next_launch();

}  // namespace tilewise::simt::device

namespace tilewise::simt {

/// What the checks of one launch found: of each kind and place the first, and not too many. The
/// first is that of the block with the lowest number, whichever of those that run at a time came to
/// it first: the same launch is told the same way again.
class Findings {
 public:
  static Findings& instance();

  void start_launch();

  /// Hands over what was found. Where threads of different warps race, so do threads of one warp
  /// as a rule: that is told once.
  void finish_launch();

  /// Whether this launch has done anything wrong.
  bool any();

  /// Whether what this block does wrong of the kind at these places is of no interest.
  bool knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site,
             std::uint32_t block);

  /// @param warp of its block, that was at fault alone
  void add(Finding found, std::uint32_t block, std::optional<unsigned> warp = {});

 private:
  struct Found {
    Finding finding;
    std::uint32_t block;
    std::optional<unsigned> warp;
    std::size_t number;  ///< in which order they were added
  };

  /// In the order of the blocks, and of time. What a warp does wrong between two barriers comes in
  /// the order that the compiler gave it: it is told in that of the source.
  std::vector<Found> in_order() const;

  static constexpr std::size_t most = 16;  // a screenful

  std::mutex mutex_;
  /// The lowest block that did each.
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::uint32_t> sites_;
  std::map<std::tuple<std::string, std::string, int, int>, Found> found_;
  std::size_t added_ = 0;
};

}  // namespace tilewise::simt
