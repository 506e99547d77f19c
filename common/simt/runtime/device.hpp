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

/// The state of the one simulated device: which GPU it is, its last error, what ran and what was
/// found.
namespace tilewise::simt::device {

const core::GpuProfile& profile();

/// Keeps the error for cudaGetLastError and returns it.
/// @param function the one that is about to return it
cudaError_t fail(cudaError_t error, const char* function = __builtin_FUNCTION());

using simt::not_supported;

/// Records a finding for a call that is about to return an error: which call, and where it was
/// made.
/// @param function the one that reports the error, which may be a helper of CUDA's
void note_failed_call(cudaError_t error, const char* function);
/// Adds to the finding where the program called the CUDA function that is running.
void add_place_of_call(Finding& finding);

/// Records an error that makes the device useless: every later call returns it, as CUDA does after
/// a kernel failed.
void fail_for_ever(cudaError_t error);
cudaError_t lasting_error();
void forget_errors();

/// Whether a whole program runs (lab check), rather than single calls that a grader judges.
bool is_whole_program();

/// The dynamic shared memory that a launch of a kernel may ask for, in bytes. cudaFuncSetAttribute
/// raises it for one kernel, whose address tells it apart; no address stands for any of those for
/// which it is raised.
std::size_t dynamic_shared_limit(const void* kernel);
cudaError_t raise_dynamic_shared_limit(const void* kernel, std::size_t bytes);

LaunchRecord record_of(const LaunchConfiguration& launch);
void record(const LaunchConfiguration& launch);
void note_bytes_to_host(std::size_t bytes);
void record(Finding finding);
void record(KernelProfile profile);
void record(KernelTrace trace);
/// Records what may explain a wrong result, a finding of the kind "refused" or "lost-shuffle", which
/// is no fault by itself. Only the first of each kind is kept.
void record_explanation(Finding finding);
/// Records why CUDA returned an error for a call, in case the caller did not look at it, as an
/// explanation.
void record_refusal(std::string message, const char* file = "", int line = 0);
/// Records a copy whose direction does not match its pointers.
void record_refused_copy(cudaMemcpyKind kind, bool to_device, bool from_device);

/// A launch is over, successful or not: calls Listening::tell, if it is set.
void tell_news();

/// Returns how the next launch is to be watched: without a sample where every block has to run
/// anyway, and without a trace once as many are kept as may be.
Watch watch_of_next_launch();

}  // namespace tilewise::simt::device

namespace tilewise::simt {

/// What the checks of one launch found: the first finding of each kind and place, up to a limit.
/// The first one is that of the block with the lowest number, whichever of the blocks that run at
/// the same time came to it first, so that the same launch is reported the same way again.
class Findings {
 public:
  static Findings& instance();

  void start_launch();

  /// Hands over the findings. Where threads of different warps race, threads of one warp usually
  /// race, too: that is reported only once.
  void finish_launch();

  /// Whether this launch has done anything wrong so far.
  bool any();

  /// Whether a fault of this block, of this kind and at these places, need not be reported.
  bool knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site,
             std::uint32_t block);

  /// @param warp the warp of the block that alone was at fault
  void add(Finding found, std::uint32_t block, std::optional<unsigned> warp = {});

 private:
  struct Found {
    Finding finding;
    std::uint32_t block;
    std::optional<unsigned> warp;
    std::size_t number;  ///< the order in which they were added
  };

  /// Returns the findings in the order of the blocks, and of time. Faults of one warp between two
  /// barriers come in the order of the compiled code, and are put into the order of the source.
  std::vector<Found> in_order() const;

  static constexpr std::size_t most = 16;  // a screenful

  std::mutex mutex_;
  /// The lowest block that had each fault.
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::uint32_t> sites_;
  std::map<std::tuple<std::string, std::string, int, int>, Found> found_;
  std::size_t added_ = 0;
};

}  // namespace tilewise::simt
