#include "common/simt/runtime/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/faults.hpp"
#include "common/simt/runtime/module_variables.hpp"

__thread uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace tilewise::simt {

__thread Block* this_threads_block = nullptr;  // set once the thread runs a kernel

Block::Block() : stacks_(&Block::run_threads) {}

[[gnu::noinline]] void Block::make_for_this_thread() {
  static thread_local std::unique_ptr<Block> owner(new Block);
  this_threads_block = owner.get();
}

// Barriers and accesses to locals call this function, so it stays short.
Block& Block::of_this_thread() {
  if (this_threads_block == nullptr) make_for_this_thread();
  return *this_threads_block;
}

const Block* Block::if_any_of_this_thread() { return this_threads_block; }

void Block::start_launch(const LaunchConfiguration& launch, const LaunchBody& body,
                         const Watch& watch) {
  launch_ = &launch;
  body_ = body;
  blockDim = launch.block;
  gridDim = launch.grid;
  const std::size_t count = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  threads_.assign(count, Thread{});
  lanes_.assign(count, Lane{});
  numbers_.resize(count);
  turns_.resize(count);
  std::iota(numbers_.begin(), numbers_.end(), std::uint16_t{0});
  if (watch.order == ThreadOrder::reverse) std::reverse(numbers_.begin(), numbers_.end());
  wanted_watch_ = watch;
  shared_.start_launch(launch.kernel);
  take_turns(0);
  end_ = threads_.data() + count;
  warps_.resize((count + 31) / 32);
  tell_recorder_of_memory();
  watch_ = nullptr;
  runs_rows_ = false;
  if (!watch.checks && !watch.counters && !watch.trace) return choose_rows();
  watch_ = &BlockWatch::of_this_thread();
  watch_->start(watch, launch, body, shared_);
}

/// A split kernel runs by rows only if nothing observes it, its blocks do not wait for each other,
/// and its threads run in their usual order.
void Block::choose_rows() {
  if (is_cooperative() || wanted_watch_.order != ThreadOrder::forward) return;
  const std::optional<SplitKernel> kernel = split_kernel(body_.run);
  runs_rows_ = kernel && rows_.start_launch(*launch_, body_, *kernel);
}

void Block::finish_launch() {
  if (watch_ != nullptr) watch_->finish();
}

void Block::tell_recorder_of_memory() {
  const DeviceMemory& memory = DeviceMemory::instance();
  const auto& variables = ModuleVariables::of(reinterpret_cast<std::uintptr_t>(body_.run));
  recorder.shared_base = reinterpret_cast<std::uintptr_t>(shared_.base());
  recorder.shared_bytes = BlockSharedMemory::room();
  recorder.device_base = reinterpret_cast<std::uintptr_t>(memory.base());
  recorder.device_bytes = memory.capacity();
  recorder.device_pages = memory.pages();
  recorder.variables_base = variables.base();
  recorder.variables_bytes = variables.bytes();
}

bool Block::may_store_to_variable(const void* address) const {
  const auto& variables = ModuleVariables::of(reinterpret_cast<std::uintptr_t>(body_.run));
  return variables.leads_to_shared_memory(address) || variables.is_run_times(address) ||
         variables.is_line_count(address);
}

void Block::take_turns(std::uint64_t block) {
  if (wanted_watch_.order == ThreadOrder::shuffled) {
    std::mt19937_64 random(wanted_watch_.seed + block);
    std::shuffle(numbers_.begin(), numbers_.end(), random);
  }
  const unsigned x = launch_->block.x, y = launch_->block.y;
  for (std::size_t turn = 0; turn < numbers_.size(); ++turn) {
    const unsigned number = numbers_[turn];
    turns_[number] = static_cast<std::uint16_t>(turn);
    threads_[turn].index = {number % x, number / x % y, number / x / y};
  }
}

std::optional<Finding> Block::run(uint3 index, std::uint64_t number) {
  blockIdx = index;
  shared_.start_block(launch_->dynamic_shared_bytes);
  if (runs_rows_) return run_rows(index);
  if (wanted_watch_.order == ThreadOrder::shuffled) take_turns(number);
  for (Thread& thread : threads_) {
    thread.context = nullptr;
    thread.runs_from = 0;
  }
  for (Lane& lane : lanes_) lane.wait.what = nullptr;
  for (Warp& warp : warps_) {
    warp.live = ~0u;
    warp.asking = 0;
    warp.gatherings.clear();
    warp.barrier.what = nullptr;
  }
  if (threads_.size() % 32 != 0) warps_.back().live = (1u << threads_.size() % 32) - 1;
  live_ = threads_.size();
  block_ = number;
  copies_.start_block(threads_.size());
  doubts_ = 0;
  asking_ = 0;
  running_is_at_end_ = false;
  at_end_.reset();
  arrived_ = 0;
  truths_ = 0;
  interval_ = 0;
  broken_by_.reset();
  without_room_.clear();

  if (watch_ != nullptr) watch_->start_block(static_cast<std::uint32_t>(number), turns_);
  resume(threads_.front());
  const Fiber* first = stacks_.take();
  {
    const KeepingReturns keeping;
    recorder.guards_stores = true;
    keep_context(jump(first->context, &home_));
    recorder.guards_stores = false;
  }
  running_ = nullptr;
  if (watch_ != nullptr) watch_->finish_block();
  if (doubts_ != 0) tell_of_arithmetic();
  if (broken_by_) {
    stacks_.reset();
  } else {
    check_shared_memory();
  }
  return broken_by_;
}

std::optional<Finding> Block::run_rows(uint3 index) {
  running_ = &threads_.front();
  broken_by_ = rows_.run(index);
  running_ = nullptr;
  if (!broken_by_) check_shared_memory();
  return broken_by_;
}

// The result of such arithmetic is not specified on a GPU, but it is no error.
void Block::tell_of_arithmetic() {
  if (watch_ == nullptr || !wanted_watch_.checks) return;
  for (std::ptrdiff_t i = 0; i < doubts_; ++i) {
    const DoubtfulArithmetic& one = doubtful_[i];
    Finding finding = finding_of(one, watch_->name_of(one.thread));
    finding.place = watch_->place_of(one.thread, watch_->number());
    Findings::instance().add(std::move(finding), static_cast<std::uint32_t>(block_));
  }
}

// nvcc refuses a kernel whose declarations are too large. Here their size is known only once a
// block has reached them.
void Block::check_shared_memory() {
  const std::size_t most = device::profile().default_shared_bytes_per_block();
  if (shared_.static_bytes() <= most) return;
  broken_by_ = Finding{.kind = "launch",
                       .message = tr("{} declares {} bytes of shared memory, but a block of this "
                                     "GPU has {}: use smaller tiles",
                                     launch_->kernel, shared_.static_bytes(), most),
                       .file = launch_->file,
                       .line = launch_->line};
}

void Block::run_threads(Transfer from) {
  keep_context(from);
  Block& block = of_this_thread();
  // This stack is fresh, so it belongs to the fiber that was taken last.
  Fiber& fiber = *block.stacks_.last_taken();
  for (;;) {
    block.body_.run(block.body_.context);
    follow(block.finish_thread(fiber));
  }
}

Block::Thread* Block::next_after(std::size_t position) {
  for (std::size_t step = 0; step < threads_.size(); ++step) {
    position = position + 1 == threads_.size() ? 0 : position + 1;
    if (can_run(threads_[position])) return &threads_[position];
  }
  return make_room_in_traces() || answer_active_masks() ? next_after(position) : nullptr;
}

bool Block::make_room_in_traces() {
  if (without_room_.empty()) return false;
  watch_->read_traces_of_stalled_block(without_room_);
  std::erase_if(without_room_, [&](unsigned number) {
    if (watch_->trace_is_full(number)) return false;
    threads_[turns_[number]].runs_from = 0;
    return true;
  });
  return true;
}

Switch Block::wait_for_room_in_trace() {
  Thread& thread = *running_;
  if (!watch_->has_no_room()) return leave(thread);
  thread.runs_from = not_until_woken;
  without_room_.push_back(static_cast<unsigned>(number_of(thread)));
  return leave(thread);
}

Switch Block::switch_to(Thread& next, Thread& thread) {
  if (&next == &thread) return {nullptr, nullptr};
  resume(next);
  return {next.context != nullptr ? next.context : stacks_.take()->context, &thread.context};
}

Switch Block::leave_for_a_later_one(Thread& thread) {
  Thread* next = next_after(turn_of(thread));
  return next != nullptr ? switch_to(*next, thread) : break_off_deadlock(&thread.context);
}

Switch Block::finish_thread(Fiber& fiber) {
  const std::size_t number = number_of(*running_);
  copies_.finish(static_cast<unsigned>(number));
  running_->runs_from = not_until_woken;
  --live_;
  warps_[warp_of(number)].live &= ~(1u << lane_of(number));
  if (std::exchange(running_is_at_end_, false) && (!at_end_ || number < *at_end_)) at_end_ = number;
  if (live_ == 0) {
    stacks_.give_back(&fiber);
    return {home_, &fiber.context};
  }
  if (const Gathering* waits = left_waiting_by(number)) {
    return break_off_masks(&fiber.context, number, waits->wait, waits->other_mask, *waits);
  }
  if (arrived_ == live_) count_barrier();
  complete_gatherings_without(number);

  Thread* next = next_after(turn_of(*running_));
  if (next == nullptr) return break_off_deadlock(&fiber.context);
  resume(*next);
  if (next->context == nullptr) return {nullptr, nullptr};
  stacks_.give_back(&fiber);
  return {next->context, &fiber.context};
}

Switch Block::arrive_at_block_barrier(const char* what, Site site, bool predicate) {
  if (site.line != barrier_.site.line || site.file != barrier_.site.file) [[unlikely]] {
    return arrive_at_another_barrier(what, site, predicate);
  }
  return count_in(predicate);
}

Switch Block::arrive_at_another_barrier(const char* what, Site site, bool predicate) {
  Thread& thread = *running_;
  if (!agrees(thread, {what, site})) return break_off_divergence(thread, {what, site});
  return count_in(predicate);
}

inline Switch Block::count_in(bool predicate) {
  Thread& thread = *running_;
  thread.runs_from = interval_ + 1;
  truths_ += predicate;
  return ++arrived_ < live_ ? leave(thread) : pass_barrier(thread);
}

Switch Block::pass_barrier(Thread& thread) {
  count_barrier();
  // The next interval starts with the first thread again, whichever thread came last.
  return switch_to(*next_after(threads_.size() - 1), thread);
}

void Block::count_barrier() {
  if (watch_ != nullptr) {
    watch_->pass_barrier(static_cast<std::size_t>(std::count_if(
        warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.live != 0; })));
  }
  if (at_end_) [[unlikely]]
    tell_of_skipped_barrier();
  if (barrier_.what == nullptr) [[unlikely]] {
    for (Warp& warp : warps_) warp.barrier.what = nullptr;
  }
  passed_ = {truths_, static_cast<int>(arrived_)};
  arrived_ = 0;
  truths_ = 0;
  ++interval_;
}

Switch Block::break_off_access(Finding fault) {
  broken_by_ = std::move(fault);
  return {home_, &running_->context};
}

Switch Block::refuse_larger_block(unsigned most) {
  return break_off_access({.kind = beyond_launch_bounds, .message = std::to_string(most)});
}

Switch Block::arrive_at_grid_barrier(Site site) {
  if (grid_barrier_ == nullptr) {
    return break_off_access(
        {.kind = "launch",
         .message = tr("grid.sync() waits for blocks that need not run at the same "
                       "time: launch the kernel by cudaLaunchCooperativeKernel()"),
         .file = site.file,
         .line = site.line});
  }
  if (grid_barrier_->arrive_and_wait()) return {nullptr, nullptr};
  return break_off_access({.kind = "deadlock",
                           .message = tr("grid.sync() is not reached by all blocks of the grid"),
                           .file = site.file,
                           .line = site.line});
}

Switch Block::let_others_run() {
  if (running_ == nullptr) return {nullptr, nullptr};
  // All threads that can run may wait for something that only the threads in `__activemask()` have.
  if (asking_ != 0 && ++yields_ > live_) answer_active_masks();
  return leave(*running_);
}

void* Block::enter_shared(int slot) { return shared_.enter(slot); }
void* Block::enter_shared_at_file_scope(int slot) { return shared_.enter_at_file_scope(slot); }

// The functions that the facade's headers call, always from within a kernel.

Switch refuse(const char* why, Site site) {
  return running_block().break_off_access(
      {.kind = "launch", .message = why, .file = site.file, .line = site.line});
}

Switch refuse_larger_block(unsigned most) { return running_block().refuse_larger_block(most); }

Switch arrive_at_grid_barrier(Site site) { return running_block().arrive_at_grid_barrier(site); }
bool launch_is_cooperative() { return running_block().is_cooperative(); }

Switch arrive_at_block_barrier(const char* what, Site site, bool predicate) {
  return running_block().arrive_at_block_barrier(what, site, predicate);
}

BarrierVotes votes_of_passed_barrier() { return running_block().votes_of_passed_barrier(); }

Switch let_others_run() { return Block::of_this_thread().let_others_run(); }
void* enter_shared(int slot) { return running_block().enter_shared(slot); }
void* enter_shared_at_file_scope(int slot) {
  return running_block().enter_shared_at_file_scope(slot);
}
void* enter_dynamic_shared(const char*) { return running_block().enter_dynamic_shared(); }
void keep_context(Transfer from) { *static_cast<Context*>(from.data) = from.fctx; }

}  // namespace tilewise::simt
