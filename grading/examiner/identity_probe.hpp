#pragma once

#include <optional>

#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {

/// Makes the call again with the identity as one factor and, as the other, a matrix whose elements
/// encode their places, and then the other way round: C tells which elements are left out, added
/// more than once or taken for others, and by which rule a factor is read. Returns nothing if that
/// explains nothing, or if the calls fail.
std::optional<Diagnosis> probe_with_identity(const Observation& seen, const Rerun& rerun);

}  // namespace tilewise::grading
