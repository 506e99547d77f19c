#pragma once

#include <optional>
#include <string>

#include "grading/examiner/pattern.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/problem/compare.hpp"

namespace tilewise::grading {

/// What a wrong element is, in words that follow its name: "is 1.25", "was never written".
std::string describe_wrong(double found, bool unwritten);

/// "f(m=5): C[3][4] was never written, expected 0.5 (allowed error 1e-15). 3 of 20 elements are
/// wrong: ...". `expected`: with all that is to be said of it. `advice`: the hint where the
/// diagnosis has none.
Finding wrong_element(const std::string& call, const std::string& matrix,
                      const Comparison& comparison, const std::string& found,
                      const std::string& expected, const std::optional<Diagnosis>& diagnosis,
                      const std::string& advice);

/// The same for doubles, which are compared within a tolerance.
Finding wrong_double(const std::string& call, const std::string& matrix,
                     const Comparison& comparison, const std::optional<Diagnosis>& diagnosis,
                     const std::string& advice);

}  // namespace tilewise::grading
