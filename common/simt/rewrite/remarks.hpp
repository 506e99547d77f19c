#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// What stands in a source that compiles, and may be meant otherwise.
struct Remark {
  enum class Kind {
    overflow,  ///< right for all orders that a test can try
    doubt,     ///< why a result may be wrong; says nothing where it is right
  };
  Kind kind;
  int line;
  std::string message;    ///< begins with a name or a small letter, and has no full stop
  std::string next = {};  ///< of a doubt: what to do first, as a sentence
};

/// Remarks on the kernels of a CUDA source, by its words alone, in the order of their lines:
/// offsets into a matrix that are multiplied as `int`; arrays that the threads of a block fill by
/// their places without `__shared__`; several arrays of dynamic shared memory, which begin at one
/// byte; sums of matrices' elements in an `int`; and kernels that ask for a coordinate along y of a
/// grid or block that is launched without one.
std::vector<Remark> remarks_on(std::string_view source);

}  // namespace tilewise::simt
