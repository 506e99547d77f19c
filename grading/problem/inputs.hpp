#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <random>
#include <string_view>

#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

using Random = std::mt19937_64;

/// Returns the generator for one test. It depends on the test's name as well as on the seed, so
/// that a test draws the same numbers whichever other tests run.
Random seeded_random(std::uint64_t seed, std::string_view test_name);

/// Draws numbers of both signs, with magnitudes spread over [1/4, 1) and every bit of the
/// significand in use. They stay away from zero so that no term of a product is too small to be
/// missed, and use full significands so that a detour through half precision shows.
Matrix<float> random_matrix(int rows, int cols, Random& random);

/// Draws such numbers that half precision holds exactly, so that their products are exact in float,
/// and sums in half precision show.
Matrix<float> random_half_matrix(int rows, int cols, Random& random);

/// Returns the matrix rounded to half precision.
Matrix<__half> halves_of(const Matrix<float>& matrix);

/// Draws the numbers of random_matrix() in double precision, so that a detour through float shows.
Matrix<double> random_double_matrix(int rows, int cols, Random& random);

/// Draws whole numbers of both signs, none of them 0. If there are up to 2^23 of them, they are so
/// small that additions in single precision never round, in whatever order: one that is missing
/// shows, as does one too many.
Matrix<float> whole_numbers(int count, Random& random);

/// Draws the lower triangle of a well-conditioned matrix, with zeros above it. The diagonal has
/// both signs and magnitudes in [1, 2); the elements below it lie in (-1, 1) / sqrt(order).
Matrix<double> random_lower_triangle(int order, Random& random);

/// Draws finite numbers of both signs and many magnitudes, no two of them equal, so that each shows
/// where it came from. There may be up to 2^31 elements.
Matrix<float> distinct_matrix(int rows, int cols, Random& random);

Matrix<float> identity_matrix(int n);

/// Each element encodes its place: elements + row * cols + col + 1, where `elements` is their
/// number. No code is a multiple or a sum of others, so a single code in a result stands for a
/// single element. The codes are exact in float for up to 2^23 elements.
Matrix<float> index_coded_matrix(int rows, int cols);

}  // namespace tilewise::grading
