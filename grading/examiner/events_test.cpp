#include "grading/examiner/events.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grading/report/json.hpp"

namespace tilewise::grading {
namespace {

TEST(Events, AreSingleLines) {
  TestResult test;
  test.name = "Suite.Test";
  test.finding.message = "two\nlines";
  EXPECT_EQ(start_event("Suite.Test"), R"({"event":"start","name":"Suite.Test"})");
  EXPECT_EQ(end_event(test, "out\nput").find('\n'), std::string::npos);
}

TEST(Events, EndHoldsTheWholeResult) {
  const TestResult test{
      .name = "Suite.Test",
      .category = Category::memory,
      .status = Status::failed,
      .score = 0,
      .max_score = 2,
      .finding = {.message = "C[0][0] is 1", .hint = "look", .file = "a.cu", .line = 3},
      .measurements = {{"gflops", 12.5}}};
  const auto document = nlohmann::ordered_json::parse(end_event(test, "printed"));
  EXPECT_EQ(document.at("event"), "end");
  EXPECT_EQ(document.at("output"), "printed");
  EXPECT_EQ(document.at("test").get<TestResult>(), test);
}

TEST(Events, EndHoldsTheWholeFindingBesideTheResult) {
  TestResult test;
  test.finding = {.message = "C[2][1] is 0", .call = "f(n=3)", .matrix = "C", .row = 2, .col = 1};
  const auto document = nlohmann::ordered_json::parse(end_event(test, ""));
  EXPECT_EQ(nlohmann::json(document.at("finding")).get<Finding>(), test.finding);
  EXPECT_FALSE(document.at("test").contains("call")) << "no part of tilewise/result/v1";
}

TEST(Events, CutLongOutputAndMendWhatIsNoText) {
  const auto output = [](const std::string& printed) {
    const auto document = nlohmann::ordered_json::parse(end_event({}, printed));
    return document.at("output").get<std::string>();
  };
  EXPECT_EQ(output(std::string(4096, 'x')), std::string(4096, 'x'));
  const std::string cut = output(std::string(5000, 'x'));
  EXPECT_EQ(cut.substr(0, 4097), std::string(4096, 'x') + "\n");
  EXPECT_LT(cut.size(), 4200U);
  EXPECT_EQ(output("\xFF"), "\xEF\xBF\xBD");
}

// The listener is told of this very test while it runs.
TEST(Events, ListenerWritesALineAtEachEndOfATest) {
  record_verdict({{.message = "for the listener"}});
  std::FILE* stream = std::tmpfile();
  ASSERT_NE(stream, nullptr);
  const auto& info = *testing::UnitTest::GetInstance()->current_test_info();
  EventListener listener(stream, {{full_name(info), Category::safety, 4}});
  listener.OnTestStart(info);
  listener.OnTestEnd(info);
  std::rewind(stream);
  char text[4096] = {};
  const std::size_t size = std::fread(text, 1, sizeof text, stream);
  std::fclose(stream);
  TestResult expected;
  expected.name = full_name(info);
  expected.category = Category::safety;
  expected.status = Status::passed;
  expected.score = expected.max_score = 4;
  expected.finding.message = "for the listener";
  EXPECT_EQ(std::string(text, size),
            start_event(expected.name) + "\n" + end_event(expected, "") + "\n");
}

TEST(Events, ListenerKnowsTheTestsOfItsRubricOnly) {
  std::FILE* stream = std::tmpfile();
  ASSERT_NE(stream, nullptr);
  EventListener listener(stream, {{"Other.Test", Category::safety, 4}});
  EXPECT_THROW(listener.OnTestEnd(*testing::UnitTest::GetInstance()->current_test_info()),
               std::logic_error);
  std::fclose(stream);
}

}  // namespace
}  // namespace tilewise::grading
