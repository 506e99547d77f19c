#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/pattern.hpp"

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
  std::unordered_map<std::uint32_t, std::uint64_t> words_;  ///< a bit each for 64 sectors
  std::uint32_t last_key_ = 0;
  std::uint64_t* last_ = nullptr;  ///< elements of an unordered_map stay where they are
};

/// What a block needs of device memory, and when: for the model of a kernel's time.
struct BlockFootprint {
  SectorSet loaded, stored;
  /// Lines of 128 bytes, summed over requests.
  std::uint64_t load_lines = 0;
  std::uint64_t store_lines = 0;
  /// Summed over warps, intervals between barriers in which a warp loads from global memory, and of
  /// these the ones in which it then stores to shared memory: there it waits for what it loaded.
  std::uint64_t load_intervals = 0;
  std::uint64_t waiting_intervals = 0;
};

/// Draws up the footprint of a block while it runs.
class FootprintWriter {
 public:
  void start_block(std::size_t warps);
  void note(const Request& request, const Pattern& pattern);
  void pass_barrier();
  /// The block's footprint; call when it has ended.
  BlockFootprint take();

 private:
  enum class Warp : std::uint8_t { idle, loaded, stored_after_load };
  BlockFootprint footprint_;
  std::vector<Warp> warps_;  ///< what each did since the last barrier
};

}  // namespace tilewise::simt
