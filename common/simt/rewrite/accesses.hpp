#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// A condition that decides whether a thread reaches an access.
struct SourceCondition {
  int line;
  std::string text;    ///< "row < n"; each operand of `&&` is a condition of its own
  bool must_not_hold;  ///< it guards an `else`, `return`, `continue` or `break`
  bool is_of_loop;
  std::string counter = {};  ///< the counter of a `for`: "half"
  std::string start = {};    ///< its first value: "Threads / 2"
};

/// A line of the source that assigns to a variable or calls a function.
struct QuotedLine {
  int line;
  std::string text;  ///< "p = 1 - p", "fill(pair, k0)"
};

/// A part of an index: the contents of one pair of brackets or, for a matrix behind a pointer, its
/// row or column.
struct IndexPart {
  enum class Tested {
    no,       ///< no condition on the access compares it
    alike,    ///< an expression of the same names is compared
    exactly,  ///< this very expression is compared
  };
  std::string text;  ///< "row + i"
  Tested tested = Tested::no;
  std::string compared = {};             ///< the expression compared, if `alike`: "row"
  int compared_line = 0;                 ///< the line of the comparison, if there is one
  std::string bound = {};                ///< the other side of the comparison, if `exactly`: "n"
  bool is_touched = false;               ///< one of its names occurs in a comparison
  std::vector<QuotedLine> made_of = {};  ///< definitions of its variables: "ty = threadIdx.y"
};

/// An access to an element, as it is written in a source.
struct SourceAccess {
  enum class Memory { global, shared, own, unknown };

  std::string array;      ///< its name in the function
  std::string text;       ///< "A[(row + i) * n + k]"
  std::string statement;  ///< the statement around it, on one line
  int line;
  bool stores;
  bool handed_on = false;     ///< its address is passed to a function
  std::string distance = {};  ///< the row distance in load_matrix_sync() or store_matrix_sync()
  Memory memory;
  std::string declaration;  ///< of an array: "float As[Tile][Tile + 1]"; otherwise empty
  int declaration_line = 0;
  /// The first value of a pointer that the function declares, "A + row * n", and its line;
  /// otherwise empty.
  std::string origin = {};
  int origin_line = 0;
  std::string matrix = {};               ///< "A" for such a pointer; otherwise empty
  std::vector<QuotedLine> made_of = {};  ///< definitions of its origin's variables: "a_k = t % 2"
  std::string function;
  std::string lambda = {};  ///< the named lambda around the access; empty: none
  bool in_kernel;
  std::vector<std::string> brackets;  ///< the contents of each pair
  std::vector<IndexPart> parts;       ///< row and column, or the contents of each pair of brackets
  std::string pitch = {};  ///< "n" of `row * n + col`, if it is a parameter; otherwise empty
  std::vector<SourceCondition> conditions;  ///< outermost first
};

/// Returns the conditions that decide whether a thread reaches a word, such as `__syncthreads`, of
/// a device function on some line.
std::vector<SourceCondition> conditions_of(std::string_view source, int line,
                                           std::string_view word);

/// Returns all accesses by an index in the device functions of a CUDA source, judging by its tokens
/// alone.
std::vector<SourceAccess> accesses_in(std::string_view source);

/// Returns the lines on which a device function assigns to a variable, except for its declaration.
std::vector<QuotedLine> changes_of(std::string_view source, std::string_view function,
                                   std::string_view variable);

/// What lies between two lines of a kernel in the same loop.
struct SharedTurn {
  int loop_line;
  std::string counter = {};  ///< the counter, if it is a `for`
  int between = 0;           ///< the line of a __syncthreads() between them; 0: none
  int beyond = 0;            ///< the line of one in the rest of the loop; 0: none
};

/// Describes the innermost loop around both lines. Returns nothing where there is none, or where
/// only some threads reach one of its barriers.
std::optional<SharedTurn> turn_of_lines(std::string_view source, int first, int second);

/// A __syncthreads() of a kernel, or a call of a function or lambda that holds one, that depends on
/// a condition.
struct DecidedBarrier {
  std::string kernel;
  int line;
  std::string call;                    ///< "__syncthreads()", "add_products()"
  std::vector<SourceCondition> tests;  ///< the conditions on it, outermost first; no loops
  bool is_of_thread;                   ///< their outcome may differ between threads of a block
  bool is_in_loop;                     ///< or in a lambda, which a loop may call
};
std::vector<DecidedBarrier> decided_barriers(std::string_view source,
                                             const std::vector<std::string>& kernels);

/// A pointer that moves in a loop within another one, where neither loop resets it.
struct CarriedPointer {
  int made_line;  ///< where it is set before both loops; 0: it is a parameter
  int outer_line, inner_line;
};
std::optional<CarriedPointer> carried_over(std::string_view source, std::string_view function,
                                           std::string_view variable);

/// An asynchronous copy that belongs to no group at the next wait, because no commit stands
/// between.
/// @param line the line where copies begin, in a kernel or in a function that it calls
struct UncommittedCopy {
  int copy_line, wait_line;
};
std::optional<UncommittedCopy> uncommitted_copy(std::string_view source, int line);

/// Returns the calls of functions with these names that a function makes, itself or through others.
std::vector<QuotedLine> calls_to(std::string_view source, std::string_view function,
                                 const std::vector<std::string>& names);

/// Returns the names of the host functions that a source defines.
std::vector<std::string> host_functions_in(std::string_view source);

/// The calls of the device function or named lambda around a line; empty for kernels.
/// @param line a line in the function's body
struct SourceCaller {
  std::string function;  ///< the function that is called
  std::vector<QuotedLine> calls;
};
SourceCaller callers_of_line(std::string_view source, int line);

/// Returns the names of the kernels that a host function launches, itself or through other
/// functions of the source.
std::vector<std::string> kernels_launched_by(std::string_view source, std::string_view function);

/// Returns the names of the functions that a host function reaches, including itself and kernels.
std::vector<std::string> functions_behind(std::string_view source, std::string_view function);

/// Returns the names of the host functions that do not come to a line, neither themselves nor
/// through others; none if nobody comes there, as to the line of a macro.
std::vector<std::string> host_functions_without(std::string_view source, int line);

/// Returns the statements of the functions that a host function reaches with `float`, its vector
/// types or constants: "const float scale = alpha".
std::vector<QuotedLine> single_precision_behind(std::string_view source, std::string_view function);

/// A launch in a host function or in one that it calls, "kernel<<<blocks, block>>>", and the
/// declarations of its block's extents, "dim3 block(tile, tile)".
struct SourceLaunch {
  QuotedLine launch;
  std::vector<QuotedLine> made_of;
};
std::vector<SourceLaunch> launches_of(std::string_view source, std::string_view function,
                                      std::string_view kernel);

}  // namespace tilewise::simt
