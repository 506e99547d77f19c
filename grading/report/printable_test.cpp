#include "grading/report/printable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilewise::grading {
namespace {

using namespace std::string_view_literals;

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
       "\\x9b2J"},                                   // CSI as one C1 code point
      {"\xff\xc3", "\\xff\\xc3"},                    // no lead byte; cut short
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

}  // namespace
}  // namespace tilewise::grading
