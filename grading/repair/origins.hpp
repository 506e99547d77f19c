#pragma once

#include <string>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/repair/repair.hpp"

/// Follows a wrong element of a result back to the elements of the inputs that it was made from.
namespace tilewise::grading {

/// What led to a wrong element.
struct WrongOrigins {
  /// Sentences that continue the finding's message, each with a blank before it.
  std::string text;
  std::vector<int> lines;  ///< of the loads and stores that they name
};

/// Makes the call of a wrong result again with inputs that show where each value came from. Tells
/// which thread stores the wrong element, which elements that thread reads in place of those that
/// are needed, on which lines, and what variables had there. Nothing is told if the thread reads
/// all that is needed, if threads may hand over values in another way than through shared memory,
/// or if the call cannot be traced.
/// @throws std::runtime_error if the tools themselves are missing or fail.
WrongOrigins origins_of(const core::Finding& finding, const RepairRequest& request);

}  // namespace tilewise::grading
