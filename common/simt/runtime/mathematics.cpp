#include <cmath>
#include <limits>
#include <numbers>

#include "common/simt/include/tilewise/intrinsics.hpp"

// Functions that CUDA has and the C library does not. Those for float are these, rounded.

namespace tilewise::simt {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Returns the slope of the error function.
double slope(double x) { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }

}  // namespace

double inverse_erfc(double y) {
  if (!(y >= 0 && y <= 2)) return not_a_number;
  if (y == 0) return infinity;
  if (y == 2) return -infinity;
  // 1 - y loses the digits of a small y, so it is used only in the middle.
  if (y > 0.5 && y < 1.5) return inverse_erf(1 - y);
  const double near = y < 1 ? y : 2 - y;
  // Starts with a rational estimate of four digits, and improves it by Halley's method (Numerical
  // Recipes, 6.2.2).
  const double t = std::sqrt(-2 * std::log(near / 2));
  double x =
      std::numbers::sqrt2 / 2 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
  for (int step = 0; step < 3; ++step) {
    const double error = std::erfc(x) - near;
    x += error / (slope(x) - x * error);
  }
  return y < 1 ? x : -x;
}

double inverse_erf(double y) {
  if (!(std::fabs(y) <= 0.5)) return y < 0 ? -inverse_erfc(1 + y) : inverse_erfc(1 - y);
  double x = y / (2 * std::numbers::inv_sqrtpi);
  for (int step = 0; step < 4 && x != 0; ++step) {
    const double error = std::erf(x) - y;
    x -= error / (slope(x) + x * error);
  }
  return x;
}

double scaled_erfc(double x) {
  constexpr double far = 12;  // from here on, the terms of the series suffice
  if (x < far) {
    const double square = x * x;
    return std::exp(square) * (1 + std::fma(x, x, -square)) * std::erfc(x);
  }
  const double half = 1 / (2 * x * x);
  double sum = 1;
  for (int term = 15; term >= 1; term -= 2) sum = 1 - term * half * sum;
  return sum * std::numbers::inv_sqrtpi / x;
}

double normal_distribution(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

double inverse_normal_distribution(double p) { return -std::numbers::sqrt2 * inverse_erfc(2 * p); }

double sine_of_pi_times(double x) {
  double turn = std::remainder(x, 2.0);
  if (std::fabs(turn) == 1 || turn == 0) return std::copysign(0.0, x);
  if (std::fabs(turn) > 0.5) turn = std::copysign(1 - std::fabs(turn), turn);
  return std::sin(std::numbers::pi * turn);
}

double cosine_of_pi_times(double x) {
  const double turn = std::fabs(std::remainder(x, 2.0));
  if (turn == 0.5) return 0;
  return turn < 0.25   ? std::cos(std::numbers::pi * turn)
         : turn < 0.75 ? std::sin(std::numbers::pi * (0.5 - turn))
                       : -std::cos(std::numbers::pi * (1 - turn));
}

// All terms have the same sign, so no digits are lost.
double bessel_i(int order, double x) {
  if (std::isinf(x)) return order == 0 ? infinity : x;
  const double quarter = x * x / 4;
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; sum != sum + term || k == 1; ++k) {
    term *= quarter / (static_cast<double>(k) * (k + order));
    sum += term;
    if (std::isinf(sum) || std::isnan(sum)) break;
  }
  return sum;
}

namespace {

template <class Real>
double length(int dimensions, const Real* x) {
  double largest = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double size = std::fabs(static_cast<double>(x[i]));
    if (std::isinf(size)) return infinity;
    if (!(size <= largest)) largest = size;
  }
  if (largest == 0 || std::isnan(largest)) return largest;
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double part = static_cast<double>(x[i]) / largest;
    sum += part * part;
  }
  return largest * std::sqrt(sum);
}

}  // namespace

double length_of(int dimensions, const double* x) { return length(dimensions, x); }
double length_of(int dimensions, const float* x) { return length(dimensions, x); }

}  // namespace tilewise::simt
