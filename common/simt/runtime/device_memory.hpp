#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// Who may access memory besides kernels.
enum class MemoryKind {
  device,   ///< nobody
  managed,  ///< the host, at any time
  pinned,   ///< the host, which owns the memory
  heap,     ///< nobody: kernels get it from malloc() and new (device_heap.hpp)
};

constexpr bool is_shared_with_host(MemoryKind kind) {
  return kind == MemoryKind::managed || kind == MemoryKind::pinned;
}

/// The value of memory that nobody has written: such bytes read as NaN in float and double.
inline constexpr int poison = 0xFF;

/// The simulated card's global memory: a range of addresses that nothing can access except while a
/// kernel or a copy runs, apart from memory shared with the host. Every allocation ends at an
/// inaccessible gap, so that the processor stops a kernel that runs past its end by a row.
class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// @return 256-byte aligned memory filled with 0xFF bytes; null where no room is left.
  void* allocate(std::size_t bytes, MemoryKind kind = MemoryKind::device);

  /// @return false where `pointer` is not the start of a live allocation.
  bool release(void* pointer);

  void release_all();

  /// Reserves places for data that lies elsewhere: addresses at which nothing can ever be stored,
  /// but which can be described, and accesses to which are followed. They are never released.
  /// @return the first place's offset from base(); 0 if no room is left
  std::uint32_t reserve_places(std::size_t bytes);

  bool contains(const void* address) const;

  /// Returns the kind of the allocation that the address lies in; device memory if there is none.
  MemoryKind kind_at(const void* address) const;

  /// Whether the host may access what lies there: memory shared with the host, and variables of
  /// programs.
  bool is_open_to_host(const void* address) const;

  /// Whether all of the range lies in one live allocation.
  bool holds(const void* address, std::size_t bytes) const;

  std::size_t capacity() const { return capacity_; }
  std::size_t used() const { return used_; }

  /// A later range replaces those it overlaps.
  void describe(const void* address, BufferDescription description);

  /// Notifies observers of a copy that is about to be made.
  void note_copy(void* to, const void* from, std::size_t bytes) const;

  /// What a kernel may access: a described range, or an allocation that has no description.
  struct Range {
    const std::byte* start;
    std::size_t bytes;
    const BufferDescription* description;  ///< null if there is none
  };
  std::optional<Range> range_at(const void* address) const;
  std::optional<Range> nearest_range(const void* address) const;

  /// Returns what the program has allocated on the device and not released.
  std::vector<Range> kept() const;

  /// Whether the address lay in an allocation that was released.
  bool was_released(const void* address) const;

  /// One byte for each page of 2^device_page_bits bytes: not 0 where memory is allocated.
  const std::uint8_t* pages() const { return pages_.data(); }
  std::byte* base() const { return base_; }

  /// Says where an address lies relative to the nearest allocation or named range, e.g.
  /// "8 bytes past the end of C (5476 bytes)". Async-signal-safe.
  void explain(const void* address, char* text, std::size_t size) const;

  /// Leaves memory accessible from here on, in a process where only kernels run.
  void stay_open() { open(); }

  /// Makes every live allocation accessible while the object exists.
  class Access {
   public:
    Access() { instance().open(); }
    ~Access() { instance().close(); }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
  };

 private:
  struct Allocation {
    std::byte* start;  ///< the address that the caller got
    std::size_t bytes;
    /// Size of the pages from the map's key on, without the gap behind them.
    std::size_t region_bytes;
    bool only_places = false;
    MemoryKind kind = MemoryKind::device;
    bool stays_open() const { return only_places || is_shared_with_host(kind); }
  };
  DeviceMemory();
  void open();
  void close();
  std::byte* find_region(std::size_t bytes);
  bool only_places_at(const std::byte* address) const;
  void mark_pages(const std::byte* region, std::size_t bytes, bool allocated);
  const Allocation* allocation_at(const std::byte* address) const;
  void note_unreadable(const std::byte* first, const BufferDescription& description);
  void initialised(const std::byte* first, std::size_t bytes, bool has_value) const;

  /// Threads of the host may allocate and copy at the same time, and so may kernels
  /// (device_heap.hpp). explain() does not lock, because a signal handler calls it.
  mutable std::recursive_mutex mutex_;
  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  int open_count_ = 0;
  std::map<std::byte*, Allocation> allocations_;                ///< sorted by first page
  std::map<const std::byte*, BufferDescription> descriptions_;  ///< sorted by start
  std::vector<std::uint8_t> pages_;
  std::map<const std::byte*, std::size_t> released_;  ///< number of bytes, by first page
};

}  // namespace tilewise::simt
