#include "grading/report/for_students.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "grading/report/without_places.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ForStudents, HidesPlacesAndShowsWhatIsHidden) {
  TestResult test;
  const std::string course = places_of_this_process().course.string();
  test.message = course + "/labs/x.hpp:3: \033[2J\n::error::\xd8\x9c";
  test.hint = "see " + course + "/docs";
  test.file = "::x\n.cu";
  const TestResult shown = for_students(test);
  EXPECT_EQ(shown.message, "labs/x.hpp:3: \\x1b[2J\n\\x3a:error::\\u{061c}");
  EXPECT_EQ(shown.hint, "see docs");
  EXPECT_EQ(shown.file, "\\x3a:x\n.cu");
}

TEST(ForStudents, BoundsWhatIsSaid) {
  TestResult test;
  test.message = test.hint = test.file = std::string(1'000'000, '\1');
  const TestResult shown = for_students(test);
  for (const std::string& text : {shown.message, shown.hint, shown.file}) {
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

}  // namespace
}  // namespace tilewise::grading
