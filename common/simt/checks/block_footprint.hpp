#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/pattern.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// A set of 32-byte sectors of device memory.
class SectorSet {
 public:
  /// Adds the sector that holds the byte at `place`.
  void add(Place place) {
    const std::uint32_t sector = place / 32;
    if (sector / 64 != last_key_ || last_ == nullptr) {
      last_key_ = sector / 64;
      last_ = &words_[last_key_];
    }
    *last_ |= std::uint64_t{1} << sector % 64;
  }
  std::uint64_t size() const;
  std::uint64_t size_of_common(const SectorSet& other) const;
  void clear();

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> words_;  ///< one bit for each of 64 sectors
  std::uint32_t last_key_ = 0;
  /// Stays valid, because an unordered_map does not move its elements.
  std::uint64_t* last_ = nullptr;
};

/// What a block needs of device memory, and when; used by the model of a kernel's time.
struct BlockFootprint {
  SectorSet loaded, stored;
  std::uint64_t store_bytes = 0;  ///< the bytes that its threads store
  /// Lines of 128 bytes, summed over requests.
  std::uint64_t load_lines = 0;
  std::uint64_t store_lines = 0;
  /// Intervals between barriers in which a warp loads from global memory, and those among them in
  /// which it then stores to shared memory, where it waits for what it loaded; summed over the
  /// warps.
  std::uint64_t load_intervals = 0;
  std::uint64_t waiting_intervals = 0;
  std::uint64_t idle_intervals = 0;  ///< as Footprint::idle_intervals
  std::uint64_t store_rounds = 0;    ///< as Footprint::store_rounds
  std::uint64_t copied_bytes = 0;    ///< as Footprint::copied_bytes, and so on
  std::uint64_t reading_intervals = 0;
  std::uint64_t overlapped_intervals = 0;
};

/// Follows a block's asynchronous copies from barrier to barrier.
class CopyIntervals {
 public:
  void start_block(std::size_t warps);
  void begin(unsigned thread, unsigned batch);
  /// The thread has waited, and that many of its batches have arrived.
  void arrive(unsigned thread, unsigned batches);
  void read_shared(unsigned warp) {
    warps_[warp].reads = true;
    if (threads_copying_ > 0) overlaps_ = true;
  }
  void pass_barrier(BlockFootprint& footprint);

 private:
  struct Thread {
    unsigned begun = 0;  ///< number of batches, including one that is not committed yet
    unsigned arrived = 0;
  };
  struct Warp {
    bool copies = false;  ///< it has begun a copy since the last barrier
    bool reads = false;   ///< it has read shared memory since then
  };

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  unsigned threads_copying_ = 0;  ///< threads with copies in flight
  bool copies_ = false;           ///< copies were in flight at some time since the last barrier
  bool overlaps_ = false;         ///< a warp has read shared memory during that time
};

/// Collects the footprint of a block while it runs.
class FootprintWriter {
 public:
  void start_block(std::size_t warps);
  void note(const Request& request, const Pattern& pattern) {
    if (!pattern.shared) return note_global(request);
    Warp& warp = warps_[request.warp];
    if (request.site.action() == Action::read) {
      warp.reads_shared = true;
      copies_.read_shared(request.warp);
      return;
    }
    if (warp.loads == Loads::came) warp.loads = Loads::waited_for;
    warp.on_their_way -= std::min(warp.on_their_way, bytes_of(request));
  }
  void copy_begun(unsigned thread, const BegunCopy& copy) {
    footprint_.copied_bytes += copy.bytes;
    copies_.begin(thread, copy.batch);
  }
  void copies_arrived(unsigned thread, unsigned batches) { copies_.arrive(thread, batches); }
  void pass_barrier();
  /// Returns the block's footprint. Call when the block has ended.
  BlockFootprint take();

 private:
  enum class Loads : std::uint8_t { none, came, waited_for };

  struct Warp {
    Loads loads = Loads::none;         ///< what has become of its loads since the last barrier
    bool reads_shared = false;         ///< it has read shared memory since then
    bool stored = false;               ///< it has stored to global memory since then
    std::uint64_t load_intervals = 0;  ///< number since its last store
    std::uint64_t of_first_round = 0;  ///< the value of load_intervals at its first store
    bool has_stored = false;
    /// The bytes that the warp has loaded from global memory and not put into shared memory yet.
    std::uint64_t on_their_way = 0;
  };

  void note_global(const Request& request);

  static std::uint64_t bytes_of(const Request& request) {
    return static_cast<std::uint64_t>(std::popcount(request.lanes)) * request.site.bytes();
  }

  BlockFootprint footprint_;
  std::vector<Warp> warps_;
  CopyIntervals copies_;
};

}  // namespace tilewise::simt
