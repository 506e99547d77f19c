#pragma once

#include <cstddef>
#include <string>

namespace tilewise::simt {

/// A variable of the threads' own, as its declaration describes it
/// (include/tilewise/private_variables.hpp).
struct DeclaredVariable {
  std::string name;  ///< empty if there are too many declarations to tell them apart
  int line = 0;
  std::size_t bytes = 0, element_bytes = 0;
  std::size_t rank = 0;  ///< rank of an array; otherwise 0
};

}  // namespace tilewise::simt
