#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <random>
#include <string_view>

#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

using Random = std::mt19937_64;

/// Generator for one test. It depends on the test's name as well as on the seed, so that a test
/// draws the same numbers whichever other tests run.
Random seeded_random(std::uint64_t seed, std::string_view test_name);

/// Both signs, magnitudes spread over [1/4, 1), every bit of the significand in use. Away from zero
/// so that no term of a product is too small to be missed; full significands so that a detour
/// through half precision shows.
Matrix<float> random_matrix(int rows, int cols, Random& random);

/// The same with numbers that half precision holds exactly, so that their products are exact in
/// float, and sums in half precision show.
Matrix<float> random_half_matrix(int rows, int cols, Random& random);

/// Rounded to half precision.
Matrix<__half> halves_of(const Matrix<float>& matrix);

/// The same in double precision: a detour through float shows.
Matrix<double> random_double_matrix(int rows, int cols, Random& random);

/// Whole numbers of both signs, none of them 0. Up to 2^23 of them are so small that no order of
/// additions in single precision rounds: one that is missing shows, as does one too many.
Matrix<float> whole_numbers(int count, Random& random);

/// The lower triangle of a well-conditioned matrix, zeros above it: the diagonal has both signs and
/// magnitudes in [1, 2), elements below it lie in (-1, 1) / sqrt(order).
Matrix<double> random_lower_triangle(int order, Random& random);

/// Finite numbers of both signs and many magnitudes of which no two are equal, so that each tells
/// where it came from. Up to 2^31 elements.
Matrix<float> distinct_matrix(int rows, int cols, Random& random);

Matrix<float> identity_matrix(int n);

/// Each element tells where it stands: elements + row * cols + col + 1. No code is a multiple or a
/// sum of others, so a single code in a result is a single element. Exact in float up to 2^23
/// elements.
Matrix<float> index_coded_matrix(int rows, int cols);

}  // namespace tilewise::grading
