#include "common/simt/runtime/device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

namespace {

/// CUDA aligns allocations to at least 256 bytes (Programming Guide, "Device Memory Accesses").
constexpr std::size_t alignment = 256;

/// A multiple of every page size in use (4, 16 and 64 KiB). A gap of this size between allocations
/// also stops kernels that run past an end by a few rows.
constexpr std::size_t page = std::size_t{1} << device_page_bits;

/// Offsets must fit into a Place (recorder/record.hpp).
constexpr std::size_t largest_reservation = shared_place;
constexpr std::size_t smallest_reservation = std::size_t{64} << 20;

/// Released regions of up to this size stay in memory, made inaccessible: a page that is taken from
/// the system anew costs microseconds, above all in a virtual machine, and calls allocate and
/// release hundreds of matrices. Larger regions are seldom asked for again.
constexpr std::size_t largest_kept = std::size_t{16} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

DeviceMemory& DeviceMemory::instance() {
  static DeviceMemory* memory = new DeviceMemory;  // outlives static destructors that use it
  return *memory;
}

DeviceMemory::DeviceMemory() {
  // The range is only reserved, not used. It is smaller where a limit on the address space leaves
  // no room.
  for (capacity_ = largest_reservation; capacity_ >= smallest_reservation; capacity_ /= 2) {
    void* range =
        mmap(nullptr, capacity_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    base_ = static_cast<std::byte*>(range);
#ifdef MADV_HUGEPAGE
    // Matrices are filled, copied and compared as a whole, for which small pages cost the kernel
    // more time.
    madvise(range, capacity_, MADV_HUGEPAGE);
#endif
    pages_.resize(capacity_ / page);
    return;
  }
  throw std::runtime_error("the simulator cannot reserve 64 MiB of addresses for device memory");
}

std::byte* DeviceMemory::find_region(std::size_t bytes) {
  std::byte* candidate = base_ + page;
  for (const auto& [region, allocation] : allocations_) {
    if (candidate + bytes + page <= region) break;
    candidate = region + allocation.region_bytes + page;
  }
  const std::size_t left = static_cast<std::size_t>(base_ + capacity_ - candidate);
  return left >= bytes + page ? candidate : nullptr;
}

void* DeviceMemory::allocate(std::size_t bytes, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  if (bytes > capacity_) return nullptr;
  const std::size_t payload = round_up(bytes, alignment);
  const std::size_t region_bytes = round_up(payload, page);
  std::byte* region = find_region(region_bytes);
  if (region == nullptr || mprotect(region, region_bytes, PROT_READ | PROT_WRITE) != 0) {
    return nullptr;
  }
  std::memset(region, poison, region_bytes);
  std::byte* start = region + (region_bytes - payload);
  allocations_[region] = {start, bytes, region_bytes, false, kind};
  used_ += region_bytes;
  mark_pages(region, region_bytes, true);
  // Nobody sees what the host writes there.
  initialised(start, bytes, is_shared_with_host(kind));
  if (open_count_ == 0 && !is_shared_with_host(kind)) mprotect(region, region_bytes, PROT_NONE);
  return start;
}

std::uint32_t DeviceMemory::reserve_places(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t region_bytes = round_up(bytes, page);
  std::byte* end = base_ + capacity_ - page;  // the upper end, far from what kernels run past
  for (const auto& [region, allocation] : allocations_) {
    if (allocation.only_places) end = std::min(end, region - page);
  }
  const auto room = static_cast<std::size_t>(end - base_) / page * page;
  if (bytes == 0 || room < region_bytes + page) return 0;
  std::byte* const region = base_ + (room - region_bytes);
  if (!allocations_.empty()) {
    const auto before = allocations_.lower_bound(region + region_bytes);
    if (before != allocations_.begin()) {
      const auto& [last, allocation] = *std::prev(before);
      if (last + allocation.region_bytes + page > region) return 0;
    }
  }
  allocations_[region] = {region, bytes, region_bytes, true};
  const auto first = static_cast<Place>(region - base_);
  for (Observer* observer : process_observers()) observer->allocated(first, region_bytes);
  return first;
}

bool DeviceMemory::release(void* pointer) {
  const std::lock_guard lock(mutex_);
  for (auto entry = allocations_.begin(); entry != allocations_.end(); ++entry) {
    const auto& [region, allocation] = *entry;
    if (allocation.start != pointer || allocation.only_places) continue;
    descriptions_.erase(descriptions_.lower_bound(region),
                        descriptions_.lower_bound(region + allocation.region_bytes));
    mark_pages(region, allocation.region_bytes, false);
    mprotect(region, allocation.region_bytes, PROT_NONE);
    if (allocation.region_bytes > largest_kept) {
      madvise(region, allocation.region_bytes, MADV_DONTNEED);
    }
    used_ -= allocation.region_bytes;
    allocations_.erase(entry);
    return true;
  }
  return false;
}

void DeviceMemory::release_all() {
  const std::lock_guard lock(mutex_);
  std::vector<std::byte*> starts;
  for (const auto& [region, allocation] : allocations_) {
    if (!allocation.only_places) starts.push_back(allocation.start);
  }
  for (std::byte* start : starts) release(start);
}

bool DeviceMemory::contains(const void* address) const {
  return address >= base_ && address < base_ + capacity_;
}

MemoryKind DeviceMemory::kind_at(const void* address) const {
  const std::lock_guard lock(mutex_);
  const Allocation* const allocation =
      contains(address) ? allocation_at(static_cast<const std::byte*>(address)) : nullptr;
  return allocation == nullptr ? MemoryKind::device : allocation->kind;
}

bool DeviceMemory::is_open_to_host(const void* address) const {
  const std::lock_guard lock(mutex_);
  const Allocation* const allocation = allocation_at(static_cast<const std::byte*>(address));
  return allocation != nullptr && allocation->stays_open();
}

bool DeviceMemory::holds(const void* address, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto* first = static_cast<const std::byte*>(address);
  auto after = allocations_.upper_bound(const_cast<std::byte*>(first));
  if (after == allocations_.begin()) return false;
  const Allocation& allocation = std::prev(after)->second;
  if (first < allocation.start || allocation.only_places) return false;
  const auto offset = static_cast<std::size_t>(first - allocation.start);
  return offset <= allocation.bytes && bytes <= allocation.bytes - offset;
}

void DeviceMemory::mark_pages(const std::byte* region, std::size_t bytes, bool allocated) {
  const auto first = static_cast<std::size_t>(region - base_);
  std::fill_n(pages_.begin() + static_cast<std::ptrdiff_t>(first / page), bytes / page, allocated);
  if (!allocated) {
    released_[region] = bytes;
    for (Observer* observer : process_observers()) {
      observer->released(static_cast<Place>(first), bytes);
    }
    return;
  }
  const auto overlaps = [&](const auto& old) {
    return old.first < region + bytes && old.first + old.second > region;
  };
  std::erase_if(released_, overlaps);
  for (Observer* observer : process_observers()) {
    observer->allocated(static_cast<Place>(first), bytes);
  }
}

void DeviceMemory::describe(const void* address, BufferDescription description) {
  const std::lock_guard lock(mutex_);
  const auto* first = static_cast<const std::byte*>(address);
  auto overlap = descriptions_.lower_bound(first);
  if (overlap != descriptions_.begin()) {
    auto before = std::prev(overlap);
    if (before->first + before->second.bytes > first) overlap = before;
  }
  while (overlap != descriptions_.end() && overlap->first < first + description.bytes) {
    overlap = descriptions_.erase(overlap);
  }
  if (holds(address, description.bytes)) note_unreadable(first, description);
  descriptions_[first] = std::move(description);
}

void DeviceMemory::note_unreadable(const std::byte* first, const BufferDescription& description) {
  if (description.uninitialised) initialised(first, description.bytes, false);
  const std::size_t row_bytes = description.row_elements * description.element_bytes;
  if (!description.lower_triangular || row_bytes == 0) return;
  const std::size_t order = (description.bytes + row_bytes - 1) / row_bytes;
  for (std::size_t row = 0; row + 1 < order; ++row) {
    const std::size_t above = row * row_bytes + (row + 1) * description.element_bytes;
    initialised(first + above, (order - row - 1) * description.element_bytes, false);
  }
}

void DeviceMemory::initialised(const std::byte* first, std::size_t bytes, bool has_value) const {
  for (Observer* observer : process_observers()) {
    observer->initialised(static_cast<Place>(first - base_), bytes, has_value);
  }
}

void DeviceMemory::note_copy(void* to, const void* from, std::size_t bytes) const {
  const auto tell = [&](const void* side, bool writes) {
    if (!contains(side)) return;
    const auto first = static_cast<Place>(static_cast<const std::byte*>(side) - base_);
    for (Observer* observer : process_observers()) observer->host_access(first, bytes, writes);
  };
  tell(from, false);
  tell(to, true);
  if (!contains(to)) return;
  const auto* const first = static_cast<const std::byte*>(to);
  if (!contains(from)) return initialised(first, bytes, true);
  for (Observer* observer : process_observers()) {
    observer->copied(static_cast<Place>(first - base_),
                     static_cast<Place>(static_cast<const std::byte*>(from) - base_), bytes);
  }
}

const DeviceMemory::Allocation* DeviceMemory::allocation_at(const std::byte* address) const {
  auto after = allocations_.upper_bound(const_cast<std::byte*>(address));
  if (after == allocations_.begin()) return nullptr;
  const auto& [region, allocation] = *std::prev(after);
  return address < region + allocation.region_bytes ? &allocation : nullptr;
}

std::optional<DeviceMemory::Range> DeviceMemory::range_at(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto* at = static_cast<const std::byte*>(address);
  const Allocation* allocation = allocation_at(at);
  if (allocation == nullptr) return std::nullopt;
  const std::byte* end = allocation->start + allocation->bytes;
  const auto after = descriptions_.upper_bound(at);
  if (after != descriptions_.begin()) {
    const auto& [start, description] = *std::prev(after);
    if (at < start + description.bytes) return Range{start, description.bytes, &description};
  }
  const auto first = descriptions_.lower_bound(allocation->start);
  const bool described =
      allocation->only_places || (first != descriptions_.end() && first->first < end);
  if (described || at < allocation->start || at >= end) return std::nullopt;
  return Range{allocation->start, allocation->bytes, nullptr};
}

bool DeviceMemory::only_places_at(const std::byte* address) const {
  const Allocation* allocation = allocation_at(address);
  return allocation != nullptr && allocation->only_places;
}

std::optional<DeviceMemory::Range> DeviceMemory::nearest_range(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto* at = static_cast<const std::byte*>(address);
  std::optional<Range> nearest;
  std::ptrdiff_t nearest_distance = PTRDIFF_MAX;
  const bool of_places = only_places_at(at);
  const auto consider = [&](const Range& range) {
    if (only_places_at(range.start) != of_places) return;
    const std::ptrdiff_t distance =
        std::max({range.start - at, at - (range.start + range.bytes) + 1, std::ptrdiff_t{0}});
    if (distance >= nearest_distance) return;
    nearest_distance = distance;
    nearest = range;
  };
  for (const auto& [start, description] : descriptions_) {
    consider({start, description.bytes, &description});
  }
  for (const auto& [region, allocation] : allocations_) {
    const auto first = descriptions_.lower_bound(allocation.start);
    if (allocation.only_places ||
        (first != descriptions_.end() && first->first < allocation.start + allocation.bytes)) {
      continue;
    }
    consider({allocation.start, allocation.bytes, nullptr});
  }
  return nearest;
}

std::vector<DeviceMemory::Range> DeviceMemory::kept() const {
  const std::lock_guard lock(mutex_);
  std::vector<Range> ranges;
  for (const auto& [region, allocation] : allocations_) {
    if (allocation.only_places || allocation.kind == MemoryKind::pinned ||
        allocation.kind == MemoryKind::heap) {
      continue;
    }
    const auto known = descriptions_.find(allocation.start);
    ranges.push_back({allocation.start, allocation.bytes,
                      known == descriptions_.end() ? nullptr : &known->second});
  }
  return ranges;
}

bool DeviceMemory::was_released(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto* at = static_cast<const std::byte*>(address);
  const auto after = released_.upper_bound(at);
  if (after == released_.begin()) return false;
  const auto& [start, bytes] = *std::prev(after);
  return at < start + bytes;
}

void DeviceMemory::explain(const void* address, char* text, std::size_t size) const {
  const auto* at = static_cast<const std::byte*>(address);
  const std::byte* nearest = nullptr;
  std::size_t bytes = 0;
  const char* name = nullptr;
  std::uintptr_t nearest_distance = UINTPTR_MAX;
  const auto consider = [&](const std::byte* start, std::size_t length, const char* called) {
    const std::uintptr_t distance = at < start ? static_cast<std::uintptr_t>(start - at)
                                    : at >= start + length
                                        ? static_cast<std::uintptr_t>(at - (start + length) + 1)
                                        : 0;
    if (distance >= nearest_distance) return;
    nearest_distance = distance;
    nearest = start;
    bytes = length;
    name = called;
  };
  for (const auto& [start, range] : descriptions_) {
    if (!only_places_at(start)) consider(start, range.bytes, range.name.c_str());
  }
  if (name == nullptr) {
    for (const auto& [region, allocation] : allocations_) {
      if (!allocation.only_places) consider(allocation.start, allocation.bytes, "an allocation");
    }
  }
  if (name == nullptr) {
    std::snprintf(text, size, "an address in device memory that nothing was allocated at");
  } else if (nearest_distance == 0) {
    std::snprintf(text, size, "byte %zu of %s (%zu bytes)", static_cast<std::size_t>(at - nearest),
                  name, bytes);
  } else {
    std::snprintf(text, size, "%zu bytes %s of %s (%zu bytes)",
                  static_cast<std::size_t>(nearest_distance) - (at < nearest ? 0 : 1),
                  at < nearest ? "before the start" : "past the end", name, bytes);
  }
}

void DeviceMemory::open() {
  const std::lock_guard lock(mutex_);
  if (open_count_++ > 0) return;
  for (const auto& [region, allocation] : allocations_) {
    if (allocation.stays_open()) continue;
    mprotect(region, allocation.region_bytes, PROT_READ | PROT_WRITE);
  }
}

void DeviceMemory::close() {
  const std::lock_guard lock(mutex_);
  if (--open_count_ > 0) return;
  for (const auto& [region, allocation] : allocations_) {
    if (allocation.stays_open()) continue;
    mprotect(region, allocation.region_bytes, PROT_NONE);
  }
}

}  // namespace tilewise::simt
