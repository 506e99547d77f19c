#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// Returns the digest that sha256sum prints, in hexadecimal.
std::string sha256_of(std::string_view bytes);

}  // namespace tilewise::grading
