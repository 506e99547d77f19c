#include "grading/examiner/test_end.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

const RubricEntry entry{"MatmulGrid.IsRight", Category::safety, 3};

TEST(TestEnd, OfAPassedTestScoresItsPoints) {
  const TestResult result = result_of(entry, {});
  EXPECT_EQ(result.name, "MatmulGrid.IsRight");
  EXPECT_EQ(result.category, Category::safety);
  EXPECT_EQ(result.status, Status::passed);
  EXPECT_EQ(result.score, 3);
  EXPECT_EQ(result.max_score, 3);
}

TEST(TestEnd, OfASkippedTestCostsNothing) {
  const TestResult result = result_of(entry, {.skipped = true});
  EXPECT_EQ(result.status, Status::skipped);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 0);
}

TEST(TestEnd, OfAFailureNobodyExplainedIsTheGradersFault) {
  const TestResult result = result_of(entry, {.failed = true, .failures = {"std::bad_alloc"}});
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 3);
  EXPECT_EQ(result.finding.message, "The grader itself failed: std::bad_alloc");
}

// This test passes, and what it records is read back as if it came from a test that failed.
TEST(TestEnd, CarriesWhatATestRecorded) {
  const Finding finding{.message = "C[0][0] is 1",
                        .hint = "look",
                        .file = "a.cu",
                        .line = 7,
                        .place = ThreadOfGrid{{1, 2, 3}, {4, 5, 6}},
                        .call = "f(n=1)"};
  record_verdict({{.message = "first", .hint = "to be replaced"}});
  record_verdict({finding});
  record_measurement("gflops", 1.0 / 3);
  record_output("printed\n");
  TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
  EXPECT_FALSE(end.failed);
  end.failed = true;
  const TestResult result = result_of(entry, end);
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 3);
  EXPECT_EQ(result.finding, finding);
  EXPECT_EQ(result.measurements, (std::map<std::string, double>{{"gflops", 1.0 / 3}}));
  EXPECT_EQ(end.output, "printed\n");
}

TEST(TestEnd, NamesFilesWithoutTheirFolders) {
  record_verdict({{.file = "/tmp/build/a.cu", .other_file = "/tmp/build/b.hpp"}});
  const TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
  EXPECT_EQ(end.verdict->file, "a.cu");
  EXPECT_EQ(end.verdict->other_file, "b.hpp");
}

TEST(TestEnd, KeepsTheStatusAFindingNames) {
  for (const Status status : {Status::inconclusive, Status::error, Status::failed}) {
    record_verdict({{.message = "noisy"}, status});
    TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
    end.failed = true;
    EXPECT_EQ(result_of(entry, end).status, status);
    EXPECT_EQ(result_of(entry, end).score, 0);
  }
}

TEST(Events, AreSingleLines) {
  TestResult test;
  test.name = "Suite.Test";
  test.finding.message = "two\nlines";
  EXPECT_EQ(start_event("Suite.Test"), R"({"event":"start","name":"Suite.Test"})");
  EXPECT_EQ(end_event(test, "out\nput", {}).find('\n'), std::string::npos);
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
  const auto document = nlohmann::ordered_json::parse(end_event(test, "printed", {}));
  EXPECT_EQ(document.at("event"), "end");
  EXPECT_EQ(document.at("output"), "printed");
  EXPECT_EQ(document.at("test").get<TestResult>(), test);
}

TEST(Events, EndHoldsTheWholeFindingBesideTheResult) {
  TestResult test;
  test.finding = {.message = "C[2][1] is 0", .call = "f(n=3)", .matrix = "C", .row = 2, .col = 1};
  const auto document = nlohmann::ordered_json::parse(end_event(test, "", {}));
  EXPECT_EQ(nlohmann::json(document.at("finding")).get<Finding>(), test.finding);
  EXPECT_FALSE(document.at("test").contains("call")) << "no part of tilewise/result/v1";
}

TEST(Events, CutLongOutputAndMendWhatIsNoText) {
  const auto output = [](const std::string& printed) {
    const auto document = nlohmann::ordered_json::parse(end_event({}, printed, {}));
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
            start_event(expected.name) + "\n" + end_event(expected, "", {}) + "\n");
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
