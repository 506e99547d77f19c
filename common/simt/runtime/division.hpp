#pragma once

#include <cstdint>

namespace tilewise::simt {

enum class RefusedDivision { none, by_zero, overflows };

/// Has a thread go on behind an integer division that its processor has refused, with what a GPU
/// gives: all ones for the quotient and the remainder by zero; and of the least number by -1, which
/// has no negative, that number and 0. Async-signal-safe.
/// @param context of the signal
/// @return what it was; nothing has been done where it was no such division
RefusedDivision go_on_behind_division(void* context);

}  // namespace tilewise::simt
