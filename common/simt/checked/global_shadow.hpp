#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "common/simt/checked/lazy_array.hpp"
#include "common/simt/checked/pattern.hpp"
#include "common/simt/checked/shared_shadow.hpp"
#include "common/simt/checked/time_tags.hpp"

namespace tilewise::simt {

/// One access to device memory as a report names it.
struct GlobalAccess {
  std::uint32_t block;  ///< in the order blockIdx.x, y, z
  AccessRecord access;
};

/// What the global shadow finds out, and what it needs to know for that.
class GlobalListener {
 public:
  virtual void global_race(Place place, GlobalAccess earlier, GlobalAccess later) = 0;
  virtual void global_unwritten(Place place, AccessRecord read) = 0;
  virtual std::uint32_t global_value(Place place, unsigned bytes) const = 0;
  virtual bool global_ran_before(Tag first, Tag second) const = 0;

 protected:
  ~GlobalListener() = default;
};

/// Remembers for each word of device memory who wrote and read it in this launch, and which bytes
/// anyone has written at all. One for all operating-system threads.
class GlobalShadow {
 public:
  static GlobalShadow& instance();

  /// From here on what is copied, set and allocated is followed. Memory that exists counts as
  /// written.
  void follow(bool wanted);

  void allocated(Place first_page, std::size_t bytes);
  void released(Place first_page, std::size_t bytes);
  void set_written(Place place, std::size_t bytes, bool written);
  /// What a copy on the device takes along.
  void copy_written(Place to, Place from, std::size_t bytes);

  void start_launch();

  /// The block has synchronised with others by a fence; what it does is ordered with them as far
  /// as can be told.
  void note_fence(std::uint32_t block);

  /// Accesses inside of allocations, aligned.
  void access(const Request& request, const Pattern& pattern, std::uint32_t block,
              const Moments& moments, GlobalListener& listener);

 private:
  /// What is remembered of one word in this launch.
  struct Cell {
    std::uint32_t busy;  ///< not 0 while a thread looks at the cell
    std::uint32_t launch;
    std::uint32_t write_block;  ///< plus 1; 0: not written
    AccessRecord write;
    std::uint32_t write_old, write_value;  ///< before the write, and when its interval had ended
    std::uint32_t read_block;  ///< plus 1; the block that read it last, by up to two threads
    AccessRecord read, other_read;
    std::uint32_t foreign_block;  ///< plus 1; another block that read it
    AccessRecord foreign_read;
  };
  struct Region {
    Region(Place first_, std::size_t bytes)
        : first(first_), cells(bytes / 4), unwritten(bytes / 4) {}
    Place first;
    LazyArray<Cell> cells;              ///< by word
    LazyArray<std::uint8_t> unwritten;  ///< by word: a bit for each byte that nothing has written
    bool any_unwritten = false;
  };

  Region& region_at(Place place);
  void access_word(Region& region, Place place, unsigned bytes, std::uint32_t old,
                   GlobalAccess access, const Moments& moments, GlobalListener& listener);
  void check_written(Region& region, Place place, unsigned bytes, AccessRecord read,
                     GlobalListener& listener);
  void read(Cell& cell, Place place, GlobalAccess access, const Moments& moments,
            GlobalListener& listener);
  void write(Cell& cell, Place place, unsigned bytes, std::uint32_t old, GlobalAccess access,
             const Moments& moments, GlobalListener& listener);
  bool unordered(std::uint32_t block, Tag tag, GlobalAccess access, const Moments& moments) const;

  std::atomic<bool> follows_{false};
  std::atomic<std::uint32_t> launch_{0};
  std::mutex regions_mutex_;
  std::vector<std::unique_ptr<Region>> owned_;
  std::vector<std::atomic<Region*>> by_page_;

  mutable std::mutex fenced_mutex_;
  std::atomic<bool> any_fenced_{false};
  std::unordered_set<std::uint32_t> fenced_;

  GlobalShadow();
};

}  // namespace tilewise::simt
