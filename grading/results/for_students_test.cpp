#include "grading/results/for_students.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "grading/results/test/example_grade.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ForStudents, HidesPlacesAndShowsWhatIsHidden) {
  TestResult test;
  const std::string course = places_of_this_process().course.string();
  test.finding.message = course + "/labs/x.hpp:3: \033[2J\n::error::\xd8\x9c";
  test.finding.hint = "see " + course + "/docs";
  test.finding.file = "::x\n.cu";
  const TestResult shown = for_students(test);
  EXPECT_EQ(shown.finding.message, "labs/x.hpp:3: \\x1b[2J\n\\x3a:error::\\u{061c}");
  EXPECT_EQ(shown.finding.hint, "see docs");
  EXPECT_EQ(shown.finding.file, "\\x3a:x\n.cu");
}

TEST(ForStudents, BoundsWhatIsSaid) {
  TestResult test;
  test.finding.message = test.finding.hint = test.finding.file = std::string(1'000'000, '\1');
  const TestResult shown = for_students(test);
  for (const std::string& text : {shown.finding.message, shown.finding.hint, shown.finding.file}) {
    EXPECT_LT(text.size(), longest_message_bytes + 30);
    EXPECT_THAT(text, HasSubstr("[more was cut here]"));
  }
  const std::string accents = [] {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "\xc3\xa9";
    return text;
  }();
  EXPECT_THAT(for_students(accents, 9), Not(HasSubstr("\\xc3")));
  EXPECT_EQ(for_students("short", 9), "short");
}

TEST(Feedback, SaysWhereWhatAndWhatNext) {
  const auto tests = example_grade().stages[0].tests;
  EXPECT_EQ(feedback(tests[0]), "");
  EXPECT_EQ(feedback(tests[1]),
            "matmul_shared.cu:31\nC[3][5] is \"1.25\" & <wrong>\nblock (0, 0)\n"
            "Hint: look at the \033[31medges\n");
  EXPECT_EQ(feedback(tests[2]), "needs a GPU\n");
}

TEST(Feedback, TellsNothingOfHiddenTestsButTheirPoints) {
  GradeResult grade = example_grade();
  auto& tests = grade.stages[0].tests;
  tests[0].hidden = tests[1].hidden = tests[4].hidden = true;
  const auto shown = without_hidden(grade).stages[0].tests;
  ASSERT_EQ(shown.size(), tests.size());
  for (const auto& [index, name] :
       {std::pair(0, "Hidden test 1"), {1, "Hidden test 2"}, {4, "Hidden test 3"}}) {
    TestResult expected;
    expected.name = name;
    expected.category = tests[index].category;
    expected.status = tests[index].status;
    expected.score = tests[index].score;
    expected.max_score = tests[index].max_score;
    expected.hidden = true;
    EXPECT_EQ(shown[index], expected) << name;
  }
  for (const int index : {2, 3}) EXPECT_EQ(shown[index], tests[index]);
}

// The tests use /tmp, /home and /root because every machine has them.
const KnownPlaces known = {"/home/jane doe/course",
                           {"/home/jane doe", "/root", "/tmp", "/opt/tilewise/build"}};

TEST(WithoutPlaces, TakesAwayWhereFilesAre) {
  const struct {
    const char* what;
    std::string_view text, shown;
  } cases[] = {
      {"g++, of a contract",
       "In file included from <command-line>:\n"
       "/home/jane doe/course/labs/03_x/x.hpp:7:13: note: declared here",
       "In file included from <command-line>:\nlabs/03_x/x.hpp:7:13: note: declared here"},
      {"g++, of a file that is not there",
       "labs/03_x/x.cu:1:10: fatal error: /home/jane doe/secret.h: No such file",
       "labs/03_x/x.cu:1:10: fatal error: .../secret.h: No such file"},
      {"clang", "/tmp/tilewise-run-x/fast/x.cpp:1:1: error: unknown type",
       ".../x.cpp:1:1: error: unknown type"},
      {"static_assert and #error",
       "error: static assertion failed: \"/home/mary/a b\"\n#error </root/x/y>",
       "error: static assertion failed: \".../a b\"\n#error <.../y>"},
      {"#pragma message", "note: '#pragma message: /home/mary/kernels/x.cu'",
       "note: '#pragma message: .../x.cu'"},
      {"ld",
       "/usr/bin/ld: /home/mary/x.o: in function `f()':\n"
       "/home/mary/deep/x.cu:5:(.text+0x10): undefined reference to `g()'",
       "/usr/bin/ld: .../x.o: in function `f()':\n"
       ".../x.cu:5:(.text+0x10): undefined reference to `g()'"},
      {"ld, without a blank", "/usr/bin/ld:/home/mary/x.o:(.data+0x0)",
       "/usr/bin/ld:.../x.o:(.data+0x0)"},
      {"an option", "-L/home/jane doe/course/build/lib -rpath,/opt/tilewise/build/lib",
       "-Lbuild/lib -rpath,.../lib"},
      {"assert", "x.cu:3: /home/mary/w: Assertion `a' failed.",
       "x.cu:3: .../w: Assertion `a' failed."},
      {"slashes without number", "at ///home//mary///x.cu", "at .../x.cu"},
      {"the folder itself", "cd /home/jane doe/course", "cd ."},
      {"the home of root", "(/root)", "(...)"},
      {"a map of memory", "7f00-7f01 r-xp 00000000 00:00 0 /tmp/tilewise-run-y/work/m.so\n",
       "7f00-7f01 r-xp 00000000 00:00 0 .../m.so\n"},
  };
  for (const auto& [what, text, shown] : cases)
    EXPECT_EQ(without_places(text, known), shown) << what;
}

TEST(WithoutPlaces, LeavesTheRest) {
  for (const std::string text :
       {"", "labs/03_x/x.cu:31:5: error: expected ';'", "/usr/include/c++/12/vector:3: note: x",
        "/opt/cuda/include/cuda.h", "6.5 GB/s, a/home/b, x / y, n/tmp", "   7 | int a = n /m;",
        "// home is where", "https://example.org/home/x", "/proc/self/maps", "c /y/z",
        "/home-made/x", "a/root/b", "../x/y.cu"}) {
    EXPECT_EQ(without_places(text, known), text);
  }
}

TEST(WithoutPlaces, KnowsThoseOfThisProcess) {
  const KnownPlaces here = places_of_this_process();
  EXPECT_EQ(without_places(here.course.string() + "/labs/x.hpp:3"), "labs/x.hpp:3");
  for (const auto& folder : here.private_folders) {
    const std::string shown = without_places(folder.string() + "/x.o: y");
    EXPECT_EQ(shown.find(here.course.parent_path().string()), shown.npos) << shown;
  }
}

}  // namespace
}  // namespace tilewise::grading
