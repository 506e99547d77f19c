#include "grading/builder/source_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ReadSource, TakesAnyBytes) {
  const ScratchDirectory scratch;
  const std::string text("a\0\xff\r\n", 5);
  std::ofstream(scratch.path() / "x.cu", std::ios::binary) << text;
  for (const char* name : {"x.cu", "link.cu", "empty.cu"}) {
    if (name == std::string("link.cu")) fs::create_symlink("x.cu", scratch.path() / name);
    if (!fs::exists(scratch.path() / name)) std::ofstream(scratch.path() / name);
    const SourceFile source = read_source(scratch.path() / name, "labs/x.cu", scratch.path());
    EXPECT_THAT(source.problem, IsEmpty());
    EXPECT_EQ(source.text, name == std::string("empty.cu") ? "" : text);
    EXPECT_EQ(source.name, "labs/x.cu");
  }
}

TEST(ReadSource, SaysWhyAFileCannotBeTaken) {
  const ScratchDirectory scratch;
  const auto in_scratch = [&](const char* name) { return scratch.path() / name; };
  fs::create_directory(in_scratch("folder.cu"));
  ASSERT_EQ(mkfifo(in_scratch("pipe.cu").c_str(), 0600), 0);
  fs::create_symlink("nowhere", in_scratch("dangling.cu"));
  fs::create_symlink("loop.cu", in_scratch("loop.cu"));
  const ScratchDirectory other;
  std::ofstream(other.path() / "x.cu") << "x";
  fs::create_symlink(other.path() / "x.cu", in_scratch("outside.cu"));
  fs::create_directory_symlink(other.path(), in_scratch("elsewhere"));
  std::ofstream(in_scratch("large.cu")) << "x";
  fs::resize_file(in_scratch("large.cu"), 5u << 20);
  std::ofstream(in_scratch("secret.cu")) << "x";
  fs::permissions(in_scratch("secret.cu"), fs::perms::none);

  const struct {
    const char* file;
    const char* problem;
  } cases[] = {
      {"none.cu", "labs/x.cu is missing."},
      {"dangling.cu", "labs/x.cu is missing."},
      {"folder.cu", "labs/x.cu is a folder"},
      {"pipe.cu", "labs/x.cu is not a regular file"},
      {"large.cu", "labs/x.cu is larger than 4 MiB"},
      {"outside.cu", "labs/x.cu is a link out of the submission"},
      {"elsewhere/x.cu", "labs/x.cu is a link out of the submission"},
      {"loop.cu", "labs/x.cu cannot be read: Too many levels of symbolic links"},
      {"secret.cu", "labs/x.cu cannot be read: Permission denied"},
  };
  for (const auto& [file, problem] : cases) {
    if (file == std::string("secret.cu") && geteuid() == 0) continue;  // root reads everything
    const SourceFile source = read_source(in_scratch(file), "labs/x.cu", scratch.path());
    EXPECT_THAT(source.problem, HasSubstr(problem)) << file;
    EXPECT_THAT(source.hint, testing::Not(IsEmpty())) << file;
  }
}

}  // namespace
namespace {

/// Returns the text without the blanks at the ends of lines.
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
