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

/// Who may touch memory beside kernels.
enum class MemoryKind {
  device,   ///< nobody
  managed,  ///< the host, at any time
  pinned,   ///< the host, whose memory it is
  heap,     ///< nobody: kernels have it from malloc() and new (device_heap.hpp)
};

constexpr bool is_shared_with_host(MemoryKind kind) {
  return kind == MemoryKind::managed || kind == MemoryKind::pinned;
}

/// What memory that nobody has written holds: bytes that read as NaN in float and double.
inline constexpr int poison = 0xFF;

/// The simulated card's global memory: a range of addresses that nothing can touch except while a
/// kernel or a copy runs, but for what the host shares. Every allocation ends at an inaccessible
/// gap, so that a kernel that runs past its end by a row is stopped by the processor.
class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// @return 256-byte aligned memory filled with 0xFF bytes; null where no room is left.
  void* allocate(std::size_t bytes, MemoryKind kind = MemoryKind::device);

  /// @return false where `pointer` is not the start of a live allocation.
  bool release(void* pointer);

  void release_all();

  /// Places for what lies elsewhere: addresses that nothing can ever be stored at, but which can
  /// be described, and whose accesses are followed. They are not given back.
  /// @return the first one's offset from base(); 0 where no room is left.
  std::uint32_t reserve_places(std::size_t bytes);

  bool contains(const void* address) const;

  /// Of the allocation that the address lies in, device memory where there is none.
  MemoryKind kind_at(const void* address) const;

  /// Whether the host may come to what lies there: such memory, and variables of programs.
  bool is_open_to_host(const void* address) const;

  /// Whether all of the range lies in one live allocation.
  bool holds(const void* address, std::size_t bytes) const;

  std::size_t capacity() const { return capacity_; }
  std::size_t used() const { return used_; }

  /// A later range replaces those it overlaps.
  void describe(const void* address, BufferDescription description);

  /// Tells observers of a copy that is about to be made.
  void note_copy(void* to, const void* from, std::size_t bytes) const;

  /// What a kernel may touch: a described range, or an allocation that has none.
  struct Range {
    const std::byte* start;
    std::size_t bytes;
    const BufferDescription* description;  ///< null for an allocation
  };
  std::optional<Range> range_at(const void* address) const;
  std::optional<Range> nearest_range(const void* address) const;

  /// What the program has allocated on the device and not given back.
  std::vector<Range> kept() const;

  /// Whether the address lay in an allocation that was given back.
  bool was_released(const void* address) const;

  /// Byte by page of `page_bytes`: not 0 where memory is allocated.
  const std::uint8_t* pages() const { return pages_.data(); }
  std::byte* base() const { return base_; }

  /// Says where an address lies relative to the nearest allocation or named range, e.g.
  /// "8 bytes past the end of C (5476 bytes)". Async-signal-safe.
  void explain(const void* address, char* text, std::size_t size) const;

  /// Leaves memory accessible from here on, where nothing else than kernels runs.
  void stay_open() { open(); }

  /// Makes every live allocation accessible while it exists.
  class Access {
   public:
    Access() { instance().open(); }
    ~Access() { instance().close(); }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
  };

 private:
  struct Allocation {
    std::byte* start;  ///< what the caller got
    std::size_t bytes;
    std::size_t region_bytes;  ///< pages from the map's key on, without the gap behind them
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

  /// Threads of the host may allocate and copy at a time, and kernels, too (device_heap.hpp).
  /// explain() does without, for it is called in a signal's handler.
  mutable std::recursive_mutex mutex_;
  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  int open_count_ = 0;
  std::map<std::byte*, Allocation> allocations_;                ///< by first page
  std::map<const std::byte*, BufferDescription> descriptions_;  ///< by start
  std::vector<std::uint8_t> pages_;
  std::map<const std::byte*, std::size_t> released_;  ///< bytes by first page
};

}  // namespace tilewise::simt
