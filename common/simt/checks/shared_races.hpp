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

/// Finds accesses to shared memory that nothing orders: remembers who wrote and read each word of
/// it since the last barrier. Words that are accessed in parts are remembered byte by byte.
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
    Tag read, other_read;     ///< two threads that read it, of two warps where there are
    std::uint32_t read_site, other_read_site;
    /// Of the write's thread: an earlier write without a synchronisation between them, that left
    /// something else than there is in the end. 0: none.
    std::uint32_t passing_site;
  };
  /// A write of which another thread's is taken to have stored the same.
  struct Twin {
    Tag tag;
    std::uint32_t site;
  };
  struct Race {
    Place place;
    AccessRecord earlier, later;
  };
  /// All that shared memory which the operating-system thread has for its blocks.
  struct Words {
    explicit Words(std::size_t bytes) : cells(bytes / word_bytes), settled(bytes / word_bytes) {}
    LazyArray<Cell> cells;
    LazyArray<Tag> settled;  ///< the interval in which two warps have read it
  };

  void check(const Access& access, unsigned i);
  void read(Cell& cell, Place place, AccessRecord read, bool of_byte);
  void write(Cell& cell, Place place, AccessRecord write, std::uint32_t old, unsigned bytes);
  void mark_read(Cell& cell, AccessRecord read) const;
  /// The bytes [from, from + count) of a lane's access, all of one word.
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
  std::unordered_map<std::size_t, Cell> split_bytes_;  ///< of split words
  std::unordered_map<std::size_t, bool> split_words_;
  std::unordered_map<Place, Twin> twins_;  ///< of this block
  std::vector<Race> pending_;              ///< of this interval, in arrays of two buffers
};

}  // namespace tilewise::simt
