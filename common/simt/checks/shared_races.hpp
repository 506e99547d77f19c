#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Finds accesses to shared memory whose order nothing determines: it remembers which threads wrote
/// and read each word since the last barrier. Words that are accessed in parts are remembered byte
/// by byte.
class SharedRaces final : public Observer {
 public:
  void start(const BlockWatch& block) override;
  void start_block(bool tags_anew) override;
  void shared_access(const Access& access) override;
  void end_interval() override;

 private:
  /// What is remembered of one word, or of one byte.
  struct Cell {
    Tag write;
    std::uint32_t write_site;
    std::uint32_t write_old;  ///< what that write found there
    Tag read, other_read;     ///< two threads that read it, from two warps if possible
    std::uint32_t read_site, other_read_site;
    /// An earlier write of the write's thread, with no synchronisation between the two, that left
    /// something other than the final value. 0: none.
    std::uint32_t passing_site;
    /// A plain store that the same warp followed by an atomic. It races with other warps' atomics.
    std::uint32_t stored_site;
    Tag stored;
  };
  /// A write for which another thread is assumed to have stored the same value.
  struct Twin {
    Tag tag;
    std::uint32_t site;
  };
  struct Race {
    Place place;
    AccessRecord earlier, later;
  };
  /// The state of all shared memory that the operating-system thread has for its blocks.
  struct Words {
    explicit Words(std::size_t bytes) : cells(bytes / word_bytes), settled(bytes / word_bytes) {}
    LazyArray<Cell> cells;
    LazyArray<Tag> settled;  ///< by word: the interval in which two warps have read it
  };

  void check(const Access& access, unsigned i);
  void read(Cell& cell, Place place, AccessRecord read, bool of_byte);
  void write(Cell& cell, Place place, AccessRecord write, std::uint32_t old, unsigned bytes);
  void mark_read(Cell& cell, AccessRecord read) const;
  /// Checks the bytes [from, from + count) of a lane's access, which all lie in one word.
  void check_bytes(const Request& request, unsigned lane, Place from, unsigned count);
  bool is_split(std::size_t word) const {
    return !split_words_.empty() && split_words_.count(word) != 0;
  }
  void split(std::size_t word);
  bool same_value(const Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                  unsigned bytes) const;
  void write_again(Cell& cell, Place place, AccessRecord write, std::uint32_t old, unsigned bytes);
  void report(Place place, Tag earlier, std::uint32_t earlier_site, AccessRecord later);
  void tell(const Race& race, const std::string& note) const;

  std::unique_ptr<Words> words_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::size_t, Cell> split_bytes_;  ///< bytes of split words
  std::unordered_map<std::size_t, bool> split_words_;
  std::unordered_map<Place, Twin> twins_;  ///< twins in this block
  std::vector<Race> pending_;              ///< races in this interval, in arrays of two buffers
};

}  // namespace tilewise::simt
