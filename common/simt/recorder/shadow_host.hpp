#pragma once

#include <cstdint>

#include "common/simt/recorder/access.hpp"
#include "common/simt/recorder/time_tags.hpp"

namespace tilewise::simt {

/// One access as a report names it.
struct AccessRecord {
  Tag tag;
  std::uint32_t site;
};

/// What a shadow must know of the block at work to judge its accesses.
class ShadowHost {
 public:
  /// What a place holds now, folded as the hooks fold what a write finds.
  virtual std::uint32_t value(Place place, unsigned bytes) const = 0;
  /// Whether the first access's thread had its turn before the second's.
  virtual bool ran_before(Tag first, Tag second) const = 0;

 protected:
  ~ShadowHost() = default;
};

}  // namespace tilewise::simt
