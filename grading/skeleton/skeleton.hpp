#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

struct MarkerError {
  int line;  ///< 1-based
  std::string message;
};

struct Skeleton {
  std::string text;  ///< meaningless if there are errors
  std::vector<MarkerError> errors;
};

/// What a student starts from: the solution, in which every block
///
///     // lab: begin <what to write>
///     ...
///     // lab: end
///
/// becomes the one line `// TODO(lab): <what to write> (N lines)`, indented as its first marker.
/// N counts the dropped lines that hold code. All other bytes stay.
Skeleton skeleton_of(std::string_view solution);

}  // namespace tilewise::grading
