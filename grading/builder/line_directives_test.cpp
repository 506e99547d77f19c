#include "grading/builder/line_directives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tilewise::grading {
namespace {

/// Without the blanks at the ends of lines.
std::string trimmed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      while (result.ends_with(' ')) result.pop_back();
    }
    result += c;
  }
  return result;
}

TEST(LineDirectives, AreTakenOut) {
  const struct {
    const char* what;
    std::string source, left;
  } cases[] = {
      {"plain", "a\n#line 7 \"::error\"\nb\n", "a\n\nb\n"},
      {"as compilers write it", "# 12 \"/etc/passwd\" 3\nb\n", "\nb\n"},
      {"with blanks", "  #  line 7\nb\n", "\nb\n"},
      {"as a digraph", "%:line 7\nb\n", "\nb\n"},
      {"with a macro", "#line WHERE\nb\n", "\nb\n"},
      {"after a comment", "/* x */ # /* y */ line 7 /* z\n more */\nb\n", "/* x */\n\nb\n"},
      {"spliced", "#\\\nli\\\r\nne 7\\ \n \"x\"\nb\n", "\n\n\n\nb\n"},
      {"after odd literals", "char a = '\"';\n#line 7\nint b = 1'000;\n#line 8\n",
       "char a = '\"';\n\nint b = 1'000;\n\n"},
      {"after a literal that is not closed", "#error don't\n#line 7\n", "#error don't\n\n"},
      {"after a raw string", "auto s = R\"x(\")x\";\n#line 7\n", "auto s = R\"x(\")x\";\n\n"},
      {"at the end", "#line 7", "       "},
      {"lone sign", "#", "#"},
  };
  for (const auto& [what, source, left] : cases) {
    const std::string result = without_line_directives(source);
    EXPECT_EQ(trimmed(result), left) << what;
    EXPECT_EQ(result.size(), source.size()) << what;
    EXPECT_EQ(std::ranges::count(result, '\n'), std::ranges::count(source, '\n')) << what;
  }
}

TEST(LineDirectives, AreNothingElse) {
  for (const std::string source :
       {"#define line 7\n", "#linear\n", "x #line 7\n", "// #line 7\n", "/*\n#line 7\n*/\n",
        "auto s = R\"(\n#line 7\n)\";\n", "\"#line 7\"\n", "#if 0\n#endif\n", "#pragma unroll\n",
        "// spliced \\\n#line 7\n", "/* not closed\n#line 7\n", "R\"(not closed\n#line 7"}) {
    EXPECT_EQ(without_line_directives(source), source);
  }
}

}  // namespace
}  // namespace tilewise::grading
