#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/lazy_array.hpp"
#include "common/simt/recorder/pattern.hpp"
#include "common/simt/recorder/shadow_host.hpp"
#include "common/simt/recorder/time_tags.hpp"

namespace tilewise::simt {

/// Where a shared shadow tells what it finds.
class SharedListener : public virtual ShadowHost {
 public:
  /// Two accesses of different threads that nothing orders, at least one of them a write.
  virtual void race(Place place, AccessRecord earlier, AccessRecord later) = 0;
  /// A read of what no thread of the block has written.
  virtual void unwritten(Place place, AccessRecord read) = 0;

 protected:
  ~SharedListener() = default;
};

/// Remembers who wrote and read each word of a block's shared memory since the last barrier, and
/// tells races and reads of what nothing wrote. Words that are accessed in parts are remembered
/// byte by byte.
class SharedShadow {
 public:
  /// @param bytes of shared memory that the operating-system thread has for its blocks
  SharedShadow(std::size_t bytes, const Moments& moments, SharedListener& listener);

  void start_block(bool forget_all);

  /// Accesses inside of the block's shared memory, aligned.
  void access(const Request& request, const Pattern& pattern);

  /// No more accesses of this barrier interval will come.
  void end_interval();

 private:
  /// What is remembered of one word, or of one byte.
  struct Cell {
    Tag write;
    std::uint32_t write_site;
    std::uint32_t write_old;  ///< what that write found there
    Tag read, other_read;     ///< two threads that read it, of two warps where there are
    std::uint32_t read_site, other_read_site;
  };
  struct PendingRead {
    Place place;
    AccessRecord read;
  };

  void access(const Request& request, const Pattern& pattern, unsigned i);
  void read(Cell& cell, Place place, AccessRecord read, bool of_byte);
  void write(Cell& cell, Place place, AccessRecord write, std::uint32_t old, unsigned bytes);
  void mark_read(Cell& cell, AccessRecord read) const;
  /// The bytes [from, from + count) of a lane's access, all of one word.
  void access_by_bytes(const Request& request, unsigned lane, Place from, unsigned count);
  bool is_split(std::size_t word) const {
    return !split_words_.empty() && split_words_.count(word) != 0;
  }
  void split(std::size_t word);
  bool same_value(const Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                  unsigned bytes) const;

  const Moments& moments_;
  SharedListener& listener_;
  LazyArray<Cell> words_;
  LazyArray<Tag> settled_;  ///< by word: the interval in which two warps have read it
  std::unordered_map<std::size_t, Cell> bytes_;  ///< of split words
  std::unordered_map<std::size_t, bool> split_words_;
  std::vector<PendingRead> pending_;
};

}  // namespace tilewise::simt
