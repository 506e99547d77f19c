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
/// finds them in the module: a page of its own for each, a gap behind it, and what its elements
/// are. On line 7, `__device__ int counter[5];` turns into
///
///     TILEWISE_DEVICE_VARIABLE __device__ int counter[5]; TILEWISE_SHAPE(counter, counter, 7_1)
///
/// (include/tilewise/device_variables.hpp). Of templates' variables and of members the second half
/// is left out, since there is no variable yet, or no place to say it.
/// @param tokens all there are, directives too: a macro may stand for the qualifiers
/// @param file_tag  as in RewriteOptions
/// @return what goes in front of the source, on lines of its own: the names of all, and of shared
/// variables at namespace scope; empty where there are none
std::string mark_device_variables(const std::vector<Token>& tokens, const Outline& outline,
                                  const std::string& file_tag, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Names of macros that begin with `<<<`, or stand for one that does.
using LaunchMacros = std::unordered_set<std::string_view>;

/// Turns `kernel<<<configuration>>>(arguments)` into
/// `TILEWISE_LAUNCHER("kernel", , kernel).configure(configuration)(arguments)`, a macro of
/// include/tilewise/launch.hpp that makes two functions of the name: one that calls it, for it may
/// stand for several overloads or for a template whose arguments follow from the call, and one by
/// which the compiler tells the parameters. An expression such as `table[i]` is passed as it is, so
/// that it is evaluated once, not by every thread.
///
/// A macro that stands for the configuration alone becomes `.configure(...)`, so that the kernel's
/// name is looked for where the macro is used.
/// @param in_macro the code is what a macro stands for: arguments may follow where it is used
void rewrite_launches(const Outline& outline, const LaunchMacros& macros, bool in_macro,
                      Edits& edits, std::vector<RewriteError>& errors);

/// The same text with launches that are written `k << <1, 2>> >(x)`, as formatters of C++ leave them
/// and nvcc takes them, in the usual way; no token moves to another line.
std::string with_launches_joined(std::string_view source);

/// Has kernels begin with `keep_launch_bounds(64, 2);` that are declared with
/// `__launch_bounds__(64, 2)`: a GPU does not launch larger blocks of them. Left alone are bounds that
/// may be another's or nobody's: with a preprocessor's choice in the declaration, or with a word that
/// a parameter hides.
/// @param tokens all there are, directives too
void keep_launch_bounds(const std::vector<Token>& tokens, const Outline& outline, Edits& edits);

/// For files that call cudaLaunchKernel: marks names, and expressions such as `table[i].kernel`, that
/// are cast to `void*`, or given to it, by `::tilewise::simt::addressed("kernel", kernel)`. A kernel's
/// type says how it is launched, and such a pointer has none.
void mark_addressed_kernels(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Finds what nvcc refuses and a host compiler takes: host functions called by device code, those
/// of the standard library and constexpr ones among them, and `__device__` functions by host code,
/// variables of the device that host code reads or writes (of which nvcc only warns), kernels that
/// are called or return something, launches of what is no kernel, `threadIdx` on the host, status
/// functions that end in a launch without a return, and a missing `;` before `__shared__`. What it
/// cannot tell from the words alone it lets pass.
/// @param macros  names of the file's macros, and of those that it includes
/// @param words_elsewhere  as in RewriteOptions
void check_execution_spaces(const std::vector<Token>& tokens, const Outline& outline,
                            const std::set<std::string_view>& macros,
                            const std::set<std::string, std::less<>>& words_elsewhere,
                            std::vector<RewriteError>& errors);

/// What is wrong with calling the function of the standard library that `index` begins to name, in
/// device code; nothing where it names none that nvcc refuses.
/// @param used  used_of_std()
std::optional<std::string> host_library_call(const Outline& outline, std::size_t index,
                                             const std::set<std::string_view>& used);

/// Names that `using` has made those of the standard library.
std::set<std::string_view> used_of_std(const Outline& outline);

/// Whether a name stands in `sizeof(...)` or `decltype(...)`, where nothing is called.
bool is_unevaluated(const Outline& outline, std::size_t index);

/// The file's `__device__` and `__constant__` variables, and whether each is an array.
std::map<std::string_view, bool> device_variables_of(const Outline& outline);

/// What is wrong with such a variable in host code; nothing where its address is meant, as by
/// cudaMemcpyToSymbol.
std::optional<std::string> host_use_of_variable(const Outline& outline, std::size_t name,
                                                bool is_array);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Puts `for (LoopExit tilewise_exit; tilewise_exit.once();)` before every loop of device code, so
/// that the run-time learns when a thread has left it. A loop and not a block, because that would
/// need a closing brace, nor an `if`, which would take the `else` of another.
/// Loops whose body makes some choice get `if (note_loop_pass(); false) {} else`
/// before it, so that it learns which pass a thread is in: the rest of that `if` takes no `else`.
///
/// In files with barriers a kernel's body ends in `note_kernel_end();`, which tells threads that
/// come to its end from those that return.
///
/// Left alone are `do` loops whose body has no braces, and what may have to be a constant, and so may
/// hold no LoopExit (device_code.hpp).
void mark_loop_exits(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Turns `__shared__` variables into references to the running block's shared memory.
///
/// A declaration's own text, whatever its type and bounds, becomes a structure's members; only the
/// names are picked out of it. On line 7, `__shared__ float As[T][T];` turns into
///
///     struct tilewise_shared_7_1 { float As[T][T]; };
///     auto& tilewise_block_7_1 = ::tilewise::simt::shared<tilewise_shared_7_1>();
///     auto& As = tilewise_block_7_1.As; ::tilewise::simt::name_shared(As, "As");
///
/// without a line break, and `extern __shared__ float s[];` into
///
///     auto& s = ::tilewise::simt::dynamic_shared<float>("s");
///
/// Lambdas that name one capture it: `[=]` becomes `[=, &As]`.
///
/// At namespace scope both are `static thread_local`, because each of the simulator's threads runs
/// a block of its own; they get their names as the first block there comes to one of them.
/// @param in_macro the code is what a macro stands for, in a kernel. Its names, which may be the
///   macro's parameters, make those of the structures.
void rewrite_shared_memory(const Outline& outline, bool in_macro, Edits& edits,
                           std::vector<RewriteError>& errors);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Writes `tile.template load<4>(x)` for `tile.load<4>(x)` of function templates that the file
/// declares: within templates C++ asks for it where what `tile` is depends on their arguments, and
/// nvcc does without.
void name_member_templates(const Outline& outline, Edits& edits);

/// Has arguments that are structures copied before the call, and results after it, where a device
/// function of the file takes or returns them by value: compilers load and store what a call
/// passes without a report to the checked build, and they report assignments.
/// So are objects that are made to be assigned, `out[i] = float4{a, b, c, d}`, which g++ would store
/// by members, and nvcc stores whole.
void copy_structures_to_calls(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Turns `#pragma unroll`, with or without a number, and `_Pragma("unroll")` into
/// `#pragma GCC unroll`, which g++ and clang know. One that stands before no loop is dropped, as
/// nvcc ignores it there, while a host compiler stops.
void rewrite_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits);

/// Takes them all away, for where a mark comes between each pragma and its loop.
void drop_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Turns inline PTX whose instructions are all known into C++: `asm("bfind.u32 %0, %1;" : "=r"(to) :
/// "r"(x));` into an assignment to `(to)` of a function of include/tilewise/ptx_instructions.hpp.
/// All else is left to the compiler, for host code may hold the host's assembly.
void rewrite_assembly(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Has the checked build told of a thread's own variables where they are declared. On line 7
/// `float sum;`, which has no value yet, turns into
///
///     float sum; ::tilewise::simt::unset(sum, "sum", 7, [] {});
///
/// and `float v[4];`, if a pointer into it may come about, into an array between two fences:
///
///     struct tilewise_array_7_1 { Fence tilewise_before; float v[4]; Fence tilewise_behind; };
///     tilewise_array_7_1 tilewise_fenced_7_1; auto& v = tilewise_fenced_7_1.v;
///     Fenced<tilewise_array_7_1> tilewise_watch_7_1(tilewise_fenced_7_1, v, "v", 7, false);
///
/// on one line (include/tilewise/private_variables.hpp). What is no declaration beyond doubt, by its
/// words alone, stays as it is.
/// @param macros  names of macros, which may stand for anything
void watch_private_variables(const Outline& outline, const std::set<std::string_view>& macros,
                             Edits& edits);

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// Has `#if` within `__global__` and `__device__` functions ask for `TILEWISE_CUDA_ARCH` where it asks for
/// `__CUDA_ARCH__`: whole programs are compiled with that one defined, and the other is not, since one
/// pass compiles host code, too. Left alone are alternatives of which one is inline PTX, and another
/// is what does without.
void name_target_of_device_code(const std::vector<Token>& tokens, const Outline& outline,
                                Edits& edits);

}  // namespace tilewise::simt::rewriting
