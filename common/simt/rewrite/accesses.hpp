#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt {

/// What decides whether a thread comes to an access.
struct SourceCondition {
  int line;
  std::string text;    ///< "row < n"; of several that && joins each is one
  bool must_not_hold;  ///< it stands before an `else`, a `return` or a `continue`
  bool is_of_loop;
  std::string counter = {};  ///< of a `for`: what it counts, "half"
  std::string start = {};    ///< and where that begins: "Threads / 2"
};

/// A line that gives a variable another value, or calls a function.
struct QuotedLine {
  int line;
  std::string text;  ///< "p = 1 - p", "fill(pair, k0)"
};

/// A part of an index: what stands in brackets or, of a matrix behind a pointer, its row or column.
struct IndexPart {
  enum class Tested {
    no,       ///< by no condition that decides on the access
    alike,    ///< something made of the same names is compared
    exactly,  ///< this very expression is compared
  };
  std::string text;  ///< "row + i"
  Tested tested = Tested::no;
  std::string compared = {};             ///< where it is `alike`: "row"
  int compared_line = 0;                 ///< where it is either
  std::string bound = {};                ///< where it is `exactly`, what it is compared with: "n"
  bool is_touched = false;               ///< one of its names stands in a condition
  std::vector<QuotedLine> made_of = {};  ///< its variables: "ty = threadIdx.y"
};

/// An access to an element, as a source writes it down.
struct SourceAccess {
  enum class Memory { global, shared, own, unknown };

  std::string array;      ///< as the function calls it
  std::string text;       ///< "A[(row + i) * n + k]"
  std::string statement;  ///< that it stands in, on one line
  int line;
  bool stores;
  bool handed_on = false;     ///< its address is an argument of a function
  std::string distance = {};  ///< of rows, that load_matrix_sync() and its like are given with it
  Memory memory;
  std::string declaration;  ///< of an array: "float As[Tile][Tile + 1]"; else empty
  int declaration_line = 0;
  /// Where a pointer begins that the function makes: "A + row * n", and its line; else empty.
  std::string origin = {};
  int origin_line = 0;
  std::string matrix = {};               ///< "A" of such a pointer; else empty
  std::vector<QuotedLine> made_of = {};  ///< variables of its origin: "a_k = t % 2"
  std::string function;
  std::string lambda = {};  ///< of the function's that the access stands in; empty: none
  bool in_kernel;
  std::vector<std::string> brackets;  ///< what stands in each
  std::vector<IndexPart> parts;       ///< row and column, or what stands in each bracket
  std::string pitch = {};  ///< "n" of `row * n + col`, where the function is given it; else empty
  std::vector<SourceCondition> conditions;  ///< outermost first
};

/// What decides whether a thread comes to a word of a device function on some line, as
/// `__syncthreads`.
std::vector<SourceCondition> conditions_of(std::string_view source, int line,
                                           std::string_view word);

/// All that the device functions of a CUDA source access by an index, by its words alone.
/// @param source as the student wrote it
std::vector<SourceAccess> accesses_in(std::string_view source);

/// Where a device function gives a variable another value, its declaration aside.
std::vector<QuotedLine> changes_of(std::string_view source, std::string_view function,
                                   std::string_view variable);

/// What two lines of a kernel that stand in one loop have between them.
struct SharedTurn {
  int loop_line;
  std::string counter = {};  ///< of a `for`
  int between = 0;           ///< line of a __syncthreads() between them; 0: there is none
  int beyond = 0;            ///< line of one in the rest of the loop
};

/// Of the innermost loop around both. Nothing where there is none, or where only some threads come
/// to one of its barriers.
/// @param second the later line
std::optional<SharedTurn> turn_of_lines(std::string_view source, int first, int second);

/// A __syncthreads() of a kernel, or a call of what holds one, that is not made in any case.
struct DecidedBarrier {
  std::string kernel;
  int line;
  std::string call;                    ///< "__syncthreads()", "add_products()"
  std::vector<SourceCondition> tests;  ///< that decide on it, outermost first; no loops
  bool is_of_thread;                   ///< they may come out otherwise for other threads of a block
};
std::vector<DecidedBarrier> decided_barriers(std::string_view source,
                                             const std::vector<std::string>& kernels);

/// A pointer that moves in a loop within another one, and that neither sets anew.
struct CarriedPointer {
  int made_line;  ///< before both loops; 0: the function is given it
  int outer_line, inner_line;
};
std::optional<CarriedPointer> carried_over(std::string_view source, std::string_view function,
                                           std::string_view variable);

/// An asynchronous copy that is in no group when the next wait comes: no commit stands between.
/// @param line where copies begin, in a kernel or in what it calls
struct UncommittedCopy {
  int copy_line, wait_line;
};
std::optional<UncommittedCopy> uncommitted_copy(std::string_view source, int line);

/// Where a function, or one that it calls in turn, calls one of those with these names.
std::vector<QuotedLine> calls_to(std::string_view source, std::string_view function,
                                 const std::vector<std::string>& names);

/// Names of the functions of the host that a source defines.
std::vector<std::string> host_functions_in(std::string_view source);

/// What calls a device function which stands in the source, or a lambda with a name; empty for
/// kernels.
/// @param line in the function's body
struct SourceCaller {
  std::string function;  ///< that is called
  std::vector<QuotedLine> calls;
};
SourceCaller callers_of_line(std::string_view source, int line);

/// Names of the kernels that a host function launches, itself or by others of the source.
std::vector<std::string> kernels_launched_by(std::string_view source, std::string_view function);

/// Names of the functions, it and kernels among them, that a host function comes to.
std::vector<std::string> functions_behind(std::string_view source, std::string_view function);

/// Statements with `float`, its vectors or constants in such functions: "const float scale =
/// alpha".
std::vector<QuotedLine> single_precision_behind(std::string_view source, std::string_view function);

/// Where such a function launches a kernel, "kernel<<<blocks, block>>>", and what the sides of its
/// blocks are made of, "dim3 block(tile, tile)".
struct SourceLaunch {
  QuotedLine launch;
  std::vector<QuotedLine> made_of;
};
std::vector<SourceLaunch> launches_of(std::string_view source, std::string_view function,
                                      std::string_view kernel);

}  // namespace tilewise::simt
