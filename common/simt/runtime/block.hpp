#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/simt/include/tilewise/barriers.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/block_shared_memory.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/copies_on_their_way.hpp"
#include "common/simt/runtime/grid_barrier.hpp"
#include "common/simt/runtime/split_kernels.hpp"
#include "common/simt/runtime/stack_pool.hpp"
#include "common/simt/runtime/undefined.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

/// A finding of this kind says how many threads the kernel's __launch_bounds__ allow.
constexpr const char* beyond_launch_bounds = "launch-bounds";

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
  void start_launch(const LaunchConfiguration& launch, const LaunchBody& body, const Watch& watch);

  /// Where blocks wait for others of their launch; null where they cannot.
  void use_grid_barrier(GridBarrier* barrier) { grid_barrier_ = barrier; }
  bool is_cooperative() const { return grid_barrier_ != nullptr; }
  Switch arrive_at_grid_barrier(Site site);

  /// All blocks of the launch that fell to this thread have run.
  void finish_launch();

  /// @param number of the block, in the order blockIdx.x, y, z
  /// @return what ended the block early; nothing where all threads returned.
  std::optional<Finding> run(uint3 index, std::uint64_t number);

  /// What follows the block's accesses; null where nothing does.
  BlockWatch* watch() { return watch_; }
  std::size_t static_shared_bytes() const { return shared_.static_bytes(); }

  Switch arrive_at_block_barrier(const char* what, Site site, bool predicate);
  BarrierVotes votes_of_passed_barrier() const { return passed_; }

  Switch arrive_at_warp_operation(const char* what, Site site, unsigned mask, std::uint64_t value,
                                  int source_lane);
  /// Waits for the lanes that are on their way to the same `__activemask()`.
  Switch arrive_at_active_mask(Site site);

  /// The running thread is about to return from its kernel's end.
  void note_kernel_end() { running_is_at_end_ = true; }

  std::uint64_t passed_value() const { return lanes_[number_of(*running_)].value; }
  unsigned passed_ballot() const { return lanes_[number_of(*running_)].ballot; }
  int lane() const { return lane_of(number_of(*running_)); }
  unsigned live_lanes() const { return warps_[warp_of(number_of(*running_))].live; }

  Switch let_others_run();

  /// Whether a kernel runs that does what hardware does where the guide leaves it open.
  bool goes_on_as_hardware() const { return running_ != nullptr && wanted_watch_.strict; }
  /// Notes the running thread's: of each place the lowest thread, in whatever order they run. Also
  /// called from a signal handler.
  void note_arithmetic(DoubtfulArithmetic arithmetic) {
    arithmetic.thread = running_number();
    const auto end = doubtful_.begin() + doubts_;
    const auto known = std::find_if(doubtful_.begin(), end, [&](const DoubtfulArithmetic& one) {
      return one.place == arithmetic.place;
    });
    if (known == doubtful_.end() || (known != end && known->thread <= arithmetic.thread)) return;
    *known = arithmetic;
    if (known == end) ++doubts_;
  }

  CopiesOnTheirWay& copies() { return copies_; }
  unsigned running_number() const { return static_cast<unsigned>(number_of(*running_)); }

  /// Keeps the running thread waiting until its warp's trace has been read.
  Switch wait_for_room_in_trace();

  /// Ends the block: the running thread cannot make an access.
  Switch break_off_access(Finding fault);
  Switch refuse_larger_block(unsigned most);

  /// Whether a variable that each operating-system thread has of its own is there for kernels.
  bool may_store_to_variable(const void* address) const;

  void* enter_shared(int slot);
  void* enter_shared_at_file_scope(int slot);
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

  /// What a barrier touches, kept small: a block has up to 1,024 of them.
  struct Thread {
    Context context;     ///< where it goes on; null before it starts
    unsigned runs_from;  ///< barriers the block must have passed for it to run
    uint3 index;
  };

  /// A thread's part in warp-wide operations.
  struct Lane {
    std::uint64_t value;  ///< offered, then received
    unsigned ballot;      ///< received
    int source;           ///< lane asked for, or a WarpFold
    Wait wait;            ///< set while it waits for the others
  };

  /// `runs_from` of a thread that waits for its warp or has returned.
  static constexpr unsigned not_until_woken = ~0u;

  /// Lanes on their way into one warp-wide operation.
  struct Gathering {
    unsigned mask;     ///< lanes that are to come
    unsigned arrived;  ///< lanes that have
    Wait wait;
    unsigned elsewhere = 0;  ///< lanes that were to come, and have made the same call without these
    unsigned other_mask = 0;  ///< with this mask
  };

  struct Warp {
    unsigned live;
    unsigned asking;  ///< lanes that wait in `__activemask()`
    std::vector<Gathering> gatherings;
    Wait barrier;  ///< where its threads wait, once threads wait at different ones
  };

  Block();
  static void make_for_this_thread();
  void check_shared_memory();
  [[noreturn]] static void run_threads(Transfer from);

  void tell_recorder_of_memory();
  void choose_rows();
  std::optional<Finding> run_rows(uint3 index);
  void take_turns(std::uint64_t block);

  std::size_t turn_of(const Thread& thread) const {
    return static_cast<std::size_t>(&thread - threads_.data());
  }
  /// In the order threadIdx.x, y, z: what warps and lanes follow from.
  std::size_t number_of(const Thread& thread) const { return numbers_[turn_of(thread)]; }
  static std::size_t warp_of(std::size_t thread) { return thread / 32; }
  static int lane_of(std::size_t thread) { return static_cast<int>(thread % 32); }

  bool can_run(const Thread& thread) const { return thread.runs_from <= interval_; }

  // What a thread does at nearly every barrier is short, and calls nothing that it would have to
  // keep registers for; all else stays out of its way.
  [[gnu::always_inline]] Switch count_in(bool predicate);
  [[gnu::noinline]] Switch arrive_at_another_barrier(const char* what, Site site, bool predicate);
  [[gnu::noinline]] Thread* next_after(std::size_t position);
  [[gnu::noinline]] Switch leave_for_a_later_one(Thread& thread);
  [[gnu::noinline]] Switch pass_barrier(Thread& thread);
  Switch leave(Thread& thread);
  Switch switch_to(Thread& next, Thread& thread);
  void count_barrier();
  Switch finish_thread(Fiber& fiber);
  /// Ends the block with what the observers say of it.
  [[gnu::cold]] Switch break_off(void* leaving, const StuckBlock& stuck);
  [[gnu::always_inline]] void resume(Thread& thread);
  bool make_room_in_traces();
  bool complete(Warp& warp, std::size_t warp_index, Gathering& gathering);
  void complete_gatherings_without(std::size_t thread);
  const Gathering* left_waiting_by(std::size_t thread) const;
  Switch break_off_masks(void* leaving, std::size_t thread, const Wait& wait, unsigned mask,
                         const Gathering& other);
  [[gnu::cold]] Switch break_off_deadlock(void* leaving);
  [[gnu::cold]] Switch break_off_divergence(Thread& thread, const Wait& wait);
  [[gnu::noinline]] bool agrees(Thread& thread, const Wait& wait);
  bool goes_on_divided(Thread& thread, const Wait& wait);
  const Thread& some_waiting(std::optional<std::size_t> of_warp = std::nullopt) const;
  bool answer_active_masks();
  [[gnu::cold]] void tell_of_missing_lane(std::size_t thread, int lane, const Gathering& gathering);
  [[gnu::cold]] void tell_of_skipped_barrier();
  [[gnu::cold]] void tell_of_arithmetic();
  template <class Ask>
  void tell(Ask&& ask);

  StackPool stacks_;
  BlockSharedMemory shared_;
  Context home_ = nullptr;  ///< run(), waiting for the block to end

  const LaunchConfiguration* launch_ = nullptr;
  GridBarrier* grid_barrier_ = nullptr;
  LaunchBody body_{};
  RowsOfBlock rows_;        ///< of a split kernel
  bool runs_rows_ = false;  ///< in place of threads

  std::vector<Thread> threads_;         ///< in the order of their turns
  std::vector<std::uint16_t> numbers_;  ///< by turn
  std::vector<std::uint16_t> turns_;    ///< by number
  const Thread* end_ = nullptr;         ///< of threads_
  std::vector<Lane> lanes_;             ///< by number of the thread
  std::vector<Warp> warps_;
  Thread* running_ = nullptr;
  std::size_t live_ = 0;
  std::optional<Finding> broken_by_;

  Watch wanted_watch_;
  BlockWatch* watch_ = nullptr;
  std::vector<unsigned> without_room_;  ///< numbers of threads whose warp's trace is full

  std::size_t arrived_ = 0;  ///< at the block barrier
  Wait barrier_;             ///< where the arrived wait, if any has
  int truths_ = 0;           ///< arrived with a true predicate
  unsigned interval_ = 0;    ///< barriers passed
  BarrierVotes passed_{};

  // Behind what every barrier touches.
  std::uint64_t block_ = 0;  ///< number
  unsigned asking_ = 0;      ///< threads that wait in `__activemask()`
  unsigned yields_ = 0;      ///< of threads, one after another, since the last answer to those
  bool running_is_at_end_ = false;
  /// The first in number of the threads that have come to the kernel's end in this interval.
  std::optional<std::size_t> at_end_;
  CopiesOnTheirWay copies_;
  std::array<DoubtfulArithmetic, 16> doubtful_{};  ///< the first of this block
  std::ptrdiff_t doubts_ = 0;
};

}  // namespace tilewise::simt
