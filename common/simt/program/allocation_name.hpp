#pragma once

#include <string>
#include <string_view>

namespace tilewise::program {

/// The name by which a program refers to the memory that a call allocates, from the words of the
/// call: "d_A" for "(void**)&d_A, bytes", "s.rows[i]" for "&s.rows[i], bytes", "*out" for "out,
/// bytes". Empty if the first argument does not stand for a variable.
std::string allocation_name(std::string_view words);

}  // namespace tilewise::program
