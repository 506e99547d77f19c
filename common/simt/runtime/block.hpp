#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// The kind of a finding whose message says how many threads the kernel's __launch_bounds__ allow.
constexpr const char* beyond_launch_bounds = "launch-bounds";

/// Runs the blocks that fall to one operating-system thread, one after another.
///
/// The threads of a block take turns: one runs until it has to wait (at a barrier, in a warp-wide
/// operation) or returns; then the next one in order runs, on its own stack. A thread that never
/// waits needs no stack of its own: the next thread runs on the same stack.
class Block {
 public:
  /// Returns the block of the calling operating-system thread.
  static Block& of_this_thread();

  /// Returns null on a thread that has run no kernel; async-signal-safe.
  static const Block* if_any_of_this_thread();

  /// Sets what all blocks of a launch have in common.
  void start_launch(const LaunchConfiguration& launch, const LaunchBody& body, const Watch& watch);

  /// Sets where blocks wait for the other blocks of their launch; null if they cannot.
  void use_grid_barrier(GridBarrier* barrier) { grid_barrier_ = barrier; }
  bool is_cooperative() const { return grid_barrier_ != nullptr; }
  Switch arrive_at_grid_barrier(Site site);

  /// Call when all blocks of the launch that fell to this thread have run.
  void finish_launch();

  /// @param number the block's number, in the order blockIdx.x, y, z
  /// @return what ended the block early; nothing if all threads returned.
  std::optional<Finding> run(uint3 index, std::uint64_t number);

  /// Returns the BlockWatch that follows the block's accesses; null if there is none.
  BlockWatch* watch() { return watch_; }
  std::size_t static_shared_bytes() const { return shared_.static_bytes(); }

  Switch arrive_at_block_barrier(const char* what, Site site, bool predicate);
  BarrierVotes votes_of_passed_barrier() const { return passed_; }

  Switch arrive_at_warp_operation(const char* what, Site site, unsigned mask, std::uint64_t value,
                                  int source_lane);
  /// Lets the running thread wait for the lanes that are on their way to the same `__activemask()`.
  Switch arrive_at_active_mask(Site site);

  /// The running thread is about to return from its kernel's end.
  void note_kernel_end() { running_is_at_end_ = true; }

  std::uint64_t passed_value() const { return lanes_[number_of(*running_)].value; }
  unsigned passed_ballot() const { return lanes_[number_of(*running_)].ballot; }
  int lane() const { return lane_of(number_of(*running_)); }
  unsigned live_lanes() const { return warps_[warp_of(number_of(*running_))].live; }

  Switch let_others_run();

  /// Whether a kernel runs that goes on as hardware does where the Programming Guide leaves the
  /// behaviour open.
  bool goes_on_as_hardware() const { return running_ != nullptr && wanted_watch_.strict; }
  /// Notes doubtful arithmetic of the running thread. For each place in the code, the lowest thread
  /// is kept, in whatever order the threads run. Also called from a signal handler.
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

  /// Ends the block, because the running thread cannot make an access.
  Switch break_off_access(Finding fault);
  Switch refuse_larger_block(unsigned most);

  /// Whether kernels may store to this variable, of which each operating-system thread has its own.
  bool may_store_to_variable(const void* address) const;

  void* enter_shared(int slot);
  void* enter_shared_at_file_scope(int slot);
  void* enter_dynamic_shared() { return shared_.dynamic(); }

  /// What runs here, if anything: for messages, also from a signal handler.
  bool runs_device_code() const { return running_ != nullptr; }
  const LaunchConfiguration* launch() const { return launch_; }
  const StackPool& stacks() const { return stacks_; }

 private:
  /// The call in which threads wait, and where it is in the source.
  struct Wait {
    const char* what = nullptr;
    Site site{};
  };

  /// The data that a barrier touches. It is kept small, because a block has up to 1,024 of them.
  struct Thread {
    Context context;     ///< where the thread goes on; null before it starts
    unsigned runs_from;  ///< number of barriers that the block must have passed for it to run
    uint3 index;
  };

  /// A thread's part in warp-wide operations.
  struct Lane {
    std::uint64_t value;  ///< the value that the thread offers, then the one it receives
    unsigned ballot;      ///< the ballot that it receives
    int source;           ///< the lane that it asks for, or a WarpFold
    Wait wait;            ///< set while it waits for the others
  };

  /// The value of `runs_from` for a thread that waits for its warp or has returned.
  static constexpr unsigned not_until_woken = ~0u;

  /// Lanes on their way into one warp-wide operation.
  struct Gathering {
    unsigned mask;     ///< lanes that are to arrive
    unsigned arrived;  ///< lanes that have arrived
    Wait wait;
    /// Lanes that were to arrive, but have made the same call with other lanes.
    unsigned elsewhere = 0;
    unsigned other_mask = 0;  ///< the mask of that other call
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
  /// Returns the thread's number in the order threadIdx.x, y, z, which determines its warp and
  /// lane.
  std::size_t number_of(const Thread& thread) const { return numbers_[turn_of(thread)]; }
  static std::size_t warp_of(std::size_t thread) { return thread / 32; }
  static int lane_of(std::size_t thread) { return static_cast<int>(thread % 32); }

  bool can_run(const Thread& thread) const { return thread.runs_from <= interval_; }

  // The code that a thread runs at nearly every barrier is short, and calls nothing for which it
  // would have to save registers; all other code is kept out of line.
  [[gnu::always_inline]] Switch count_in(bool predicate);
  [[gnu::noinline]] Switch arrive_at_another_barrier(const char* what, Site site, bool predicate);
  [[gnu::noinline]] Thread* next_after(std::size_t position);
  [[gnu::noinline]] Switch leave_for_a_later_one(Thread& thread);
  [[gnu::noinline]] Switch pass_barrier(Thread& thread);
  Switch leave(Thread& thread);
  Switch switch_to(Thread& next, Thread& thread);
  void count_barrier();
  Switch finish_thread(Fiber& fiber);
  /// Ends the block with what the observers report about it.
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
  Context home_ = nullptr;  ///< the context of run(), which waits for the block to end

  const LaunchConfiguration* launch_ = nullptr;
  GridBarrier* grid_barrier_ = nullptr;
  LaunchBody body_{};
  RowsOfBlock rows_;        ///< used for a split kernel
  bool runs_rows_ = false;  ///< rows run in place of threads

  std::vector<Thread> threads_;         ///< in the order of their turns
  std::vector<std::uint16_t> numbers_;  ///< the thread's number, by turn
  std::vector<std::uint16_t> turns_;    ///< the thread's turn, by number
  const Thread* end_ = nullptr;         ///< behind the last of threads_
  std::vector<Lane> lanes_;             ///< by the thread's number
  std::vector<Warp> warps_;
  Thread* running_ = nullptr;
  std::size_t live_ = 0;
  std::optional<Finding> broken_by_;

  Watch wanted_watch_;
  BlockWatch* watch_ = nullptr;
  std::vector<unsigned> without_room_;  ///< numbers of threads whose warp's trace is full

  std::size_t arrived_ = 0;  ///< threads that wait at the block barrier
  Wait barrier_;             ///< where the arrived threads wait, if there are any
  int truths_ = 0;           ///< arrived threads with a true predicate
  unsigned interval_ = 0;    ///< number of barriers passed
  BarrierVotes passed_{};

  // These members lie behind those that every barrier touches.
  std::uint64_t block_ = 0;  ///< number of the block
  unsigned asking_ = 0;      ///< threads that wait in `__activemask()`
  unsigned yields_ = 0;      ///< times that threads have yielded since the last answer to those
  bool running_is_at_end_ = false;
  /// The lowest number among the threads that have come to the kernel's end in this interval.
  std::optional<std::size_t> at_end_;
  CopiesOnTheirWay copies_;
  std::array<DoubtfulArithmetic, 16> doubtful_{};  ///< the first ones of this block
  std::ptrdiff_t doubts_ = 0;
};

// What follows serves the files that define the functions of a Block: block.cpp,
// block_divergence.cpp and block_warp_operations.cpp.

/// Null until the calling operating-system thread runs a kernel.
extern __thread Block* this_threads_block __attribute__((tls_model("initial-exec")));

/// Returns the block of the calling operating-system thread, which runs a kernel.
inline Block& running_block() { return *this_threads_block; }

/// Whether two names are the same. Mostly, a module has only one copy of a name, so the pointers
/// are equal.
inline bool same_name(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

inline bool same_place(Site a, Site b) { return a.line == b.line && same_name(a.file, b.file); }

inline void Block::resume(Thread& thread) {
  running_ = &thread;
  threadIdx = thread.index;
  if (watch_ != nullptr) watch_->resume(static_cast<unsigned>(number_of(thread)));
}

inline Switch Block::leave(Thread& thread) {
  // The usual case comes first: the next thread in order has started and can go on.
  Thread* next = &thread + 1;
  if (next == end_ || !can_run(*next) || next->context == nullptr) {
    return leave_for_a_later_one(thread);
  }
  resume(*next);
  return {next->context, &thread.context};
}

}  // namespace tilewise::simt
