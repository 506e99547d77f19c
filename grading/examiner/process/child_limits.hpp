#pragma once

#include <cstddef>

namespace tilewise::grading {

/// Whether a worker can start under a limit: AddressSanitizer's shadow memory alone takes terabytes
/// of addresses.
#ifdef TILEWISE_SANITIZE
inline constexpr bool can_limit_address_space = false;
#else
inline constexpr bool can_limit_address_space = true;
#endif

/// What differs between workers of what they may use.
struct ChildLimits {
  std::size_t address_space_bytes = 0;  ///< 0: no limit
  std::size_t cpu_s = 0;                ///< of all its threads together; 0: no limit
};

/// Limits the calling process, which is about to become a worker. Async-signal-safe, as what runs
/// between fork and exec must be.
void apply_child_limits(const ChildLimits& limits);

/// Closes every descriptor from `first` on. Async-signal-safe.
void close_descriptors_from(int first);

/// A worker's largest file: room for a log and for the CUDA driver's cache, none for filling a
/// disk.
inline constexpr std::size_t largest_file_bytes = std::size_t{256} << 20;

}  // namespace tilewise::grading
