#pragma once

#include <cstdint>

#include "common/simt/recorder/access.hpp"

namespace tilewise::simt {

/// The instruction a site stands for. Sites hold the low bits of the address that the hook returns
/// to; the code of a kernel lies around the function that calls it.
/// @param near an address in the module's code
inline std::uintptr_t code_address(std::uint32_t site, std::uintptr_t near) {
  constexpr std::uintptr_t span = std::uintptr_t{1} << Site32::code_bits;
  const auto distance = [&](std::uintptr_t at) { return at > near ? at - near : near - at; };
  std::uintptr_t best = (near & ~(span - 1)) + Site32(site).code();
  for (const std::uintptr_t candidate : {best - span, best + span}) {
    if (distance(candidate) < distance(best)) best = candidate;
  }
  return best - 1;  // within the call rather than behind it
}

}  // namespace tilewise::simt
