#pragma once

#include <string>
#include <string_view>

namespace tilewise::simt {

/// Rewrites a module in LLVM's text form, as clang writes it before it optimises. Copies of small
/// objects become what a GPU makes of them: loads and stores of as many bytes as the object's type
/// is aligned to, 16 at most.
///
/// A float4 that a kernel reads or writes whole is one access of 16 bytes. clang copies it by
/// `llvm.memcpy`, which its first pass (SROA) splits into the parts that are used; the sanitizer,
/// one of the last passes, sees four accesses of 4 bytes. A vector stays whole. A structure of two
/// floats, though, is aligned to 4 bytes and must not be taken for one access of 8, as later passes
/// do.
///
/// These are the only accesses without a stated alignment, so the sanitizer calls its hooks for
/// unaligned access for them. The alignment of references is removed, too, so that a misaligned
/// access is judged before an instruction ends the kernel for it. Code that is not understood stays
/// as it is.
///
/// Checks of indices become what they are to g++: calls that touch none of the kernel's memory.
std::string with_whole_copies(std::string_view llvm_text);

/// Rewrites assembly for x86-64, so that functions which call __fentry__ at their start jump to
/// __x86_return_thunk instead of returning. Where other functions have to return to is not known.
std::string with_return_thunks(std::string_view assembly);

}  // namespace tilewise::simt
