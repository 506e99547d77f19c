#include "common/simt/runtime/stack_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/fiber_switch.hpp"

#ifdef TILEWISE_SANITIZE
#include <sanitizer/asan_interface.h>
#endif

namespace tilewise::simt {

namespace {

/// Room for the local arrays and call frames of one CUDA thread. 1,024 of them take 256 MiB of
/// addresses, and as many again for what functions keep (KeepingReturns, faults.hpp); only what is
/// touched becomes memory.
constexpr std::size_t stack_bytes = 256 * 1024;

/// The gaps are inaccessible, so that a thread that needs more is stopped. Their size is a multiple
/// of every page size in use.
constexpr std::size_t gap_bytes = 64 * 1024;

/// A stack between two gaps, what its functions keep, and what is known of its variables. One more
/// page makes it an odd number of pages, whatever the page size. Stacks an even number of pages
/// apart, as they were before with 160, would compete for a few sets of the tables in which a
/// processor caches address translations.
constexpr std::size_t fiber_bytes = 3 * (gap_bytes + stack_bytes) + 4096;
static_assert(std::string_view(TILEWISE_KEPT_RETURNS) == "327680" &&
              stack_bytes + gap_bytes == 327680 && marks_distance == 2 * (stack_bytes + gap_bytes));

/// Stacks that all started at the same offset in a page would compete for the same few cache sets.
/// Consecutive ones are therefore shifted by three lines, over the 16 KiB that a 64-set, 4-way
/// slice of a first-level cache covers.
constexpr std::size_t shift_bytes = 3 * 64, shift_range = 16 * 1024;

/// AddressSanitizer marks the gaps in a frame and clears the marks when the function returns, and
/// the fences around arrays are cleared then, too. Functions on a dropped stack never return.
void clear_marks(const Fiber& fiber) {
  madvise(fiber.stack_top - stack_bytes + marks_distance, stack_bytes, MADV_DONTNEED);
#ifdef TILEWISE_SANITIZE
  __asan_unpoison_memory_region(fiber.stack_top - stack_bytes, stack_bytes);
#endif
}

}  // namespace

StackPool::~StackPool() {
  for (const auto& fiber : all_) {
    clear_marks(*fiber);
    munmap(fiber->stack_top - stack_bytes - gap_bytes, fiber_bytes);
  }
}

Fiber* StackPool::take() {
  if (free_.empty()) {
    all_.push_back(make());
    free_.push_back(all_.back().get());
    const std::byte* const top = free_.back()->stack_top;
    tops_.insert(std::upper_bound(tops_.begin(), tops_.end(), top), top);
  }
  last_taken_ = free_.back();
  free_.pop_back();
  return last_taken_;
}

std::unique_ptr<Fiber> StackPool::make() {
  void* range = mmap(nullptr, fiber_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  mprotect(range, gap_bytes, PROT_NONE);
  mprotect(static_cast<std::byte*>(range) + gap_bytes + stack_bytes, gap_bytes, PROT_NONE);
  auto fiber = std::make_unique<Fiber>();
  fiber->stack_top = static_cast<std::byte*>(range) + gap_bytes + stack_bytes;
  fiber->stack_bytes = stack_bytes - all_.size() * shift_bytes % shift_range;
  fiber->context = fresh_context_of(*fiber);
  return fiber;
}

Context StackPool::fresh_context_of(const Fiber& fiber) const {
  return fresh_context(fiber.stack_top - (stack_bytes - fiber.stack_bytes), fiber.stack_bytes,
                       entry_);
}

void StackPool::reset() {
  free_.clear();
  for (const auto& fiber : all_) {
    clear_marks(*fiber);
    fiber->context = fresh_context_of(*fiber);
    free_.push_back(fiber.get());
  }
}

StackPool::Range StackPool::stack_at(const void* address) const {
  const auto above =
      std::upper_bound(tops_.begin(), tops_.end(), static_cast<const std::byte*>(address));
  if (above == tops_.end() || address < *above - stack_bytes) return {nullptr, 0};
  return {*above - stack_bytes, stack_bytes};
}

bool StackPool::overflowed_at(const void* address) const {
  for (const auto& fiber : all_) {
    const std::byte* stack_end = fiber->stack_top - stack_bytes;
    if (address < stack_end && address >= stack_end - gap_bytes) return true;
  }
  return false;
}

}  // namespace tilewise::simt
