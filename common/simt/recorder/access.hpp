#pragma once

#include <cstdint>
#include <cstring>

/// How one access is written down while it happens: where in the code, what it does, and where in
/// memory, in two 32-bit words.
namespace tilewise::simt {

enum class Action : std::uint32_t { none = 0, read = 1, write = 2, atomic = 3 };

/// A place in the kernel's code that touches memory, with what it does there. Which of two is the
/// earlier one says code_order.hpp.
///
/// bits 31-30 action, 29-27 binary logarithm of the bytes, 26-0 low bits of the code address:
/// kernels of a module lie within 128 MiB of each other.
class Site32 {
 public:
  static constexpr unsigned code_bits = 27;
  static constexpr std::uint32_t code_mask = (1u << code_bits) - 1;

  constexpr explicit Site32(std::uint32_t word) : word_(word) {}
  constexpr std::uint32_t word() const { return word_; }
  constexpr Action action() const { return static_cast<Action>(word_ >> 30); }
  constexpr unsigned bytes() const { return 1u << (word_ >> 27 & 7u); }
  constexpr std::uint32_t code() const { return word_ & code_mask; }

  /// All but the code address, known when the hook is compiled.
  static constexpr std::uint32_t kind(Action action, unsigned bytes) {
    unsigned log2 = 0;
    while ((1u << log2) < bytes) ++log2;
    return static_cast<std::uint32_t>(action) << 30 | log2 << 27;
  }

 private:
  std::uint32_t word_;
};

/// Where in memory: an offset into device memory, or from `shared_place` on into the shared memory
/// of the running block.
using Place = std::uint32_t;
inline constexpr Place shared_place = 0xF000'0000u;
constexpr bool is_shared(Place place) { return place >= shared_place; }

/// What a bank of shared memory serves at a time, and what shadows keep a record of.
inline constexpr unsigned word_bytes = 4;

/// Whether an access to device memory lies in one that exists is known by pages of this size.
inline constexpr unsigned device_page_bits = 16;

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
