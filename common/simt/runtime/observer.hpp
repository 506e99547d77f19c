#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/barriers.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/recorder/pattern.hpp"
#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/names.hpp"
#include "common/simt/runtime/private_variables.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/trace.hpp"
#include "common/simt/watch.hpp"

/// How the run-time reports what kernels do. Every check and counter is an Observer in
/// common/simt/checks; the run-time knows nothing else about them.
namespace tilewise::simt {

class BlockWatch;

enum class WarpOperation { barrier, shuffle, vote };

/// A product of small matrices that the lanes of a warp have computed together.
struct WarpProduct {
  enum class Numbers { half, tf32, double_real, whole } numbers;
  std::uint64_t multiply_adds;
};

/// One instruction of one warp that accesses memory.
struct Access {
  const Request& request;
  const Pattern& pattern;
  const SiteState& site;

  Action action() const { return request.site.action(); }
  bool writes() const { return action() != Action::read; }
  unsigned lanes() const { return static_cast<unsigned>(__builtin_popcount(request.lanes)); }
};

/// One lane's part in a request, where the lane accesses what it may not.
struct StrayLane {
  const Request& request;
  unsigned lane;
  /// The address is not a multiple of the access size; otherwise it lies in no array.
  bool misaligned;

  Place place() const { return request.places[lane]; }
  unsigned thread() const { return request.warp * 32 + lane; }
};

/// A thread's access to memory that is neither shared memory, nor allocated device memory, nor one
/// of the thread's own variables.
struct AccessElsewhere {
  const void* address;
  std::uint32_t site;
  bool on_a_stack;  ///< the stack belongs to another thread
};

/// A thread's access to a variable of its own that has no value yet, or to memory next to an array
/// of its own.
struct PrivateAccess {
  const DeclaredVariable& variable;
  std::uint32_t site;
  unsigned thread;
  /// If the access leaves the array: where it goes, counted from the start of the array.
  std::optional<std::ptrdiff_t> offset;
};

/// An index that the compiler found outside the extent it was used with, and the access that
/// followed from it, if that was an access to an array in shared memory.
struct IndexOutside {
  const IndexFault& fault;
  unsigned thread;
  std::uint32_t site;
  std::optional<SharedNames::OutOfBounds> element;
};

/// A thread that waits, and the place where it waits.
struct WaitingThread {
  uint3 thread;
  const char* what;  ///< "__syncthreads()"
  Site site;
};

/// Why a block cannot go on.
struct StuckBlock {
  enum class Why {
    divided,         ///< threads come to different barriers: the first of `threads` and the second
    deadlocked,      ///< no thread can go on; `threads` has one for each place where some wait
    outside_mask,    ///< the first of `threads` is not in the mask that it passes
    masks_disagree,  ///< the second of `threads` waits with a different mask that shares a lane
  };
  Why why;
  uint3 block;
  std::span<const WaitingThread> threads;
  unsigned mask = 0, other_mask = 0;
  int lane = 0;  ///< the first thread's lane
};

/// A barrier that the block passes without a thread that has already come to the kernel's end.
struct SkippedBarrier {
  uint3 block;
  uint3 thread;           ///< the thread that skipped it
  WaitingThread barrier;  ///< a thread that came to it
};

/// A lane that asks for the value of a lane that takes no part in its shuffle, or that performs an
/// operation of the whole warp without that lane.
struct ShuffleFromNowhere {
  enum class Source {
    outside_mask,
    has_returned,
    not_there,  ///< the block has no such thread
  };
  Source source;
  uint3 block;
  WaitingThread caller;
  unsigned mask;
  int lane;  ///< the lane that does not take part
  bool is_of_all_lanes;
};

/// A copy into shared memory that goes on while its thread does something else.
struct BegunCopy {
  Place to, from;
  unsigned bytes, bytes_read;
  /// The bytes that were asked for. What a GPU reads is undefined unless there are 0 to `bytes`.
  std::ptrdiff_t bytes_asked_for = bytes_read;
  unsigned batch = 0;  ///< the number of the batch among those of its thread
};

/// Numbers of blocks of a grid, each with the number of blocks that it stands for.
using BlockWeights = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The results that observers deliver for a launch.
struct LaunchResults {
  std::uintptr_t code;          ///< an address in the kernel's code
  const BlockWeights& weights;  ///< empty: all blocks ran
  KernelProfile* profile;       ///< null if nothing is counted, or if a block was broken off
  KernelTrace* trace;           ///< null if no trace is wanted
};

/// Observes kernels. Each operating-system thread has an observer of its own, which is notified of
/// the blocks that run there. One more observer is notified of what concerns the whole process:
/// memory, and launches as a whole. What these observers share is static.
class Observer {
 public:
  virtual ~Observer() = default;

  // Notifications about the process.

  /// How launches are watched from here on.
  virtual void watch(const Watch&) {}

  /// Memory that is allocated from here on, or released, in whole pages.
  virtual void allocated(Place /*first*/, std::size_t /*bytes*/) {}
  virtual void released(Place /*first*/, std::size_t /*bytes*/) {}
  /// The host has written bytes of device memory, or declares that they have no value.
  virtual void initialised(Place /*first*/, std::size_t /*bytes*/, bool /*has_value*/) {}
  virtual void copied(Place /*to*/, Place /*from*/, std::size_t /*bytes*/) {}

  /// A copy or memset by the host reads or writes bytes that kernels may access.
  virtual void host_access(Place /*first*/, std::size_t /*bytes*/, bool /*writes*/) {}
  /// Host code itself reads or writes a place that it shares with kernels, before it has waited for
  /// all the work given to the device.
  virtual void host_code_access(Place /*first*/, std::size_t /*bytes*/, bool /*writes*/,
                                std::uintptr_t /*pc*/) {}
  /// Host code performs an atomic operation there.
  virtual void host_code_atomic(Place) {}

  virtual void begin_launch(const Watch&, const LaunchConfiguration&) {}
  /// Returns the blocks to run next, where a few of them may stand for the grid; none if the sample
  /// is large enough.
  virtual std::vector<std::uint64_t> next_of_sample() { return {}; }
  /// Returns the blocks that stand for the grid; none if all of it has to run.
  virtual BlockWeights weights() { return {}; }
  virtual void end_launch(const LaunchResults&) {}

  /// @return what to report about a block that is broken off
  virtual std::optional<Finding> stuck(const StuckBlock&) { return std::nullopt; }
  /// @return what to report about a block that goes on
  virtual std::optional<Finding> skipped(const SkippedBarrier&) { return std::nullopt; }
  virtual std::optional<Finding> shuffled(const ShuffleFromNowhere&) { return std::nullopt; }

  // Notifications about the blocks that run on a thread.

  /// Blocks of a launch, or some blocks of a sample, will follow; `block` gives information about
  /// them as they run.
  virtual void start(const BlockWatch& block) { block_ = &block; }
  /// The argument says whether the tags of all earlier blocks have become invalid.
  virtual void start_block(bool /*tags_anew*/) {}
  /// Called for all loads, stores and atomics as the warps make them, if sees_accesses() when the
  /// block starts.
  virtual void access(const Access&) {}
  /// Called where checks are on: the first two for those accesses, or those of their lanes, that
  /// are aligned and lie inside one array of shared memory or one buffer in device memory; the
  /// third for all other lanes.
  virtual void shared_access(const Access&) {}
  virtual void global_access(const Access&) {}
  virtual void stray_lane(const StrayLane&) {}
  /// Called for one thread rather than a warp, when the thread is about to make the access.
  /// @return why the launch ends there; nothing if the access is not the kernel's.
  virtual std::optional<Finding> access_elsewhere(const AccessElsewhere&) { return std::nullopt; }
  virtual void private_access(const PrivateAccess&) {}
  virtual void index_outside(const IndexOutside&) {}
  virtual void shared_array(Place /*start*/) {}
  virtual void fence() {}
  /// A thread has begun a copy, whose read and write have been reported before; or a thread has
  /// waited, and that many of its batches have arrived.
  virtual void copy_begun(const BegunCopy&, AccessRecord /*by*/) {}
  virtual void copies_arrived(unsigned /*batches*/, AccessRecord /*wait*/) {}
  virtual void warp_operation(unsigned /*warp*/, WarpOperation) {}
  virtual void product(const WarpProduct&) {}
  /// All accesses of the interval between two barriers have been reported.
  virtual void end_interval() {}
  virtual void barrier(std::size_t /*live_warps*/) {}
  /// A trace was full: the accesses of the block's unfinished instructions have been reported so
  /// far.
  virtual void stalled() {}
  virtual void finish_block() {}
  /// All blocks on this thread have run, and none was broken off.
  virtual void finish() {}

  bool sees_accesses() const { return sees_accesses_; }

 protected:
  const BlockWatch& block() const { return *block_; }

  bool sees_accesses_ = false;

 private:
  const BlockWatch* block_ = nullptr;
};

/// Returns the observers of the process, one for each check; none if no checks are linked in.
std::span<Observer* const> process_observers();

}  // namespace tilewise::simt
