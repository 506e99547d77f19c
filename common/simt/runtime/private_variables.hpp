#pragma once

#include <cstddef>
#include <string>

namespace tilewise::simt {

/// A variable of threads' own, as its declaration says (include/tilewise/private_variables.hpp).
struct DeclaredVariable {
  std::string name;  ///< empty: one of too many
  int line = 0;
  std::size_t bytes = 0, element_bytes = 0;
  std::size_t rank = 0;  ///< of an array; else 0
};

}  // namespace tilewise::simt
