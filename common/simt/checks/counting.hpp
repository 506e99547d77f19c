#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/simt/checks/load_merging.hpp"
#include "common/simt/runtime/observer.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// Counts what the warps of a launch do, for each place in the code.
class Counting final : public Observer {
 public:
  void begin_launch(const Watch& watch, const LaunchConfiguration& launch) override;
  void start(const BlockWatch& block) override;
  void access(const Access& access) override;
  void warp_operation(unsigned warp, WarpOperation operation) override;
  void end_interval() override { merging_.flush(); }
  void stalled() override { merging_.flush(); }
  void product(const WarpProduct& product) override;
  void barrier(std::size_t live_warps) override { of_warps_.barriers += live_warps; }
  void finish_block() override;
  void finish() override;
  void end_launch(const LaunchResults& results) override;

  /// What some blocks have done.
  struct Counted {
    std::vector<std::pair<std::uint32_t, Counters>> sites;
    Counters of_warps;  ///< counters that do not concern memory
  };

 private:
  /// The counters of a place in the code.
  struct OfSite {
    std::uint32_t site;
    Counters counters;
  };

  Counters& counters_of(const SiteState& site) {
    if (site.number >= sites_.size()) sites_.resize(site.number + 1);
    std::unique_ptr<OfSite>& known = sites_[site.number];
    if (!known) known = std::make_unique<OfSite>(OfSite{site.site, {}});
    return known->counters;
  }
  void count_atomic(const Access& access, Counters& counters);
  void count_partition_bytes(const Request& request);
  Counted take();

  std::vector<std::unique_ptr<OfSite>> sites_;  ///< by SiteState::number
  LoadMerging merging_;
  bool merges_ = false;  ///< the GPU has loads of 8 and 16 bytes from shared memory
  bool samples_ = false;
  std::optional<PartitionBytes> partition_bytes_;  ///< bytes of the block
  Counters of_warps_;
};

}  // namespace tilewise::simt
