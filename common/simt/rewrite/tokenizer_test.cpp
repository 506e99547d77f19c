#include "common/simt/rewrite/tokenizer.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tilewise::simt::rewriting {
namespace {

using testing::ElementsAreArray;

struct Case {
  const char* what;
  std::string source;
  std::vector<std::string> tokens;
};

std::vector<std::string> texts(const std::string& source) {
  std::vector<std::string> result;
  for (const auto& token : tokenize(source)) result.emplace_back(token.text);
  return result;
}

TEST(Tokenizer, SplitsSourceIntoTokens) {
  const Case cases[] = {
      {"nothing", "", {}},
      {"words", "int\t_a1 $b", {"int", "_a1", "$b"}},
      {"letters beyond ASCII", "int größe;", {"int", "größe", ";"}},
      {"a byte order mark", "\xEF\xBB\xBF#if 1", {"#", "if", "1"}},
      {"numbers", "1'000 .5e-3f 0x1p+2 1..2", {"1'000", ".5e-3f", "0x1p+2", "1..2"}},
      {"a character after a number", "1 'a'", {"1", "'a'"}},
      {"a launch", "k<<<1,2>>>(x)", {"k", "<<<", "1", ",", "2", ">", ">", ">", "(", "x", ")"}},
      {"a global name in a launch", "k<<<::g", {"k", "<<<", "::", "g"}},
      {"shifts", "a <<= b << c <= d", {"a", "<<=", "b", "<<", "c", "<=", "d"}},
      {"a split launch", "a << < b", {"a", "<<", "<", "b"}},
      {"comparisons",
       "a >= b == c != d && e || f->g",
       {"a", ">=", "b", "==", "c", "!=", "d", "&&", "e", "||", "f", "->", "g"}},
      {"comments", "a // <<< \"\nb /* ' \n */ c", {"a", "b", "c"}},
      {"a line comment that goes on", "a // b \\\n c\nd", {"a", "d"}},
      {"a comment without end", "a /* b", {"a"}},
      {"division", "a / b", {"a", "/", "b"}},
      {"strings", R"(a "\"<<<" 'b' '\'' '"')", {"a", R"("\"<<<")", "'b'", R"('\'')", "'\"'"}},
      {"string prefixes", R"(u8"a" L'b' x"c")", {"u8\"a\"", "L'b'", "x", "\"c\""}},
      {"a string over two lines", "\"a\\\nb\" c", {"\"a\\\nb\"", "c"}},
      {"a string without end", "\"a\nb", {"\"a", "b"}},
      {"a string that ends in a backslash", "\"a\\", {"\"a\\"}},
      {"an apostrophe in text", "#error don't\nb", {"#", "error", "don", "'t", "b"}},
      {"raw strings", "R\"(a\"\n)\" u8R\"x()\")x\" b", {"R\"(a\"\n)\"", "u8R\"x()\")x\"", "b"}},
      {"a raw string without end", "R\"(a\nb", {"R\"(a\nb"}},
      {"a raw string's broken start", "R\"a b\" c", {"R\"a b\"", "c"}},
      {"joined lines", "a \\\nb\\  \nc", {"a", "b", "c"}},
      {"carriage returns", "a\r\n\\\r\nb\r\n", {"a", "b"}},
      {"a zero byte", std::string("a\0b", 3), {"a", std::string(1, '\0'), "b"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_THAT(texts(c.source), ElementsAreArray(c.tokens));
  }
}

TEST(Tokenizer, CountsLines) {
  const Case cases[] = {
      {"line breaks", "\na\n\nb", {"2", "4"}},
      {"comments", "/*\n*/ a // \\\n\nb", {"2", "4"}},
      {"strings", "\"\\\n\" R\"(\n)\" a", {"1", "2", "3"}},
      {"joined lines", "a\\\nb", {"1", "2"}},
      {"carriage returns", "a\r\nb\r\n\"\\\r\n\" c", {"1", "2", "3", "4"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    std::vector<std::string> lines;
    for (const auto& token : tokenize(c.source)) lines.push_back(std::to_string(token.line));
    EXPECT_THAT(lines, ElementsAreArray(c.tokens));
  }
}

TEST(Tokenizer, TellsDirectivesFromCode) {
  const Case cases[] = {
      {"a directive ends with its line", "#x\na", {"1", "1", "0"}},
      {"each one has its number", " # x\n/**/#y", {"1", "1", "2", "2"}},
      {"a joined line belongs to it", "#x\\\ny\nz", {"1", "1", "1", "0"}},
      {"so does the line of a comment's end", "#x /*\n*/ y", {"1", "1", "1"}},
      {"a # inside a line starts none", "a # b", {"0", "0", "0"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    std::vector<std::string> directives;
    for (const auto& token : tokenize(c.source)) {
      directives.push_back(std::to_string(token.directive));
    }
    EXPECT_THAT(directives, ElementsAreArray(c.tokens));
  }
}

}  // namespace
}  // namespace tilewise::simt::rewriting
