#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "common/simt/recorder/lazy_array.hpp"
#include "common/simt/recorder/pattern.hpp"
#include "common/simt/recorder/shadow_host.hpp"
#include "common/simt/recorder/time_tags.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

/// One access to device memory as a report names it.
struct GlobalAccess {
  std::uint32_t block;  ///< in the order blockIdx.x, y, z
  AccessRecord access;
};

/// Where the global shadow tells what it finds.
class GlobalListener : public virtual ShadowHost {
 public:
  virtual void global_race(Place place, GlobalAccess earlier, GlobalAccess later) = 0;
  /// A read of what nothing has written so far, or is never to be read. @return how to tell it
  virtual Diagnostic global_unwritten(Place place, AccessRecord read) = 0;

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

  /// @param first, page_bytes the pages an allocation takes
  void allocated(Place first, std::size_t page_bytes);
  void released(Place first, std::size_t page_bytes);
  void set_written(Place place, std::size_t bytes, bool written);
  /// What a copy on the device takes along.
  void copy_written(Place to, Place from, std::size_t bytes);

  void start_launch();

  /// @return reads of what nothing had written. Only now is it known that no other block had, and
  /// just had not been looked at.
  std::vector<Diagnostic> finish_launch();

  /// The block has synchronised with others by a fence; what it does is ordered with them as far
  /// as can be told.
  void note_fence(std::uint32_t block);

  /// Accesses inside of allocations, aligned.
  /// @param alone nothing may write there, so that only what was never written matters
  void access(const Request& request, const Pattern& pattern, bool alone, std::uint32_t block,
              const Moments& moments, GlobalListener& listener);

 private:
  /// What is remembered of one word in this launch; a line of the host's cache. Blocks are counted
  /// from 1, 0 is none; `bytes` have a bit for each byte of the word.
  struct alignas(64) Cell {
    std::uint32_t launch;
    std::uint32_t write_block;
    AccessRecord write;
    std::uint32_t write_old;    ///< what the write found, folded
    std::uint32_t write_value;  ///< the whole word when the write's interval had ended
    std::uint32_t read_block;   ///< that read it last, by up to two threads
    AccessRecord read, other_read;
    std::uint32_t foreign_block;  ///< another block that read it
    AccessRecord foreign_read;
    std::uint8_t write_bytes;
    std::uint8_t block_bytes;  ///< that write_block has written, by all its threads
    std::uint8_t read_bytes, other_read_bytes, foreign_read_bytes;
  };
  struct Region {
    Region(Place first_, std::size_t bytes)
        : first(first_), cells(bytes / 4), unwritten(bytes / 4), busy(bytes / bytes_held + 1) {}
    Place first;
    LazyArray<Cell> cells;              ///< by word
    LazyArray<std::uint8_t> unwritten;  ///< by word: a bit for each byte that nothing has written
    /// By stretch of `bytes_held`: not 0 while a thread looks at its cells.
    std::vector<std::atomic<std::uint32_t>> busy;
    std::atomic<std::size_t> unwritten_bytes{0};
  };
  class Hold;

  /// A warp's coalesced request needs one or two of these.
  static constexpr std::size_t bytes_held = 4096;

  struct PendingRead {
    Place place;
    std::uint32_t block;
    Diagnostic found;
  };

  Region& region_at(Place place);
  bool is_unwritten(Region& region, Place place) const;
  void access_word(Region& region, Place place, unsigned bytes, std::uint32_t old,
                   GlobalAccess access, const Moments& moments, GlobalListener& listener);
  void check_written(Region& region, Place place, unsigned bytes, GlobalAccess read,
                     GlobalListener& listener);
  void read(Cell& cell, Place place, std::uint8_t touched, GlobalAccess access,
            const Moments& moments, GlobalListener& listener);
  void write(Cell& cell, Place place, unsigned bytes, std::uint8_t touched, std::uint32_t old,
             GlobalAccess access, const Moments& moments, GlobalListener& listener);
  /// Whether nothing orders an access with an earlier one, of `block`, to some of the same bytes.
  bool unordered(std::uint32_t block, AccessRecord earlier, unsigned common_bytes,
                 GlobalAccess access, const Moments& moments) const;

  std::atomic<bool> follows_{false};
  std::atomic<std::uint32_t> launch_{0};
  std::mutex regions_mutex_;
  std::vector<std::unique_ptr<Region>> owned_;
  std::vector<std::atomic<Region*>> by_page_;

  std::mutex pending_mutex_;
  std::map<std::uint32_t, std::vector<PendingRead>> pending_;  ///< by site

  mutable std::mutex fenced_mutex_;
  std::atomic<bool> any_fenced_{false};
  std::unordered_set<std::uint32_t> fenced_;

  GlobalShadow();
};

}  // namespace tilewise::simt
