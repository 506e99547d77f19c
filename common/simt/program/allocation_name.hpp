#pragma once

#include <string>
#include <string_view>

namespace tilewise::program {

/// What a program calls the memory that a call allocates, from the call's words: "d_A" of
/// "(void**)&d_A, bytes", "s.rows[i]" of "&s.rows[i], bytes", "*out" of "out, bytes". Empty where
/// the first argument is no expression that stands for a variable.
std::string allocation_name(std::string_view words);

}  // namespace tilewise::program
