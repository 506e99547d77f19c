#pragma once

#include <string>
#include <string_view>

namespace tilewise::simt {

/// LLVM's text for a module, as clang writes it before it optimises, with copies of small objects
/// made loads and stores of vectors.
///
/// A float4 that a kernel reads or writes whole is one access of 16 bytes, because its type is
/// aligned to 16. clang copies such an object by `llvm.memcpy`, which its first pass (SROA) splits
/// into what is used of it; the sanitizer, one of the last, sees four accesses of 4 bytes. A vector
/// stays whole. Objects aligned to less than their size, which a GPU has to copy in parts, are left
/// as they are, as is all that is not understood.
std::string with_whole_copies(std::string_view llvm_text);

}  // namespace tilewise::simt
