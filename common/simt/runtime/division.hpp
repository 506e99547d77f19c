#pragma once

#include <cstdint>

namespace tilewise::simt {

enum class RefusedDivision { none, by_zero, overflows };

/// Lets a thread go on behind an integer division that its processor has refused, with the result
/// that a GPU gives: all ones for quotient and remainder of a division by zero. The least number
/// divided by -1, which has no negative, gives that number and 0. Async-signal-safe.
/// @param context the context of the signal
/// @return what kind of division it was; if it was none of these, nothing has been done
RefusedDivision go_on_behind_division(void* context);

}  // namespace tilewise::simt
