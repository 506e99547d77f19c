#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/recorder/pattern.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// What is kept for each place in the code that touches memory.
struct SiteState {
  std::uint32_t site = 0;
  Counters counters;
  Patterns::Recent recent{};
  /// The array or buffer that the last access lay in: [begin, end).
  Place begin = 0, end = 0;
  bool read_only = false;        ///< that buffer is a kernel's input
  std::uint64_t last_block = 0;  ///< that came here, counted from 1
};

/// Sites of one operating-system thread.
class SiteTable {
 public:
  SiteState& at(std::uint32_t site) {
    SiteState*& entry = recent_[site % recent_.size()];
    if (entry == nullptr || entry->site != site) entry = &find(site);
    return *entry;
  }

  void clear();
  const std::vector<std::unique_ptr<SiteState>>& all() const { return all_; }

 private:
  SiteState& find(std::uint32_t site);

  std::vector<std::unique_ptr<SiteState>> all_;
  std::vector<SiteState*> table_;  ///< open addressing, at most half full
  // A kernel's inner loops touch memory at some dozen sites.
  std::array<SiteState*, 257> recent_{};  // prime: return addresses have common low bits
};

}  // namespace tilewise::simt
