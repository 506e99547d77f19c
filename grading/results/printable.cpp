#include "grading/results/printable.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>

namespace tilewise::grading {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  ///< number of bytes; 0 if they are not UTF-8
};

/// Returns the first code point of a text that is not empty.
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
  // Overlong forms, surrogates and values above U+10FFFF are not UTF-8 either.
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[length] || surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

bool is_control(char32_t value) {
  return (value < 0x20 && value != '\n' && value != '\t') || (value >= 0x7F && value <= 0x9F);
}

/// Ranges, with the first and last code point, of characters that are invisible or change how
/// others are displayed. They are Unicode's general categories Cf, Co, Zl, Zp and, except for the
/// blank and U+3000, Zs; its property Default_Ignorable_Code_Point (DerivedCoreProperties.txt,
/// version 14), which includes the variation selectors and tags; noncharacters, planes without
/// characters, and U+2800, the empty Braille pattern.
constexpr char32_t unseen[][2] = {
    {0xAD, 0xAD},       {0x34F, 0x34F},      {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},     {0x70F, 0x70F},      {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x115F, 0x1160},   {0x1680, 0x1680},    {0x17B4, 0x17B5},   {0x180B, 0x180F},
    {0x2000, 0x200F},   {0x2028, 0x202F},    {0x205F, 0x206F},   {0x2800, 0x2800},
    {0x3164, 0x3164},   {0xE000, 0xF8FF},    {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},    {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
    {0x110BD, 0x110BD}, {0x110CD, 0x110CD},  {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
    {0x1D159, 0x1D159}, {0x1D173, 0x1D17A},  {0x1FFFE, 0x1FFFF}, {0x2FFFE, 0x2FFFF},
    {0x3FFFE, 0xE0FFF}, {0xEFFFE, 0x10FFFF},
};

bool is_unseen(char32_t value) {
  const auto after = std::ranges::upper_bound(unseen, value, {},
                                              [](const char32_t(&range)[2]) { return range[0]; });
  return after != std::begin(unseen) && value <= (*std::prev(after))[1];
}

bool begins_with_digits(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

/// Whether programs that read a test's output would take the line for a result: one of TAP, or a
/// JSON document, of which Autolab takes the last one.
bool begins_a_result(std::string_view line) {
  if (line.starts_with("Bail out!") || line.starts_with("TAP version")) return true;
  if (line.starts_with("{\"")) return true;
  for (const std::string_view plan : {"1..", "ok ", "not ok "}) {
    if (line.starts_with(plan)) return begins_with_digits(line.substr(plan.size()));
  }
  return false;
}

/// Whether a CI system would take the beginning of the text for a command. "::" counts only at the
/// beginning of a line, but any word may be wrapped to one; "##[" counts anywhere.
bool begins_a_command(std::string_view text, bool at_word, bool at_line) {
  if (at_word && text.starts_with("::")) return true;
  if (at_line && begins_a_result(text)) return true;
  if (!text.starts_with("##")) return false;
  const std::size_t name_end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 2);
  return name_end != text.npos && text[name_end] == '[';
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  bool at_word = true, at_line = true;  // only blanks precede
  while (!text.empty()) {
    if (text.substr(0, 2) == "\r\n") {
      text.remove_prefix(1);
      continue;
    }
    const CodePoint point = first_code_point(text);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (point.length == 0 || is_control(point.value)) {
      const unsigned value = point.length == 0 ? byte : static_cast<unsigned>(point.value);
      shown += fmt::format("\\x{:02x}", value);
    } else if (is_unseen(point.value)) {
      shown += fmt::format("\\u{{{:04x}}}", static_cast<unsigned>(point.value));
    } else if (begins_a_command(text, at_word, at_line)) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text.substr(0, length);
    }
    // No-break and ideographic spaces are visible, but programs that trim blanks off a line trim
    // them, too.
    const bool blank =
        byte == ' ' || byte == '\t' || byte == '\n' || point.value == 0xA0 || point.value == 0x3000;
    at_line = byte == '\n' || (at_line && blank);
    at_word = blank;
    text.remove_prefix(length);
  }
  return shown;
}

std::string as_markup(std::string_view text) {
  std::string markup;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        markup += "&amp;";
        break;
      case '<':
        markup += "&lt;";
        break;
      case '>':
        markup += "&gt;";
        break;
      case '"':
        markup += "&quot;";
        break;
      case '\'':
        markup += "&#39;";
        break;
      default:
        markup += c;
    }
  }
  return markup;
}

std::string first_line(std::string_view text) { return printable(text.substr(0, text.find('\n'))); }

std::string csv_cell(std::string_view text) {
  std::string value = printable(text);
  const std::string_view begins_a_formula = "=+-@\t\r";
  if (!value.empty() && begins_a_formula.find(value.front()) != std::string_view::npos) {
    value.insert(value.begin(), '\'');
  }
  if (value.find_first_of("\",\n\r") == value.npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string in_plain_letters(std::string_view text) {
  // The letters for U+00C0 to U+017F; a star stands for no letter.
  constexpr char32_t first = 0xC0;
  constexpr std::string_view letters =
      "aaaaaaaceeeeiiiidnooooo*ouuuuyts"
      "aaaaaaaceeeeiiiidnooooo*ouuuuyty"
      "aaaaaaccccccccddddeeeeeeeeeegggg"
      "gggghhhhiiiiiiiiiiiijjkkklllllll"
      "lllnnnnnnnnnoooooooorrrrrrssssss"
      "ssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
  std::string plain;
  while (!text.empty()) {
    auto [value, length] = first_code_point(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(bytes.size());
    const auto is_within = [&](char32_t from, char32_t to) { return value >= from && value <= to; };
    if (is_within(0x300, 0x36F)) continue;       // a combining accent after its letter
    if (is_within(0x400, 0x40F)) value += 0x50;  // Cyrillic
    if (is_within(0x391, 0x3A9) || is_within(0x410, 0x42F)) value += 0x20;  // Greek, Cyrillic
    if (value == 0x439 || value == 0x451) value = value == 0x439 ? 0x438 : 0x435;
    if (is_within(first, first + letters.size() - 1)) {
      plain += letters[value - first];
    } else if (is_within(0x391, 0x45F)) {
      plain += {static_cast<char>(0xC0 | value >> 6), static_cast<char>(0x80 | (value & 0x3F))};
    } else {
      plain += bytes;
    }
  }
  return in_lower_case(plain);
}

std::size_t columns_of_standard_output() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return readable_width;
  return std::min<std::size_t>(size.ws_col, readable_width);
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  const std::size_t room = width > indent.size() ? width - indent.size() : 1;
  std::string lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (line.size() > room && !line.starts_with(' ')) {
      std::size_t at = line.rfind(' ', room);
      if (at == line.npos) at = line.find(' ');
      if (at == line.npos) break;
      lines += fmt::format("{}{}\n", indent, line.substr(0, at));
      line.remove_prefix(at + 1);
    }
    lines += line.empty() ? "\n" : fmt::format("{}{}\n", indent, line);
  }
  return lines;
}

}  // namespace tilewise::grading
