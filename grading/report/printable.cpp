#include "grading/report/printable.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace tilewise::grading {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  ///< bytes it takes, 0 if the bytes are not UTF-8
};

/// First code point of a text that is not empty.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF8   ? 0
                             : lead >= 0xF0 ? 4
                             : lead >= 0xE0 ? 3
                             : lead >= 0xC0 ? 2
                                            : 0;
  if (length == 0 || text.size() < length) return {};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  // An overlong form, a surrogate or a value past the end is not UTF-8 either.
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[length] || surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

bool is_control(char32_t value) {
  return (value < 0x20 && value != '\n' && value != '\t') || (value >= 0x7F && value <= 0x9F);
}

/// Marks that reorder or hide the text around them, and code points that XML does not allow.
bool is_treacherous(char32_t value) {
  return (value >= 0x200B && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
         (value >= 0x2060 && value <= 0x2069) || value == 0xFEFF || (value & 0xFFFE) == 0xFFFE;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (text.substr(0, 2) == "\r\n") {
      text.remove_prefix(1);
      continue;
    }
    if (point.length == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (is_control(point.value)) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned>(point.value));
    } else if (is_treacherous(point.value)) {
      shown += fmt::format("\\u{{{:04x}}}", static_cast<unsigned>(point.value));
    } else {
      shown += text.substr(0, point.length);
    }
    text.remove_prefix(point.length);
  }
  return shown;
}

}  // namespace tilewise::grading
