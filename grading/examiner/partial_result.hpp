#pragma once

#include <vector>

#include "grading/examiner/device_array.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/problem/reference.hpp"

/// Results of which only some blocks of a grid have computed their part: elements that nobody has
/// written (unwritten_bits) say nothing about the kernel, all others must be right.
namespace tilewise::grading {

/// As many rows of a product as are compared of a large one: a kernel that leaves out half of the
/// rows escapes 16 sampled ones once in 16,000 times.
inline constexpr int sampled_rows = 16;

/// `count` different rows of C with an element that was written, ascending; all of them if there
/// are no more than that.
std::vector<int> sample_of_written_rows(const Matrix<float>& C, int count, Random& random);
std::vector<int> sample_of_written_rows(const Matrix<double>& C, int count, Random& random);

/// Whether there is an element that nobody has written.
bool has_unwritten(const DeviceArray& result);

/// Puts what is expected where nobody has written, in the rows of the reference.
void fill_in_unwritten(Matrix<float>& C, const ReferenceProduct& expected);
void fill_in_unwritten(Matrix<double>& C, const ReferenceProduct& expected);

}  // namespace tilewise::grading
