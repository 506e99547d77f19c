#include "grading/examiner/rubric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "common/process/sandbox.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A course in a scratch folder whose stages have nothing but tests.
class RubricOfCourse : public testing::Test {
 protected:
  Rubric load(const std::map<std::string, std::string>& tests_by_stage) {
    for (const auto& [stage, tests] : tests_by_stage) {
      const auto file = stage_file(root_.path(), stage);
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << R"({"functions": [{"name": "f", "source": "f.cu"}], "tests": )"
                          << tests << "}";
    }
    return load_rubric(root_.path());
  }

 private:
  ScratchDirectory root_;
};

TEST_F(RubricOfCourse, IsReadInTheOrderWritten) {
  const Rubric rubric = load({{"01_a", R"([
      {"test": "Suite.Second", "category": "safety", "points": 7, "hidden": true},
      {"test": "Suite.First", "category": "performance", "points": 3,
       "minimum": {"of_reference": 0.5, "of_peak": 0.25}}])"}});
  ASSERT_EQ(rubric.size(), 1U);
  const auto& entries = rubric.at("01_a");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].test, "Suite.Second");
  EXPECT_EQ(entries[0].category, Category::safety);
  EXPECT_EQ(entries[0].points, 7);
  EXPECT_TRUE(entries[0].hidden);
  EXPECT_FALSE(entries[1].hidden);
  EXPECT_EQ(entries[1].category, Category::performance);
  EXPECT_FALSE(entries[0].minimum);
  ASSERT_TRUE(entries[1].minimum);
  EXPECT_EQ(entries[1].minimum->of_peak, 0.25);
  EXPECT_EQ(entries[1].minimum->modelled_fraction(), 0.5);
}

TEST_F(RubricOfCourse, IsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([{"test": "S.A", "category": "speed", "points": 10}])", "speed"},
      {R"([{"test": "S.A", "category": "safety", "points": 0}])", "positive whole number"},
      {R"([{"test": "S.A", "category": "safety", "points": -10}])", "positive whole"},
      {R"([{"test": "S.A", "category": "safety", "points": 9.5}])", "not 9.5"},
      {R"([{"category": "safety", "points": 10}])", "'test' not found"},
      {R"([{"test": "S.A", "category": "safety", "points": 10, "hidden": 1}])", "boolean"},
      {R"([{"test": "S.A", "category": "safety", "points": 10,
            "minimum": {"of_reference": 1.5, "of_peak": 0.1}}])",
       "of_reference must be a fraction above 0 and up to 1, not 1.5"},
      {"[]", "01_a/stage.json: tests: there is none"},
      {R"([{"test": "S.A", "category": "safety", "points": 9, "hiden": true}])",
       "'hiden' is none of category, hidden, minimum, points, test"},
      {R"([{"test": "S.A", "category": "safety", "points": 9,
            "minimum": {"of_reference": 0.5, "of_peak": 0.1, "of_modell": 1}}])",
       "'of_modell' is none of of_model, of_peak, of_reference"},
      {R"([{"test": "S.A", "category": "safety", "points": 5},
           {"test": "S.A", "category": "safety", "points": 5}])",
       "S.A is listed twice"},
      {"[", "parse error"},
  };
  for (const auto& [tests, message] : cases) {
    SCOPED_TRACE(tests);
    EXPECT_THAT(
        [&] {
          load({{"01_a", tests}});
        },
        ThrowsMessage<std::runtime_error>(HasSubstr(message)));
  }
}

TEST_F(RubricOfCourse, HasATestInOneStageOnly) {
  const char* tests = R"([{"test": "S.A", "category": "safety", "points": 10}])";
  EXPECT_THAT(
      [&] {
        load({{"01_a", tests}, {"02_b", tests}});
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("02_b/stage.json: tests: S.A is listed twice")));
}

TEST(Rubric, HasNoUnknownStage) {
  const Rubric rubric{{"01_a", {}}};
  EXPECT_TRUE(rubric_of(rubric, "01_a").empty());
  EXPECT_THAT([&] { rubric_of(rubric, "02_b"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("has no stage 02_b")));
}

TEST(Rubric, HidesTheNamesOfHiddenTests) {
  const std::vector<RubricEntry> tests{{.test = "Suite.Open", .points = 1},
                                       {.test = "Suite.Secret", .points = 1, .hidden = true}};
  EXPECT_EQ(shown_name(tests, "Suite.Open"), "Suite.Open");
  EXPECT_EQ(shown_name(tests, "Suite.Secret"), "a hidden test");
}

}  // namespace
}  // namespace tilewise::grading
