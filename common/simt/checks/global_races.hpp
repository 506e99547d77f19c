#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Finds accesses to device memory whose order nothing determines, by threads of one block or of
/// two. For each word, it remembers which threads wrote and read it in this launch, over all
/// operating-system threads.
class GlobalRaces final : public Observer {
 public:
  void allocated(Place first, std::size_t bytes) override;
  void released(Place first, std::size_t bytes) override;
  void begin_launch(const Watch& watch, const LaunchConfiguration& launch) override;

  void start_block(bool) override { twins_.clear(); }
  void global_access(const Access& access) override;
  /// The block has synchronised with others. What it does counts as ordered with them, as far as
  /// that can be known.
  void fence() override;

 private:
  struct Cell;
  struct Region;
  struct Shared;
  class Hold;

  static Shared& of_all_threads();

  void check(Region& region, Place place, const Access& access, unsigned lane);
  void read(Cell& cell, Place place, std::uint8_t touched, AccessRecord read) const;
  void write(Cell& cell, Place place, std::uint8_t touched, AccessRecord write, std::uint32_t old,
             unsigned bytes);
  void write_again(Cell& cell, Place place, AccessRecord write, std::uint32_t old, unsigned bytes);
  /// Whether nothing orders an access of the running block with an earlier one to some of the same
  /// bytes. The earlier one was made by `other_block`, counted from 1.
  bool unordered(std::uint32_t other_block, AccessRecord earlier, unsigned common_bytes,
                 AccessRecord access) const;
  void report(Place place, std::uint32_t other_block, AccessRecord earlier,
              AccessRecord later) const;

  /// A write, with its block counted from 1, for which the running block is assumed to have stored
  /// the same value.
  struct Twin {
    std::uint32_t block;
    AccessRecord access;
  };

  Shared& shared_ = of_all_threads();
  std::unordered_map<Place, Twin> twins_;
};

}  // namespace tilewise::simt
