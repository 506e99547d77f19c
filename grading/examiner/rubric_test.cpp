#include "grading/examiner/rubric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::filesystem::path write_rubric(const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / "rubric_under_test.json";
  std::ofstream(file) << text;
  return file;
}

TEST(Rubric, IsReadInTheOrderWritten) {
  const Rubric rubric = load_rubric(write_rubric(R"({
    "01_a": [{"test": "Suite.Second", "category": "safety", "points": 7, "hidden": true},
             {"test": "Suite.First", "category": "performance", "points": 3}]})"));
  ASSERT_EQ(rubric.size(), 1U);
  const auto& entries = rubric.at("01_a");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].test, "Suite.Second");
  EXPECT_EQ(entries[0].category, Category::safety);
  EXPECT_EQ(entries[0].points, 7);
  EXPECT_TRUE(entries[0].hidden);
  EXPECT_FALSE(entries[1].hidden);
  EXPECT_EQ(entries[1].category, Category::performance);
}

struct BadRubric {
  const char* text;
  const char* message;
};

TEST(Rubric, IsRefusedWithTheReason) {
  const BadRubric cases[] = {
      {R"({"01_a": [{"test": "S.A", "category": "speed", "points": 10}]})", "speed"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": 0}]})",
       "positive whole number"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": -10}]})", "positive whole"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": 9.5}]})", "not 9.5"},
      {R"({"01_a": [{"category": "safety", "points": 10}]})", "'test' not found"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": 10, "hidden": 1}]})",
       "boolean"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": 9}]})",
       "stage 01_a: adds up to 9"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": 5},
                    {"test": "S.A", "category": "safety", "points": 5}]})",
       "S.A is listed twice"},
      {R"({"01_a": [{"test": "S.A", "category": "safety", "points": 10}],
           "02_b": [{"test": "S.A", "category": "safety", "points": 10}]})",
       "stage 02_b: S.A is listed twice"},
      {"{", "parse error"},
  };
  for (const BadRubric& bad : cases) {
    SCOPED_TRACE(bad.text);
    const auto file = write_rubric(bad.text);
    EXPECT_THAT([&] { load_rubric(file); },
                ThrowsMessage<std::runtime_error>(HasSubstr(bad.message)));
  }
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

TEST(Rubric, ThatIsMissingIsNamed) {
  EXPECT_THAT([] { load_rubric("no/such/rubric.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no/such/rubric.json")));
}

}  // namespace
}  // namespace tilewise::grading
