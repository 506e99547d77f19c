#pragma once

#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

/// The kinds of remarks that remarks_on() is made of. Each function has a file of its own.
namespace tilewise::simt {

/// Adds remarks on the arguments that host code passes to CUDA: launches whose grid or block does
/// not have the extents that the kernel reads, extents that are lost or that are rounded down
/// before they are rounded up, and arguments that are freed; and on functions that wait for their
/// kernels.
/// @param tokens the tokens of the source, directives included; outline is made of them
void remark_on_host_code(const std::vector<rewriting::Token>& tokens,
                         const rewriting::Outline& outline, std::vector<Remark>& remarks);

/// Adds remarks on numbers of elements, and on truths, where calls take numbers of bytes.
void remark_on_bytes(const rewriting::Outline& outline, std::vector<Remark>& remarks);

/// Adds remarks on macros that multiply or divide an argument which is a sum, and have no
/// parentheses around it: `#define AT(r, c) r * n + c` and `AT(k0 + k, c)`; and on those that stand
/// for a sum or a quotient by which something is divided: `#define DEPTH TILE / 2` and `e / DEPTH`.
/// @param tokens the tokens of the source, directives included
void remark_on_macros(const std::vector<rewriting::Token>& tokens, std::vector<Remark>& remarks);

/// Adds remarks on inner loops that continue where they ended the last time: `for (; col < n; ...)`
/// and `while (col < n)`, whose counter the outer loop never sets; on `k0 % 2` of a counter that
/// grows by more than 1; on arrays of pointers of which a loop moves only some; and on loops with a
/// barrier whose counter begins at a thread's own place.
void remark_on_loops(const rewriting::Outline& outline, std::vector<Remark>& remarks);

/// Adds remarks on numbers of the wrong kind: quotients such as `1 / c.rx` of whole numbers, numbers
/// without a sign that are expected below 0, the bits of a float that are added to one, a float that
/// is assigned where its bits are meant, and powers such as `2 * n * n * n` of an int.
void remark_on_numbers(const rewriting::Outline& outline, std::vector<Remark>& remarks);

/// Adds remarks on results that are stored in a function's own copy of an argument, or in a
/// lambda's own copy of a variable.
void remark_on_parameters(const rewriting::Outline& outline, std::vector<Remark>& remarks);

/// Adds remarks on a thread's position that mixes two axes, or scales an index by the wrong extent:
/// `blockIdx.x * gridDim.x`, `threadIdx.y * blockDim.y + threadIdx.x`, `blockIdx.x * (blockDim.x +
/// threadIdx.x)`, `for (row = threadIdx.y; ...; row += blockDim.x)`; and on variables of its own
/// that one thread sets for all.
void remark_on_places(const rewriting::Outline& outline, std::vector<Remark>& remarks);

/// Adds remarks on statements that end sooner or later than they seem to: a loop or an `if` whose
/// body is a lone semicolon, and a `case` that falls through to the next; on conditions that store;
/// on unsigned counters and differences that are meant to fall below 0; on loops that step another
/// variable than they compare; on names that hide the ones that are meant; on `=+`; on `n & 3 ==
/// 0`; and on functions that are named but not called.
void remark_on_statements(const rewriting::Outline& outline, std::string_view source,
                          std::vector<Remark>& remarks);

/// Adds a doubt on neighbouring statements if two of them take the same value from the right, into
/// different sums or elements of tiles, or twice into one: `c10 += a1 * b.x; c11 += a1 * b.x;`.
void remark_on_copies(const rewriting::Outline& outline, std::string_view source,
                      std::vector<Remark>& remarks);

}  // namespace tilewise::simt
