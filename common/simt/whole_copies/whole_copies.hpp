#pragma once

#include <string>
#include <string_view>

namespace tilewise::simt {

/// LLVM's text for a module, as clang writes it before it optimises, with copies of small objects
/// made what a GPU makes of them: loads and stores of as many bytes as the object's type is aligned
/// to, 16 at most.
///
/// A float4 that a kernel reads or writes whole is one access of 16 bytes. clang copies it by
/// `llvm.memcpy`, which its first pass (SROA) splits into what is used of it; the sanitizer, one of
/// the last, sees four accesses of 4 bytes. A vector stays whole. A structure of two floats,
/// though, is aligned to 4 bytes and may not be taken for one access of 8, as later passes do.
///
/// Such accesses are the only ones that say nothing of their alignment: the sanitizer calls its
/// hooks for unaligned access for them. Nor does anything say how references are aligned, so that a
/// misaligned access is judged before an instruction ends the kernel for it. What is not understood
/// is left as it is.
///
/// Checks of indices, too, become what they are to g++: calls that touch nothing of the kernel's.
std::string with_whole_copies(std::string_view llvm_text);

/// Assembly for x86-64 whose functions jump to __x86_return_thunk where they returned, those that
/// call __fentry__ at their start: of others nobody knows where they must return to.
std::string with_return_thunks(std::string_view assembly);

}  // namespace tilewise::simt
