#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// "51.5 GB", 10^9 bytes each; "12 MB" below one.
std::string gigabytes(std::size_t bytes);

/// What the matrices of a call take: "51.5 GB (3 matrices of 17.2 GB)".
std::string memory_of(const NamedCall& call);

/// Bytes that this machine has left; nothing where it does not tell.
std::optional<std::size_t> available_memory();

/// The same from what /proc/meminfo holds.
std::optional<std::size_t> available_in(std::string_view meminfo);

}  // namespace tilewise::grading
