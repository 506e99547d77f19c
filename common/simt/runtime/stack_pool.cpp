#include "common/simt/runtime/stack_pool.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <string_view>

#ifdef TILEWISE_SANITIZE
#include <sanitizer/asan_interface.h>
#endif

namespace tilewise::simt {

namespace {

/// As many as a block has threads, on any GPU.
constexpr std::size_t most_fibers = 1024;

/// Local arrays and call frames of one CUDA thread; all of them take 256 MiB of addresses, and as
/// many for what functions keep (kept_returns.hpp), of which only what is touched becomes memory.
constexpr std::size_t stack_bytes = 256 * 1024;

/// Inaccessible, so that a thread that needs more is stopped; a multiple of every page size in use.
constexpr std::size_t gap_bytes = 64 * 1024;

/// A stack between two gaps, and what its functions keep.
constexpr std::size_t fiber_bytes = 2 * (gap_bytes + stack_bytes);
static_assert(std::string_view(TILEWISE_KEPT_RETURNS) == "327680" &&
              stack_bytes + gap_bytes == 327680);

/// Stacks that all started at the same offset in a page would compete for the same few cache sets;
/// consecutive ones are shifted by three lines, over the 16 KiB that a 64-set, 4-way slice of a
/// first-level cache covers.
constexpr std::size_t shift_bytes = 3 * 64, shift_range = 16 * 1024;

/// AddressSanitizer marks the gaps in a frame and clears them when its function returns, which
/// those on a dropped stack never do.
void clear_marks([[maybe_unused]] const Fiber& fiber) {
#ifdef TILEWISE_SANITIZE
  __asan_unpoison_memory_region(fiber.stack_top - stack_bytes, stack_bytes);
#endif
}

}  // namespace

StackPool::~StackPool() {
  for (const auto& fiber : all_) clear_marks(*fiber);
  if (range_ != nullptr) munmap(range_, most_fibers * fiber_bytes);
}

Fiber* StackPool::take() {
  if (free_.empty()) {
    all_.push_back(make());
    free_.push_back(all_.back().get());
  }
  last_taken_ = free_.back();
  free_.pop_back();
  return last_taken_;
}

std::unique_ptr<Fiber> StackPool::make() {
  if (range_ == nullptr) {
    void* range = mmap(nullptr, most_fibers * fiber_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    range_ = static_cast<std::byte*>(range);
  }
  if (all_.size() == most_fibers) throw std::bad_alloc();
  std::byte* const stack = range_ + all_.size() * fiber_bytes + gap_bytes;
  for (std::byte* part : {stack, stack + stack_bytes + gap_bytes}) {
    if (mprotect(part, stack_bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  auto fiber = std::make_unique<Fiber>();
  fiber->stack_top = stack + stack_bytes;
  fiber->stack_bytes = stack_bytes - all_.size() * shift_bytes % shift_range;
  fiber->context = boost::context::detail::make_fcontext(
      fiber->stack_top - (stack_bytes - fiber->stack_bytes), fiber->stack_bytes, entry_);
  return fiber;
}

void StackPool::reset() {
  free_.clear();
  for (const auto& fiber : all_) {
    clear_marks(*fiber);
    fiber->context = boost::context::detail::make_fcontext(
        fiber->stack_top - (stack_bytes - fiber->stack_bytes), fiber->stack_bytes, entry_);
    free_.push_back(fiber.get());
  }
}

// Offsets of addresses below the range come out beyond its end.
std::size_t StackPool::offset_of(const void* address) const {
  return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(range_);
}

const Fiber* StackPool::stack_at(const void* address) const {
  const std::size_t offset = offset_of(address), fiber = offset / fiber_bytes;
  if (fiber >= all_.size()) return nullptr;
  const bool is_stack = offset % fiber_bytes - gap_bytes < stack_bytes;  // wraps around in the gap
  return is_stack ? all_[fiber].get() : nullptr;
}

bool StackPool::overflowed_at(const void* address) const {
  const std::size_t offset = offset_of(address);
  return offset / fiber_bytes < all_.size() && offset % fiber_bytes < gap_bytes;
}

}  // namespace tilewise::simt
