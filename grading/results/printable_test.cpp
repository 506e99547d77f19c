#include "grading/results/printable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilewise::grading {
namespace {

using namespace std::string_view_literals;

std::string utf8(std::u32string_view text) {
  std::string bytes;
  for (const char32_t value : text) {
    const auto tail = [&](int shift) {
      bytes += static_cast<char>(0x80 | (value >> shift & 0x3F));
    };
    if (value < 0x80) {
      bytes += static_cast<char>(value);
    } else if (value < 0x800) {
      bytes += static_cast<char>(0xC0 | value >> 6);
      tail(0);
    } else if (value < 0x10000) {
      bytes += static_cast<char>(0xE0 | value >> 12);
      tail(6), tail(0);
    } else {
      bytes += static_cast<char>(0xF0 | value >> 18);
      tail(12), tail(6), tail(0);
    }
  }
  return bytes;
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  const struct {
    std::string_view text, shown;
  } cases[] = {
      {"", ""},
      {"plain\ttext\n", "plain\ttext\n"},
      {"windows\r\nline", "windows\nline"},
      {"over\rwritten", "over\\x0dwritten"},
      {"\033[2Jgone\033]0;title\007", "\\x1b[2Jgone\\x1b]0;title\\x07"},
      {"a\0b"sv, "a\\x00b"},
      {"\x7f", "\\x7f"},
      {"caf\xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x98\x80"},
      {"\xc2\x9b"
       "2J",
       "\\x9b2J"},                                   // CSI as a single C1 code point
      {"\xff\xc3", "\\xff\\xc3"},                    // an invalid lead byte; a truncated character
      {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // past U+10FFFF
      {"a\xe2\x80\xae"
       "b",
       "a\\u{202e}b"},                // right-to-left override
      {"\xef\xbf\xbf", "\\u{ffff}"},  // not allowed in XML
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(printable(text), shown);
}

TEST(Printable, ShowsWhatNobodySees) {
  const struct {
    const char* what;
    std::u32string_view text;
    std::string_view shown;
  } cases[] = {
      {"soft hyphen", U"a\u00ADb", "a\\u{00ad}b"},
      {"grapheme joiner", U"\u034F", "\\u{034f}"},
      {"Arabic letter mark", U"\u061C", "\\u{061c}"},
      {"Hangul fillers", U"\u115F\u3164\uFFA0", "\\u{115f}\\u{3164}\\u{ffa0}"},
      {"Mongolian separators", U"\u180B\u180E", "\\u{180b}\\u{180e}"},
      {"zero width", U"\u200B\u200D\u200F", "\\u{200b}\\u{200d}\\u{200f}"},
      {"lines", U"\u2028\u2029", "\\u{2028}\\u{2029}"},
      {"embeddings", U"\u202A\u202E", "\\u{202a}\\u{202e}"},
      {"isolates", U"\u2066\u2069", "\\u{2066}\\u{2069}"},
      {"invisible operators", U"\u2061\u2064", "\\u{2061}\\u{2064}"},
      {"empty Braille", U"\u2800", "\\u{2800}"},
      {"variation selectors", U"\uFE0F\U000E0100", "\\u{fe0f}\\u{e0100}"},
      {"byte order mark", U"\uFEFF", "\\u{feff}"},
      {"annotations", U"\uFFF9", "\\u{fff9}"},
      {"private use", U"\uE000\U0010FFFD", "\\u{e000}\\u{10fffd}"},
      {"tags", U"\U000E0001\U000E007F", "\\u{e0001}\\u{e007f}"},
      {"musical symbols", U"\U0001D159", "\\u{1d159}"},
      {"musical format", U"\U0001D173", "\\u{1d173}"},
      {"what is seen", U"\u00A0\u00E9\u03B1\u4E2D\u3000\u2713\U0001F600",
       "\xc2\xa0\xc3\xa9\xce\xb1\xe4\xb8\xad\xe3\x80\x80\xe2\x9c\x93\xf0\x9f\x98\x80"},
  };
  for (const auto& [what, text, shown] : cases) {
    EXPECT_EQ(printable(utf8(text)), shown) << what;
    EXPECT_EQ(printable(printable(utf8(text))), shown) << what;
  }
}

TEST(Printable, TakesTheForceFromCommands) {
  const struct {
    std::string_view text, shown;
  } cases[] = {
      {"::error file=x::text", "\\x3a:error file=x::text"},
      {"  ::set-output name=a::b", "  \\x3a:set-output name=a::b"},
      {"\xe3\x80\x80::error::behind a wide blank", "\xe3\x80\x80\\x3a:error::behind a wide blank"},
      {"\xc2\xa0::error::behind a blank", "\xc2\xa0\\x3a:error::behind a blank"},
      {"a\r\n::warning::b", "a\n\\x3a:warning::b"},
      {"where it may be ::add-mask::wrapped", "where it may be \\x3a:add-mask::wrapped"},
      {"std::max(a, b), '::f'", "std::max(a, b), '::f'"},
      {"x ##[error]y", "x \\x23#[error]y"},
      {"##vso[task.complete]", "\\x23#vso[task.complete]"},
      {"##teamcity[testFailed]", "\\x23#teamcity[testFailed]"},
      {"a ## b, #define C(x) a##x", "a ## b, #define C(x) a##x"},
      {"ok 1 - passed", "\\x6fk 1 - passed"},
      {"\nnot ok 2", "\n\\x6eot ok 2"},
      {"1..4", "\\x31..4"},
      {"Bail out! now", "\\x42ail out! now"},
      {"ok so far, 1..n", "ok so far, 1..n"},
      {"{\"scores\": {\"a\": 10}}", "\\x7b\"scores\": {\"a\": 10}}"},
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(printable(text), shown);
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Csv, QuotesWhatNeedsIt) {
  const struct {
    const char* text;
    const char* cell;
  } cases[] = {{"anna", "anna"},
               {"", ""},
               {"Lovelace, Ada", "\"Lovelace, Ada\""},
               {"the \"best\"", "\"the \"\"best\"\"\""},
               {"two\nlines", "\"two\nlines\""},
               {"=1+1", "'=1+1"},
               {"@cmd", "'@cmd"},
               {"-anna", "'-anna"},
               {"+1,2", "\"'+1,2\""},
               {"\033[31mred", "\\x1b[31mred"}};
  for (const auto& [text, cell] : cases) EXPECT_EQ(csv_cell(text), cell);
}

TEST(Wrapped, BreaksLinesAtBlanks) {
  const struct {
    const char* text;
    const char* indent;
    std::size_t width;
    const char* lines;
  } cases[] = {
      {"", "", 10, ""},
      {"one two three", "", 100, "one two three\n"},
      {"one two three", "", 7, "one two\nthree\n"},
      {"one two three", "  ", 9, "  one two\n  three\n"},
      {"a\n\nb", "  ", 10, "  a\n\n  b\n"},
      {"   a  matrix", "", 5, "   a  matrix\n"},
      {"unbreakable words", "", 4, "unbreakable\nwords\n"},
      {"narrower than its indent", "          ", 5,
       "          narrower\n          than\n          its\n          indent\n"},
  };
  for (const auto& [text, indent, width, lines] : cases) {
    EXPECT_EQ(wrapped(text, indent, width), lines);
  }
}

}  // namespace
}  // namespace tilewise::grading
