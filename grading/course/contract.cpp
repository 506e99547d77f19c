#include "grading/course/contract.hpp"

#include <fmt/format.h>

namespace tilewise::grading {

void append_argument(std::string& text, std::string_view name, const CallArgument& argument) {
  if (std::holds_alternative<DeviceArray*>(argument)) return;
  if (!text.ends_with('(')) text += ", ";
  if (const auto* integer = std::get_if<std::int64_t>(&argument)) {
    text += fmt::format("{}={}", name, *integer);
  } else if (const auto* real = std::get_if<double>(&argument)) {
    text += fmt::format("{}={}", name, *real);
  } else {
    const auto& extent = std::get<std::array<unsigned, 3>>(argument);
    text += fmt::format("{}={}x{}", name, extent[0], extent[1]);
    if (extent[2] != 1) text += fmt::format("x{}", extent[2]);
  }
}

}  // namespace tilewise::grading
