#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/include/tilewise/barriers.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/block_shared_memory.hpp"
#include "common/simt/runtime/stack_pool.hpp"

namespace tilewise::simt {

struct LaunchConfiguration;

/// Runs the blocks that fall to one operating-system thread, one after another.
///
/// The threads of a block take turns: one runs until it has to wait (at a barrier, in a warp-wide
/// operation) or returns; then the next in order runs, on its own stack. A thread that never waits
/// needs no stack of its own: the one it ran on takes up the next thread.
class Block {
 public:
  /// The calling operating-system thread's.
  static Block& of_this_thread();

  /// Null on a thread that has run no kernel; async-signal-safe.
  static const Block* if_any_of_this_thread();

  /// What all blocks of a launch have in common.
  void start_launch(const LaunchConfiguration& launch, void (*body)(void*), void* context);

  /// @return false where the block broke a rule; device::record has been told.
  bool run(uint3 index);

  Switch arrive_at_block_barrier(const char* what, Site site, bool predicate);
  BarrierVotes votes_of_passed_barrier() const { return passed_; }

  Switch arrive_at_warp_operation(const char* what, Site site, unsigned mask, std::uint64_t value,
                                  int source_lane);
  std::uint64_t passed_value() const { return running_->value; }
  unsigned passed_ballot() const { return running_->ballot; }
  int lane() const { return lane_of(index_of(*running_)); }
  unsigned live_lanes() const { return warps_[warp_of(index_of(*running_))].live; }

  Switch let_others_run();

  void* enter_shared(int slot);
  void* enter_dynamic_shared() { return shared_.dynamic(); }

  /// For messages, also from a signal handler: what runs here, if anything.
  bool runs_device_code() const { return running_ != nullptr; }
  const LaunchConfiguration* launch() const { return launch_; }
  const StackPool& stacks() const { return stacks_; }

 private:
  /// What some threads wait for, and where in the source.
  struct Wait {
    const char* what = nullptr;
    Site site{};
  };

  /// One cache line: a barrier touches little else.
  struct alignas(64) Thread {
    boost::context::detail::fcontext_t context;  ///< where it goes on; null before it starts
    unsigned runs_from;   ///< barriers the block must have passed for it to run
    std::int8_t source_lane;  ///< asked for in a warp operation
    unsigned ballot;      ///< received from a warp operation
    std::uint64_t value;  ///< offered to a warp operation, then received from it
    uint3 index;
    Wait warp_wait;  ///< set while it waits in a warp operation
  };

  /// `runs_from` of a thread that waits for its warp or has returned.
  static constexpr unsigned not_until_woken = ~0u;

  /// Lanes on their way into one warp-wide operation.
  struct Gathering {
    unsigned mask;     ///< lanes that are to come
    unsigned arrived;  ///< lanes that have
    Wait wait;
  };

  struct Warp {
    unsigned live;
    std::vector<Gathering> gatherings;
  };

  Block();
  [[noreturn]] static void run_threads(boost::context::detail::transfer_t from);

  std::size_t index_of(const Thread& thread) const {
    return static_cast<std::size_t>(&thread - threads_.data());
  }
  static std::size_t warp_of(std::size_t thread) { return thread / 32; }
  static int lane_of(std::size_t thread) { return static_cast<int>(thread % 32); }

  bool can_run(const Thread& thread) const { return thread.runs_from <= interval_; }

  Thread* next_after(std::size_t position);
  Switch leave(Thread& thread);
  Switch switch_to(Thread& next, Thread& thread);
  void count_barrier();
  Switch finish_thread(Fiber& fiber);
  [[gnu::cold]] Switch break_off(void* leaving, const char* kind, Site site, std::string message);
  void resume(Thread& thread);
  bool complete(Warp& warp, std::size_t warp_index, Gathering& gathering);
  void complete_gatherings_without(std::size_t thread);
  [[gnu::cold]] Switch break_off_deadlock(void* leaving);
  [[gnu::cold]] Switch break_off_divergence(Thread& thread, const Wait& wait);

  StackPool stacks_;
  BlockSharedMemory shared_;
  boost::context::detail::fcontext_t home_ = nullptr;  ///< run(), waiting for the block to end

  const LaunchConfiguration* launch_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* body_context_ = nullptr;

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Thread* running_ = nullptr;
  std::size_t live_ = 0;
  bool broken_ = false;

  std::size_t arrived_ = 0;    ///< at the block barrier
  Wait barrier_;               ///< where the first to arrive waits
  uint3 first_arrived_{};
  int truths_ = 0;             ///< arrived with a true predicate
  unsigned interval_ = 0;      ///< barriers passed
  BarrierVotes passed_{};
};

}  // namespace tilewise::simt
