#include "common/simt/runtime/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/include/tilewise/warp.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/faults.hpp"
#include "common/simt/runtime/module_variables.hpp"
#include "common/simt/runtime/warp_products.hpp"

__thread uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace tilewise::simt {

namespace {

/// Mostly, a module has only one copy of a name, so the pointers are equal.
bool same_name(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

bool same_place(Site a, Site b) { return a.line == b.line && same_name(a.file, b.file); }

WarpOperation operation_named(std::string_view call) {
  if (call == "__syncwarp()") return WarpOperation::barrier;
  return call.substr(0, 6) == "__shfl" ? WarpOperation::shuffle : WarpOperation::vote;
}

}  // namespace

static bool needs_all_lanes(int source) {
  return source == static_cast<int>(WarpFold::product) ||
         source == static_cast<int>(WarpFold::rows);
}

/// Returns what a warp's operation computes from the values that the lanes in `arrived` have
/// offered.
static std::uint64_t folded(WarpFold how, const std::uint64_t (&offered)[32], unsigned arrived,
                            int lane) {
  if (how == WarpFold::product || how == WarpFold::rows) {
    if (lane != std::countr_zero(arrived)) return 0;
    how == WarpFold::product ? multiply_of_warp(offered, arrived)
                             : hand_rows_round_warp(offered, arrived);
    return 0;
  }
  const auto signed_number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  std::uint64_t result = offered[lane], same = 0;
  if (how == WarpFold::add || how == WarpFold::bits_of_one) result = 0;
  for (int other = 0; other < 32; ++other) {
    if ((arrived >> other & 1u) == 0) continue;
    const std::uint64_t value = offered[other];
    same |= std::uint64_t{value == offered[lane]} << other;
    if (how == WarpFold::add) result += value;
    if (how == WarpFold::bits_of_one) result ^= value;
    if (how == WarpFold::bits_of_both) result &= value;
    if (how == WarpFold::bits_of_either) result |= value;
    if (how == WarpFold::min_unsigned) result = std::min(result, value);
    if (how == WarpFold::max_unsigned) result = std::max(result, value);
    const bool smaller = signed_number(value) < signed_number(result);
    if (how == WarpFold::min_signed ? smaller : how == WarpFold::max_signed && !smaller) {
      result = value;
    }
  }
  if (how == WarpFold::match_any) return same;
  if (how == WarpFold::match_all) return same == arrived ? arrived : 0;
  return result;
}

static __thread Block* this_threads_block = nullptr;  // set once the thread runs a kernel

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

inline void Block::resume(Thread& thread) {
  running_ = &thread;
  threadIdx = thread.index;
  if (watch_ != nullptr) watch_->resume(static_cast<unsigned>(number_of(thread)));
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

inline Switch Block::leave(Thread& thread) {
  // The usual case comes first: the next thread in order has started and can go on.
  Thread* next = &thread + 1;
  if (next == end_ || !can_run(*next) || next->context == nullptr) {
    return leave_for_a_later_one(thread);
  }
  resume(*next);
  return {next->context, &thread.context};
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

template <class Ask>
void Block::tell(Ask&& ask) {
  if (watch_ == nullptr || !wanted_watch_.checks) return;
  watch_->pause_recording();
  for (Observer* observer : process_observers()) {
    if (auto found = ask(*observer)) {
      Findings::instance().add(std::move(*found), static_cast<std::uint32_t>(block_));
    }
  }
  watch_->go_on_recording();
}

bool Block::agrees(Thread& thread, const Wait& wait) {
  if (arrived_ == 0) barrier_ = wait;
  return same_place(barrier_.site, wait.site) || goes_on_divided(thread, wait);
}

// Hardware counts the threads that arrive, whichever barrier they arrive at. This does not hold for
// the lanes of one warp: what happens to those differs between GPU generations.
bool Block::goes_on_divided(Thread& thread, const Wait& wait) {
  if (!wanted_watch_.strict) return false;
  if (barrier_.what != nullptr) {
    const WaitingThread threads[] = {{thread.index, wait.what, wait.site},
                                     {some_waiting().index, barrier_.what, barrier_.site}};
    // Until now, all threads waited at the same barrier.
    for (const Thread& other : threads_) {
      if (other.runs_from != interval_ + 1) continue;
      warps_[warp_of(number_of(other))].barrier = barrier_;
    }
    Wait& known = warps_[warp_of(number_of(thread))].barrier;
    if (known.what != nullptr && !same_place(known.site, wait.site)) return false;
    tell([&](Observer& o) { return o.stuck({StuckBlock::Why::divided, blockIdx, threads}); });
    barrier_ = {};  // from here on, every thread that arrives is checked
  }
  Wait& of_warp = warps_[warp_of(number_of(thread))].barrier;
  if (of_warp.what == nullptr) of_warp = wait;
  return same_place(of_warp.site, wait.site);
}

const Block::Thread& Block::some_waiting(std::optional<std::size_t> of_warp) const {
  return *std::find_if(threads_.begin(), threads_.end(), [&](const Thread& other) {
    return other.runs_from == interval_ + 1 && (!of_warp || warp_of(number_of(other)) == *of_warp);
  });
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

// A thread that has never come to a barrier may have been left out of all the block's work, as if
// it had returned at once.
void Block::tell_of_skipped_barrier() {
  const std::size_t number = *std::exchange(at_end_, std::nullopt);
  if (interval_ == 0 && !wanted_watch_.strict) return;
  const Thread& other = some_waiting();
  const Wait& wait =
      barrier_.what != nullptr ? barrier_ : warps_[warp_of(number_of(other))].barrier;
  const uint3 thread = threads_[turns_[number]].index;
  tell([&](Observer& o) {
    return o.skipped({blockIdx, thread, {other.index, wait.what, wait.site}});
  });
}

Switch Block::break_off(void* leaving, const StuckBlock& stuck) {
  if (watch_ != nullptr) watch_->pause_recording();
  const Site site = stuck.threads.front().site;
  broken_by_ = Finding{.kind = "deadlock",
                       .message = tr("a block cannot go on"),
                       .file = site.file,
                       .line = site.line};
  for (Observer* observer : process_observers()) {
    if (auto said = observer->stuck(stuck)) broken_by_ = std::move(said);
  }
  return {home_, leaving};
}

Switch Block::break_off_divergence(Thread& thread, const Wait& wait) {
  const std::size_t warp = warp_of(number_of(thread));
  const bool by_warps = barrier_.what == nullptr;
  const Wait& others = by_warps ? warps_[warp].barrier : barrier_;
  const Thread& waits = some_waiting(by_warps ? std::optional(warp) : std::nullopt);
  const WaitingThread threads[] = {{thread.index, wait.what, wait.site},
                                   {waits.index, others.what, others.site}};
  return break_off(&thread.context, {StuckBlock::Why::divided, blockIdx, threads});
}

Switch Block::break_off_masks(void* leaving, std::size_t thread, const Wait& wait, unsigned mask,
                              const Gathering& other) {
  const WaitingThread threads[] = {{threads_[turns_[thread]].index, wait.what, wait.site},
                                   {{}, other.wait.what, other.wait.site}};
  return break_off(leaving, {.why = StuckBlock::Why::masks_disagree,
                             .block = blockIdx,
                             .threads = threads,
                             .mask = mask,
                             .other_mask = other.mask});
}

Switch Block::break_off_deadlock(void* leaving) {
  if (watch_ != nullptr) watch_->pause_recording();
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    for (const Gathering& one : warps_[warp].gatherings) {
      for (const Gathering& other : warps_[warp].gatherings) {
        // Each of the two waits for a lane that waits in the other.
        const unsigned lanes = one.arrived & other.mask;
        if (&one == &other || lanes == 0 || (other.arrived & one.mask) == 0) continue;
        const std::size_t first = warp * 32 + static_cast<std::size_t>(__builtin_ctz(lanes));
        return break_off_masks(leaving, first, lanes_[first].wait, one.mask, other);
      }
    }
  }
  std::vector<WaitingThread> threads;
  for (const Thread& thread : threads_) {
    const bool at_barrier = thread.runs_from == interval_ + 1;
    const Wait& of_block =
        barrier_.what != nullptr ? barrier_ : warps_[warp_of(number_of(thread))].barrier;
    const Wait& wait = at_barrier ? of_block : lanes_[number_of(thread)].wait;
    if (wait.what == nullptr) continue;
    const bool known = std::any_of(threads.begin(), threads.end(), [&](const WaitingThread& other) {
      return same_place(other.site, wait.site);
    });
    if (!known) threads.push_back({thread.index, wait.what, wait.site});
  }
  return break_off(leaving, {StuckBlock::Why::deadlocked, blockIdx, threads});
}

Switch Block::arrive_at_warp_operation(const char* what, Site site, unsigned mask,
                                       std::uint64_t value, int source_lane) {
  Thread& thread = *running_;
  const std::size_t position = number_of(thread);
  const std::size_t warp_index = warp_of(position);
  const unsigned own_lane = 1u << lane_of(position);
  Warp& warp = warps_[warp_index];
  thread.runs_from = not_until_woken;
  const bool folds = source_lane >= static_cast<int>(WarpFold::match_any);
  lanes_[position] = {value, 0, folds ? source_lane : source_lane & 31, {what, site}};

  const WaitingThread caller = {thread.index, what, site};
  if ((mask & own_lane) == 0) {
    return break_off(&thread.context, {.why = StuckBlock::Why::outside_mask,
                                       .block = blockIdx,
                                       .threads = {&caller, 1},
                                       .mask = mask,
                                       .lane = lane_of(position)});
  }
  Gathering* gathering = nullptr;
  for (Gathering& other : warp.gatherings) {
    // Lanes that have gone on to a call of more lanes wait there until these lanes come to it, too.
    if (other.mask == mask && same_name(other.wait.what, what)) gathering = &other;
  }
  if (gathering == nullptr) {
    warp.gatherings.push_back({mask, 0, {what, site}});
    gathering = &warp.gatherings.back();
  }
  gathering->arrived |= own_lane;
  if (complete(warp, warp_index, *gathering)) return {nullptr, nullptr};
  return leave(thread);
}

bool Block::complete(Warp& warp, std::size_t warp_index, Gathering& gathering) {
  if (gathering.arrived != (gathering.mask & warp.live)) return false;
  if (watch_ != nullptr) {
    watch_->pass_warp_operation(static_cast<unsigned>(warp_index), gathering.arrived,
                                operation_named(gathering.wait.what));
  }
  const std::size_t first = warp_index * 32;
  std::uint64_t offered[32];
  unsigned ballot = 0;
  for (int lane = 0; lane < 32; ++lane) {
    // The value of a lane that takes no part is undefined; a NaN makes its use visible.
    offered[lane] = ~std::uint64_t{0};
    if ((gathering.arrived >> lane & 1u) == 0) continue;
    offered[lane] = lanes_[first + lane].value;
    ballot |= (offered[lane] != 0 ? 1u : 0u) << lane;
  }
  const int first_lane = std::countr_zero(gathering.arrived);
  if (gathering.arrived != ~0u && needs_all_lanes(lanes_[first + first_lane].source)) {
    tell_of_missing_lane(first + first_lane, std::countr_one(gathering.arrived), gathering);
  }
  if (watch_ != nullptr &&
      lanes_[first + first_lane].source == static_cast<int>(WarpFold::product)) {
    watch_->note_product(product_of_warp(offered[first_lane]));
  }
  for (int lane = 0; lane < 32; ++lane) {
    if ((gathering.arrived >> lane & 1u) == 0) continue;
    const int source = lanes_[first + lane].source;
    if (source < 32 && (gathering.arrived >> source & 1u) == 0 && wanted_watch_.strict) {
      tell_of_missing_lane(first + lane, source, gathering);
    }
    const std::uint64_t received =
        source < 32 ? offered[source]
                    : folded(static_cast<WarpFold>(source), offered, gathering.arrived, lane);
    lanes_[first + lane] = {received, ballot, source, {}};
    threads_[turns_[first + lane]].runs_from = 0;
  }
  for (Gathering& other : warp.gatherings) {
    const unsigned awaited = other.mask & gathering.arrived;
    if (&other == &gathering || awaited == 0) continue;
    if (!same_place(other.wait.site, gathering.wait.site)) continue;
    other.elsewhere |= awaited;
    other.other_mask = gathering.mask;
  }
  gathering = warp.gatherings.back();
  warp.gatherings.pop_back();
  return true;
}

const Block::Gathering* Block::left_waiting_by(std::size_t thread) const {
  for (const Gathering& gathering : warps_[warp_of(thread)].gatherings) {
    if ((gathering.elsewhere >> lane_of(thread) & 1u) != 0) return &gathering;
  }
  return nullptr;
}

void Block::tell_of_missing_lane(std::size_t thread, int lane, const Gathering& gathering) {
  using Source = ShuffleFromNowhere::Source;
  const bool is_there = warp_of(thread) * 32 + static_cast<std::size_t>(lane) < threads_.size();
  const Source source = !is_there                            ? Source::not_there
                        : (gathering.mask >> lane & 1u) == 0 ? Source::outside_mask
                                                             : Source::has_returned;
  const WaitingThread caller = {threads_[turns_[thread]].index, gathering.wait.what,
                                lanes_[thread].wait.site};
  const bool is_of_all_lanes = needs_all_lanes(lanes_[thread].source);
  tell([&](Observer& o) {
    return o.shuffled({source, blockIdx, caller, gathering.mask, lane, is_of_all_lanes});
  });
}

void Block::complete_gatherings_without(std::size_t thread) {
  const std::size_t warp_index = warp_of(thread);
  Warp& warp = warps_[warp_index];
  for (std::size_t i = 0; i < warp.gatherings.size();) {
    if (!complete(warp, warp_index, warp.gatherings[i])) ++i;
  }
}

Switch Block::arrive_at_active_mask(Site site) {
  Thread& thread = *running_;
  const std::size_t position = number_of(thread);
  thread.runs_from = not_until_woken;
  lanes_[position].wait = {"__activemask()", site};
  warps_[warp_of(position)].asking |= 1u << lane_of(position);
  ++asking_;
  yields_ = 0;
  return leave(thread);
}

// Called once no thread can go on but those that wait in `__activemask()`: the lanes that have come
// to the same place by then are answered together. This matches hardware that parts lanes as late,
// and joins them as early, as it can. Lanes at a later line keep waiting, because the others may
// come there, too.
bool Block::answer_active_masks() {
  if (asking_ == 0) return false;
  yields_ = 0;
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    const Wait* first = nullptr;
    const auto for_each_asking = [&](auto&& visit) {
      for (unsigned lanes = warps_[warp].asking; lanes != 0; lanes &= lanes - 1) {
        visit(warp * 32 + static_cast<std::size_t>(__builtin_ctz(lanes)));
      }
    };
    for_each_asking([&](std::size_t thread) {
      const Wait& wait = lanes_[thread].wait;
      if (first == nullptr || wait.site.line < first->site.line) first = &wait;
    });
    if (first == nullptr) continue;
    const Site site = first->site;
    unsigned together = 0;
    for_each_asking([&](std::size_t thread) {
      if (same_place(lanes_[thread].wait.site, site)) together |= 1u << lane_of(thread);
    });
    warps_[warp].asking &= ~together;
    for (unsigned lanes = together; lanes != 0; lanes &= lanes - 1) {
      const std::size_t thread = warp * 32 + static_cast<std::size_t>(__builtin_ctz(lanes));
      lanes_[thread].ballot = together;
      lanes_[thread].wait = {};
      threads_[turns_[thread]].runs_from = 0;
      --asking_;
    }
  }
  return true;
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

static Block& running_block() { return *this_threads_block; }

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

Switch arrive_at_warp_operation(const char* what, Site site, unsigned mask, std::uint64_t value,
                                int source_lane) {
  return running_block().arrive_at_warp_operation(what, site, mask, value, source_lane);
}

Switch arrive_at_active_mask(Site site) { return running_block().arrive_at_active_mask(site); }

std::uint64_t value_from_passed_warp_operation() { return running_block().passed_value(); }
unsigned ballot_of_passed_warp_operation() { return running_block().passed_ballot(); }
int lane_index() { return running_block().lane(); }
unsigned live_lanes() { return running_block().live_lanes(); }
Switch let_others_run() { return Block::of_this_thread().let_others_run(); }
void* enter_shared(int slot) { return running_block().enter_shared(slot); }
void* enter_shared_at_file_scope(int slot) {
  return running_block().enter_shared_at_file_scope(slot);
}
void* enter_dynamic_shared(const char*) { return running_block().enter_dynamic_shared(); }
void keep_context(Transfer from) { *static_cast<Context*>(from.data) = from.fctx; }

}  // namespace tilewise::simt
