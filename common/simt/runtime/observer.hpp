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

/// How the run-time tells of kernels at work. Whoever wants to know, a check or a counter, is an
/// Observer in common/simt/checks; nothing else of it does the run-time know.
namespace tilewise::simt {

class BlockWatch;

enum class WarpOperation { barrier, shuffle, vote };

/// A product of small matrices that a warp's lanes have made together.
struct WarpProduct {
  enum class Numbers { half, tf32, double_real, whole } numbers;
  std::uint64_t multiply_adds;
};

/// One instruction of one warp that touches memory.
struct Access {
  const Request& request;
  const Pattern& pattern;
  const SiteState& site;

  Action action() const { return request.site.action(); }
  bool writes() const { return action() != Action::read; }
  unsigned lanes() const { return static_cast<unsigned>(__builtin_popcount(request.lanes)); }
};

/// One lane's part in a request that touches what it may not.
struct StrayLane {
  const Request& request;
  unsigned lane;
  bool misaligned;  ///< its size does not divide the address; otherwise that lies in no array

  Place place() const { return request.places[lane]; }
  unsigned thread() const { return request.warp * 32 + lane; }
};

/// A thread's access to neither shared nor existing device memory nor a variable of its own.
struct AccessElsewhere {
  const void* address;
  std::uint32_t site;
  bool on_a_stack;  ///< of another thread
};

/// A thread's access to a variable of its own that has no value, or next to an array.
struct PrivateAccess {
  const DeclaredVariable& variable;
  std::uint32_t site;
  unsigned thread;
  /// From the start of the array to where it is left, if it is.
  std::optional<std::ptrdiff_t> offset;
};

/// An index that the compiler found outside of the extent it was used with, and the access that
/// came of it, if that was to an array of shared memory.
struct IndexOutside {
  const IndexFault& fault;
  unsigned thread;
  std::uint32_t site;
  std::optional<SharedNames::OutOfBounds> element;
};

/// A thread that waits, and where.
struct WaitingThread {
  uint3 thread;
  const char* what;  ///< "__syncthreads()"
  Site site;
};

/// Why a block cannot go on.
struct StuckBlock {
  enum class Why {
    divided,         ///< threads come to different barriers: the first of `threads` and the second
    deadlocked,      ///< no thread can go on; one of `threads` for each place where some wait
    outside_mask,    ///< the first of `threads` is not in the mask that it names
    masks_disagree,  ///< the second of `threads` waits with another mask that shares a lane
  };
  Why why;
  uint3 block;
  std::span<const WaitingThread> threads;
  unsigned mask = 0, other_mask = 0;
  int lane = 0;  ///< of the first thread
};

/// A barrier that the block passes without a thread that has come to the kernel's end before.
struct SkippedBarrier {
  uint3 block;
  uint3 thread;           ///< that skipped it
  WaitingThread barrier;  ///< and one that came to it
};

/// A lane that asks for the value of one that takes no part in its shuffle, or that makes without
/// it what all lanes of a warp make together.
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
  int lane;  ///< that is asked for
  bool is_of_all_lanes;
};

/// A copy into shared memory that goes on while its thread does something else.
struct BegunCopy {
  Place to, from;
  unsigned bytes, bytes_read;
  unsigned batch;  ///< of its thread's
};

/// Blocks of a grid, by number, and of how many each tells.
using BlockWeights = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// What observers leave of a launch.
struct LaunchResults {
  std::uintptr_t code;          ///< an address in the kernel's code
  const BlockWeights& weights;  ///< empty: all blocks ran
  KernelProfile* profile;       ///< null where nothing is counted, or a block was broken off
  KernelTrace* trace;           ///< null where none is wanted
};

/// Follows kernels. Each operating-system thread has one of its own, which is told of the blocks
/// that run there; one more is told of what concerns the process: memory, and launches as a whole.
/// What those have in common is static.
class Observer {
 public:
  virtual ~Observer() = default;

  // The process.

  /// Launches from here on are watched so.
  virtual void watch(const Watch&) {}

  /// Memory that exists from here on, in whole pages, and is gone.
  virtual void allocated(Place /*first*/, std::size_t /*bytes*/) {}
  virtual void released(Place /*first*/, std::size_t /*bytes*/) {}
  /// The host has given bytes of device memory a value, or says that they have none.
  virtual void initialised(Place /*first*/, std::size_t /*bytes*/, bool /*has_value*/) {}
  virtual void copied(Place /*to*/, Place /*from*/, std::size_t /*bytes*/) {}

  /// A copy, or memset, reads or writes bytes that kernels may touch.
  virtual void host_access(Place /*first*/, std::size_t /*bytes*/, bool /*writes*/) {}
  /// Code of the host does so itself, at a place that it shares with kernels, before it has waited
  /// for all that the device was given.
  virtual void host_code_access(Place /*first*/, std::size_t /*bytes*/, bool /*writes*/,
                                std::uintptr_t /*pc*/) {}
  /// It makes an atomic operation there.
  virtual void host_code_atomic(Place) {}

  virtual void begin_launch(const Watch&, const LaunchConfiguration&) {}
  /// Blocks that are to run next, where a few of them may stand for the grid. None: it has enough.
  virtual std::vector<std::uint64_t> next_of_sample() { return {}; }
  /// The blocks that stand for the grid; none where all of it has to run.
  virtual BlockWeights weights() { return {}; }
  virtual void end_launch(const LaunchResults&) {}

  /// @return what to say of a block that is broken off
  virtual std::optional<Finding> stuck(const StuckBlock&) { return std::nullopt; }
  /// @return what to say of a block that goes on
  virtual std::optional<Finding> skipped(const SkippedBarrier&) { return std::nullopt; }
  virtual std::optional<Finding> shuffled(const ShuffleFromNowhere&) { return std::nullopt; }

  // The blocks of a thread.

  /// Blocks of a launch, or some of a sample's, will follow; `block` tells of them as they run.
  virtual void start(const BlockWatch& block) { block_ = &block; }
  /// The argument says whether tags of all blocks before mean nothing any more.
  virtual void start_block(bool /*tags_anew*/) {}
  /// All loads, stores and atomics as the warps make them, if sees_accesses() when the block
  /// starts.
  virtual void access(const Access&) {}
  /// Where checks are on: those of them, or the lanes of them, that are aligned and lie inside of
  /// one array of shared memory, or one buffer in device memory; and the other lanes.
  virtual void shared_access(const Access&) {}
  virtual void global_access(const Access&) {}
  virtual void stray_lane(const StrayLane&) {}
  /// Not of a warp, but while the thread is about to make it. @return why the launch ends there;
  /// nothing where it is no business of the kernel's.
  virtual std::optional<Finding> access_elsewhere(const AccessElsewhere&) { return std::nullopt; }
  virtual void private_access(const PrivateAccess&) {}
  virtual void index_outside(const IndexOutside&) {}
  virtual void shared_array(Place /*start*/) {}
  virtual void fence() {}
  /// A thread has begun a copy, which is told as a read and a write before; or it has waited, and of
  /// its batches so many have arrived.
  virtual void copy_begun(const BegunCopy&, AccessRecord /*by*/) {}
  virtual void copies_arrived(unsigned /*batches*/, AccessRecord /*wait*/) {}
  virtual void warp_operation(unsigned /*warp*/, WarpOperation) {}
  virtual void product(const WarpProduct&) {}
  /// Accesses of the interval between two barriers have all been told.
  virtual void end_interval() {}
  virtual void barrier(std::size_t /*live_warps*/) {}
  /// A trace was full: accesses of unfinished instructions of the block have been told so far.
  virtual void stalled() {}
  virtual void finish_block() {}
  /// No block was broken off.
  virtual void finish() {}

  bool sees_accesses() const { return sees_accesses_; }

 protected:
  const BlockWatch& block() const { return *block_; }

  bool sees_accesses_ = false;

 private:
  const BlockWatch* block_ = nullptr;
};

/// The one that is told of the process, by each of its checks; none where no checks are linked in.
std::span<Observer* const> process_observers();

}  // namespace tilewise::simt
