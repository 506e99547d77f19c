#include <cfenv>
#include <cmath>

#include "common/simt/include/tilewise/intrinsics.hpp"

namespace tilewise::simt {
namespace {

constexpr int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    case Rounding::to_zero:
      return FE_TOWARDZERO;
  }
  return FE_TONEAREST;
}

template <class Real>
Real calculate(Arithmetic arithmetic, Real x, Real y, Real z) {
  switch (arithmetic) {
    case Arithmetic::add:
      return x + y;
    case Arithmetic::multiply:
      return x * y;
    case Arithmetic::divide:
      return x / y;
    case Arithmetic::multiply_and_add:
      return std::fma(x, y, z);
    case Arithmetic::root:
      return std::sqrt(x);
  }
  return 0;
}

// Loads and stores that a compiler must make where they stand keep the arithmetic between the two
// changes of the mode.
template <class Real>
Real calculate_rounded(Rounding rounding, Arithmetic arithmetic, Real x, Real y, Real z) {
  const volatile Real operands[] = {x, y, z};
  const int before = std::fegetround();
  std::fesetround(mode_of(rounding));
  const volatile Real result = calculate<Real>(arithmetic, operands[0], operands[1], operands[2]);
  std::fesetround(before);
  return result;
}

}  // namespace

float rounded(Rounding rounding, Arithmetic arithmetic, float x, float y, float z) {
  return calculate_rounded(rounding, arithmetic, x, y, z);
}

double rounded(Rounding rounding, Arithmetic arithmetic, double x, double y, double z) {
  return calculate_rounded(rounding, arithmetic, x, y, z);
}

}  // namespace tilewise::simt
