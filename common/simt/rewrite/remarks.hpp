#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// A remark on code that compiles but may not do what its author meant.
struct Remark {
  enum class Kind {
    overflow,   ///< the result is right for all matrix orders that a test can try
    waiting,    ///< where a function waits for its kernel, which no test fails for
    doubt,      ///< why a result may be wrong; void where the result is right
    statement,  ///< why a source may not compile, or may do something else than it seems to
    freed,      ///< where an argument is passed to cudaFree(), for a finding that reports it
  };
  Kind kind;
  int line;
  std::string message;    ///< begins with a name or a small letter, and has no full stop
  std::string next = {};  ///< what to do first about a doubt, as a sentence
};

/// Returns remarks on the kernels of a CUDA source, judging by its tokens alone, in the order of
/// their lines; none on a source of more than 64 KiB. They concern: offsets into a matrix that are multiplied as `int`; arrays without
/// `__shared__` that the threads of a block fill by their thread indices; several arrays of dynamic
/// shared memory, which all begin at the same byte; sums and arrays of `int` that take matrix
/// elements; macros without parentheses; kernels that read a y coordinate of a grid or block that
/// is launched without one; thread indices that are scaled with the wrong extent; sums without an
/// initial value; unsigned counters that are meant to fall below 0; arguments that are freed;
/// statements that end sooner or later than they seem to; conditions that store; loops that
/// continue where they ended the last time; remainders of multiples; pointers that are not moved;
/// names that hide the ones that are meant; results that are stored in a copy of an argument;
/// barriers in loops that threads leave one by one; quotients of whole numbers that are 0;
/// differences without a sign that are compared; bits of a float that are taken for a number, and a
/// float that is stored where its bits are meant; variables that one thread sets for all, each of
/// which has its own; powers of an `int` that overflow; functions that wait for their kernels; and
/// numbers of elements, or truths, where bytes are counted.
std::vector<Remark> remarks_on(std::string_view source);

}  // namespace tilewise::simt
