#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

/// What the checks of one launch found: of each kind and place the first, and not too many. The
/// first is that of the block with the lowest number, whichever of those that run at a time came to
/// it first: the same launch is told the same way again.
class Findings {
 public:
  static Findings& instance();

  void start_launch();

  /// Hands over what was found. Where threads of different warps race, so do threads of one warp
  /// as a rule: that is told once.
  void finish_launch();

  /// Whether what this block does wrong of the kind at these places is of no interest.
  bool knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site,
             std::uint32_t block);

  /// @param warp of its block, that was at fault alone
  void add(Finding found, std::uint32_t block, std::optional<unsigned> warp = {});

 private:
  struct Found {
    Finding finding;
    std::uint32_t block;
    std::optional<unsigned> warp;
    std::size_t number;  ///< in which order they were added
  };

  /// In the order of the blocks, and of time. What a warp does wrong between two barriers comes in
  /// the order that the compiler gave it: it is told in that of the source.
  std::vector<Found> in_order() const;

  static constexpr std::size_t most = 16;  // a screenful

  std::mutex mutex_;
  /// The lowest block that did each.
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::uint32_t> sites_;
  std::map<std::tuple<std::string, std::string, int, int>, Found> found_;
  std::size_t added_ = 0;
};

}  // namespace tilewise::simt
