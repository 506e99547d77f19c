#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace tilewise::simt {

/// The simulated card's global memory: a range of addresses that nothing can touch except while a
/// kernel or a copy runs. Every allocation ends at an inaccessible gap, so that a kernel that runs
/// past its end by a row is stopped by the processor.
class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// @return 256-byte aligned memory filled with 0xFF bytes; null where no room is left.
  void* allocate(std::size_t bytes);

  /// @return false where `pointer` is not the start of a live allocation.
  bool release(void* pointer);

  void release_all();

  bool contains(const void* address) const;

  /// Whether all of the range lies in one live allocation.
  bool holds(const void* address, std::size_t bytes) const;

  std::size_t capacity() const { return capacity_; }
  std::size_t used() const { return used_; }

  void describe(const void* address, std::size_t bytes, std::string name);

  /// Says where an address lies relative to the nearest allocation or named range, e.g.
  /// "8 bytes past the end of C (5476 bytes)". Async-signal-safe.
  void explain(const void* address, char* text, std::size_t size) const;

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
  };
  struct NamedRange {
    std::size_t bytes;
    std::string name;
  };

  DeviceMemory();
  void open();
  void close();
  std::byte* find_region(std::size_t bytes);

  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  int open_count_ = 0;
  std::map<std::byte*, Allocation> allocations_;  ///< by first page
  std::map<const std::byte*, NamedRange> names_;
};

}  // namespace tilewise::simt
