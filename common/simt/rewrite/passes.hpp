#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/rewrite.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// Marks the declarations of `__device__` and `__constant__` variables, so that the checked build
/// finds them in the module: each variable gets a page of its own, a gap behind it, and a
/// description of its elements. On line 7, `__device__ int counter[5];` turns into
///
///     TILEWISE_DEVICE_VARIABLE __device__ int counter[5]; TILEWISE_SHAPE(counter, counter, 7_1)
///
/// (include/tilewise/device_variables.hpp). The second half is left out for variable templates,
/// class members and `extern` declarations, because there is no variable yet, or no place to
/// describe it.
/// @param tokens all tokens, directives included: a macro may stand for the qualifiers
/// @param file_tag  as in RewriteOptions
/// @return the lines to put in front of the source: the names of all these variables, and of shared
/// variables at namespace scope; empty where there are none
std::string mark_device_variables(const std::vector<Token>& tokens, const Outline& outline,
                                  const std::string& file_tag, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Names of macros whose text begins with `<<<` or with another such macro.
using LaunchMacros = std::unordered_set<std::string_view>;

/// Turns `kernel<<<configuration>>>(arguments)` into
/// `TILEWISE_LAUNCHER("kernel", , kernel).configure(configuration)(arguments)`. This macro of
/// include/tilewise/launch.hpp makes two functions from the name: one that calls it, since the name
/// may stand for several overloads or for a template whose arguments follow from the call, and one
/// from which the compiler learns the parameters. An expression such as `table[i]` is passed as it
/// is, so that it is evaluated once and not by every thread.
///
/// A macro that stands for the configuration alone becomes `.configure(...)`, and the kernel's name
/// is looked for where the macro is used.
/// @param in_macro the code is the body of a macro, so the arguments may follow where it is used
void rewrite_launches(const Outline& outline, const LaunchMacros& macros, bool in_macro,
                      Edits& edits, std::vector<RewriteError>& errors);

/// Returns the same text, but with launches written `k << <1, 2>> >(x)`, as formatters of C++ leave
/// them and nvcc accepts them, in the usual form. No token moves to another line.
std::string with_launches_joined(std::string_view source);

/// Makes a kernel that is declared with `__launch_bounds__(64, 2)` begin with
/// `keep_launch_bounds(64, 2);`, because a GPU does not launch larger blocks of it. Leaves alone
/// bounds that may belong to another kernel or to none: those of a declaration with a preprocessor
/// directive in it, or with a name that a parameter hides.
/// @param tokens all tokens, directives included
void keep_launch_bounds(const std::vector<Token>& tokens, const Outline& outline, Edits& edits);

/// In files that call cudaLaunchKernel, wraps names, and expressions such as `table[i].kernel`,
/// that are cast to `void*` or passed to it: `::tilewise::simt::addressed("kernel", kernel)`. The
/// type of a kernel says how to launch it, and a `void*` does not.
void mark_addressed_kernels(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Finds what nvcc refuses and a host compiler accepts: host functions called by device code,
/// including constexpr ones and those of the standard library; `__device__` functions called by
/// host code; device variables that host code reads or writes (nvcc only warns of these); kernels
/// that are called or return something; launches of functions that are not kernels; `threadIdx` on
/// the host; status functions that end in a launch without a return; and a missing `;` before
/// `__shared__`. Whatever the tokens alone cannot decide passes.
/// @param macros  names of the macros of the file and of the files that it includes
/// @param words_elsewhere  as in RewriteOptions
void check_execution_spaces(const std::vector<Token>& tokens, const Outline& outline,
                            const std::set<std::string_view>& macros,
                            const std::set<std::string, std::less<>>& words_elsewhere,
                            std::vector<RewriteError>& errors);

/// Reports calls, in device code, of member functions that a class of the file defines for the host
/// alone: a member needs `__device__` as any function does.
void check_spaces_of_members(const Outline& outline, const std::set<std::string_view>& macros,
                             std::vector<RewriteError>& errors);

/// Reports dynamic shared arrays of one name with elements of two types. CUDA takes them for one
/// variable of the file, or of the namespace, even if they are declared in two kernels. Those in
/// conditionals of the preprocessor are left out, since they may not be there.
void check_dynamic_arrays(const std::vector<Token>& tokens, const Outline& outline,
                          std::vector<RewriteError>& errors);

/// Says what is wrong with calling, in device code, the standard library function whose name begins
/// at `index`. Returns nothing where no function that nvcc refuses is named.
/// @param used  the result of used_of_std()
std::optional<std::string> host_library_call(const Outline& outline, std::size_t index,
                                             const std::set<std::string_view>& used);

/// Returns the names that `using` brings in from the standard library.
std::set<std::string_view> used_of_std(const Outline& outline);

/// Whether a name stands in `sizeof(...)`, `decltype(...)` or `alignof(...)`, where nothing is
/// called.
bool is_unevaluated(const Outline& outline, std::size_t index);

/// Returns the `__device__` and `__constant__` variables of the file, and whether each is an array.
std::map<std::string_view, bool> device_variables_of(const Outline& outline);

/// Says what is wrong with using such a variable in host code. Returns nothing where only its
/// address is taken, as for cudaMemcpyToSymbol.
std::optional<std::string> host_use_of_variable(const Outline& outline, std::size_t name,
                                                bool is_array);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Puts `for (LoopExit tilewise_exit; tilewise_exit.once();)` before every loop of device code, so
/// that the run-time learns when a thread has left the loop. The mark is a loop because a block
/// would need a closing brace, and an `if` would take the `else` of another one. A loop whose body
/// contains a branch also gets `if (note_loop_pass(); false) {} else` before its body, which tells
/// the run-time which pass a thread is in; that `if` has its own `else` and so takes no other.
///
/// In files with barriers a kernel's body ends in `note_kernel_end();`, which tells threads that
/// reach the end from those that return early.
///
/// Leaves alone `do` loops whose body has no braces, and code that may have to be a constant
/// expression, which cannot hold a LoopExit (device_code.hpp).
void mark_loop_exits(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Turns `__shared__` variables into references to the running block's shared memory.
///
/// The text of a declaration, whatever its type and bounds, becomes the members of a structure; the
/// rewriter only picks out the names. On line 7, `__shared__ float As[T][T];` turns into
///
///     struct tilewise_shared_7_1 { float As[T][T]; };
///     auto& tilewise_block_7_1 = ::tilewise::simt::shared<tilewise_shared_7_1>();
///     auto& As = tilewise_block_7_1.As; ::tilewise::simt::name_shared(As, "As");
///
/// without a line break, and `extern __shared__ float s[];` into
///
///     auto& s = ::tilewise::simt::dynamic_shared<float>("s");
///
/// Lambdas that use such a variable capture it: `[=]` becomes `[=, &As]`.
///
/// At namespace scope both references are `static thread_local`, because each of the simulator's
/// threads runs its own block; they get their names when the first block on a thread uses one of
/// them.
/// @param in_macro the code is the body of a macro that is used in a kernel. The names of its
/// variables, which may be the macro's parameters, become part of the structures' names.
void rewrite_shared_memory(const Outline& outline, bool in_macro, Edits& edits,
                           std::vector<RewriteError>& errors);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Writes `tile.template load<4>(x)` for `tile.load<4>(x)` where the file declares such a function
/// template. In templates, C++ requires the word where the type of `tile` depends on the template's
/// arguments; nvcc does without it.
void name_member_templates(const Outline& outline, Edits& edits);

/// Makes a copy of each structure that is passed to a device function of the file by value, before
/// the call, and of each structure that one returns, after it: compilers do not report to the
/// checked build the loads and stores by which a call passes values, but they report assignments.
/// Temporary objects that are assigned, as in `out[i] = float4{a, b, c, d}`, are copied as well,
/// because g++ would store them member by member, and nvcc stores them as a whole.
void copy_structures_to_calls(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Turns `#pragma unroll`, with or without a number, and `_Pragma("unroll")` into
/// `#pragma GCC unroll`, which g++ and clang know. A pragma that stands before no loop is dropped:
/// nvcc ignores it there, but a host compiler stops with an error.
void rewrite_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits);

/// Removes all these pragmas, for builds in which a mark stands between each pragma and its loop.
void drop_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Turns inline PTX into C++ if all its instructions are known:
/// `asm("bfind.u32 %0, %1;" : "=r"(to) : "r"(x));` becomes an assignment to `(to)` of a function of
/// include/tilewise/ptx_instructions.hpp. All other assembly is left to the compiler, because host
/// code may hold assembly of the host.
void rewrite_assembly(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Reports a thread's own variables to the checked build where they are declared. On line 7 `float
/// sum;`, which has no value yet, turns into
///
///     float sum; ::tilewise::simt::unset(sum, "sum", 7, [] {});
///
/// and `float v[4];`, if the code may form a pointer into it, into an array between two fences:
///
///     struct tilewise_array_7_1 { Fence tilewise_before; float v[4]; Fence tilewise_behind; };
///     tilewise_array_7_1 tilewise_fenced_7_1; auto& v = tilewise_fenced_7_1.v;
///     Fenced<tilewise_array_7_1> tilewise_watch_7_1(tilewise_fenced_7_1, v, "v", 7, false);
///
/// on one line (include/tilewise/private_variables.hpp). A statement stays as it is unless its
/// tokens alone prove that it is such a declaration.
/// @param macros  names of macros, which may stand for anything
void watch_private_variables(const Outline& outline, const std::set<std::string_view>& macros,
                             Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Makes `#if` within `__global__` and `__device__` functions test `TILEWISE_CUDA_ARCH` instead of
/// `__CUDA_ARCH__`. Whole programs are compiled with the former defined but not the latter, because
/// the same pass also compiles host code. Leaves alone a conditional in which one branch holds
/// inline PTX and another replaces it.
void name_target_of_device_code(const std::vector<Token>& tokens, const Outline& outline,
                                Edits& edits);

}  // namespace tilewise::simt::rewriting
