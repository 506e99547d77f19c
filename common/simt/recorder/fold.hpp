#pragma once

#include <cstdint>
#include <cstring>

namespace tilewise::simt {

/// A value of 1 to 16 bytes in a word: enough to tell whether two threads store the same.
inline std::uint32_t fold(const void* address, unsigned bytes) {
  std::uint32_t folded = 0, word = 0;
  if (bytes < sizeof word) {
    std::memcpy(&folded, address, bytes);
    return folded;
  }
  for (unsigned i = 0; i < bytes; i += sizeof word) {
    std::memcpy(&word, static_cast<const char*>(address) + i, sizeof word);
    folded = folded * 31 + word;
  }
  return folded;
}

}  // namespace tilewise::simt
