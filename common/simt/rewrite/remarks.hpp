#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// What stands in a source that compiles, and may be meant otherwise.
struct Remark {
  enum class Kind {
    overflow,   ///< right for all orders that a test can try
    doubt,      ///< why a result may be wrong; says nothing where it is right
    statement,  ///< why a source may not compile, or do something else than it seems to
    freed,      ///< where an argument is handed to cudaFree(), for a finding that says so
  };
  Kind kind;
  int line;
  std::string message;    ///< begins with a name or a small letter, and has no full stop
  std::string next = {};  ///< of a doubt: what to do first, as a sentence
};

/// Remarks on the kernels of a CUDA source, by its words alone, in the order of their lines:
/// offsets into a matrix that are multiplied as `int`; arrays that the threads of a block fill by
/// their places without `__shared__`; several arrays of dynamic shared memory, which begin at one
/// byte; sums and arrays of matrices' elements in `int`; kernels that ask for a coordinate along y
/// of a grid or block that is launched without one; places that are counted with the wrong extent;
/// sums that start from nothing; counters without sign that are to fall below 0; arguments that are
/// freed; statements that end sooner or later than they look; conditions that store; loops
/// that go on where they ended before; remainders of multiples; pointers that stay behind; names
/// that hide those that are meant; results that are stored in a copy of an argument; and numbers of
/// elements where CUDA counts bytes.
std::vector<Remark> remarks_on(std::string_view source);

}  // namespace tilewise::simt
