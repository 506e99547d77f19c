#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

/// What the checks of one launch found: of each kind and place the first, and not too many.
class Findings {
 public:
  static Findings& instance();

  void start_launch();

  /// Hands over what was found. Where threads of different warps race, so do threads of one warp
  /// as a rule: that is told once.
  void finish_launch();

  /// Whether more of the kind at these places is of no interest.
  bool knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site);

  /// @param warp of its block, that was at fault alone
  void add(Diagnostic found, std::optional<unsigned> warp = {});

 private:
  struct Found {
    Diagnostic diagnostic;
    std::optional<unsigned> warp;
  };

  /// What a warp does wrong between two barriers comes in the order that the compiler gave it: it
  /// is told in that of the source.
  void order_by_line();

  static constexpr std::size_t most = 16;  // a screenful

  std::mutex mutex_;
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>> sites_;
  std::set<std::tuple<std::string, std::string, int, int>> lines_;
  std::vector<Found> found_;
};

}  // namespace tilewise::simt
