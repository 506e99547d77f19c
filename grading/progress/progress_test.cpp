#include "grading/progress/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "common/process/sandbox.hpp"
#include "grading/cli/submission.hpp"
#include "grading/progress/test/example_progress.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<StageInfo> course = {
    {"01_a", {"a.cu"}, {"a"}}, {"02_b", {"b.cu"}, {"b"}}, {"03_c", {"c.cu"}, {"c"}}};

Progress passed(const std::vector<std::string>& stages, const std::string& current = "") {
  Progress progress{current, {}};
  for (const std::string& stage : stages) progress.stages[stage].status = Status::passed;
  return progress;
}

TEST(CurrentStage, IsTheOneChosenOrTheFirstThatHasNotPassed) {
  const struct {
    Progress progress;
    const char* stage;
  } cases[] = {
      {passed({}), "01_a"},
      {passed({"01_a"}), "02_b"},
      {passed({"01_a"}, "01_a"), "01_a"},
      {passed({}, "03_c"), "03_c"},
      {passed({"01_a"}, "07_of_an_older_course"), "02_b"},
      {passed({"01_a", "02_b", "03_c"}), "03_c"},
  };
  for (const auto& [progress, stage] : cases) EXPECT_EQ(current_stage(progress, course).id, stage);
}

TEST(NextStage, IsTheNextThatHasNotPassedAndComesBackToWhatWasLeftOut) {
  const struct {
    Progress progress;
    const char* from;
    const char* stage;
  } cases[] = {
      {passed({}), "01_a", "02_b"},
      {passed({"02_b"}), "01_a", "03_c"},
      {passed({"03_c"}), "03_c", "01_a"},
      {passed({"01_a", "03_c"}), "03_c", "02_b"},
      {passed({"01_a", "02_b"}), "03_c", nullptr},
      {passed({"01_a", "02_b", "03_c"}), "03_c", nullptr},
  };
  for (const auto& [progress, from, stage] : cases) {
    const StageInfo* next = next_stage(progress, course, from);
    EXPECT_EQ(next ? next->id : "none", stage ? stage : "none");
  }
}

TEST(KeepPrediction, LetsTheFirstOneStandAndRenewsWhatWasCounted) {
  StageProgress stage;
  keep_prediction(stage, {"f(n=64)", "launches", "4", "2", "gtx1080", true});
  keep_prediction(stage, {"f(n=64)", "barriers a warp", "1", "8", "gtx1080", true});
  keep_prediction(stage, {"f(n=64)", "launches", "3", "3", "h200", false});
  const std::vector<KeptPrediction> kept = {
      {"f(n=64)", "launches", "4", "3", "h200", false},
      {"f(n=64)", "barriers a warp", "1", "8", "gtx1080", true}};
  EXPECT_EQ(stage.predictions, kept);
}

TEST(KeyOf, TellsFailuresApartButNotTheirNumbers) {
  const Failure failure = *example_progress().stages["02_multi_block_grid"].last_failure;
  Failure other = failure;
  other.finding.message = "C[17][9] is 0, expected 2.25";
  other.seed = 3;
  EXPECT_EQ(key_of(other), key_of(failure));
  for (auto change : {+[](Failure& f) { f.test = "MatmulGrid.RefusesBadArguments"; },
                      +[](Failure& f) { f.finding.line = 13; },
                      +[](Failure& f) { f.finding.message = "C[16][3] was never written"; }}) {
    other = failure;
    change(other);
    EXPECT_NE(key_of(other), key_of(failure));
  }
}

TestResult test(const char* name, Status status, std::map<std::string, double> measurements = {}) {
  TestResult result;
  result.name = name;
  result.status = status;
  result.max_score = 1;
  result.score = status == Status::passed ? 1 : 0;
  result.finding.message = "message of " + result.name;
  result.finding.call = "call of " + result.name;
  result.measurements = std::move(measurements);
  return result;
}

GradeResult grade_of(const std::string& stage, std::vector<TestResult> tests) {
  GradeResult result{"simt", "gtx1080 (modelled)", 0, 0, {{stage, 0, 0, Status::error, tests}}};
  add_up(result.stages[0]);
  add_up(result);
  return result;
}

constexpr std::time_t noon = 1'700'000'000;  // 2023-11-14T22:13:20Z

TEST(Record, KeepsPointsAndTheFirstFailure) {
  Progress progress;
  record(
      progress,
      grade_of("02_b", {test("B.Passes", Status::passed), test("B.IsNotSure", Status::inconclusive),
                        test("B.Fails", Status::failed), test("B.Errs", Status::error)}),
      {77, "gtx280", noon});
  EXPECT_EQ(progress.current, "02_b");
  const StageProgress stage = progress_of(progress, "02_b");
  EXPECT_EQ(stage.status, Status::failed);
  EXPECT_EQ(stage.score, 1);
  EXPECT_EQ(stage.max_score, 4);
  EXPECT_EQ(stage.first_passed, "");
  ASSERT_TRUE(stage.last_failure);
  EXPECT_EQ(stage.last_failure->test, "B.Fails");
  EXPECT_EQ(stage.last_failure->finding.message, "message of B.Fails");
  EXPECT_EQ(stage.last_failure->seed, 77u);
  EXPECT_EQ(stage.last_failure->backend, "simt");
  EXPECT_EQ(stage.last_failure->gpu, "gtx280");
  EXPECT_EQ(stage.last_failure->finding.call, "call of B.Fails");
}

TEST(Record, TakesACauseThatIsFoundAtALineForTheFailureRatherThanItsEffect) {
  TestResult race = test("B.IsFreeOfRaces", Status::failed);
  race.category = Category::safety;
  for (const int line : {0, 31}) {
    race.finding.line = line;
    Progress progress;
    record(progress, grade_of("02_b", {test("B.IsWrong", Status::failed), race}), {});
    const auto failure = progress_of(progress, "02_b").last_failure;
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->test, line == 0 ? "B.IsWrong" : "B.IsFreeOfRaces");
  }
}

TEST(Record, TakesWhatIsInconclusiveForTheFailureWhereNothingFailed) {
  Progress progress;
  record(progress, grade_of("02_b", {test("B.IsNotSure", Status::inconclusive)}), {});
  ASSERT_TRUE(progress_of(progress, "02_b").last_failure);
  EXPECT_EQ(progress_of(progress, "02_b").last_failure->test, "B.IsNotSure");
}

TEST(Record, KeepsWhenAStageFirstPassedAndForgetsItsFailure) {
  Progress progress;
  const auto good = grade_of("01_a", {test("A.Passes", Status::passed)});
  const auto bad = grade_of("01_a", {test("A.Passes", Status::failed)});
  record(progress, bad, {1, "gtx1080", noon});
  record(progress, good, {2, "gtx1080", noon});
  EXPECT_EQ(progress_of(progress, "01_a").first_passed, "2023-11-14T22:13:20Z");
  EXPECT_FALSE(progress_of(progress, "01_a").last_failure);
  record(progress, bad, {3, "gtx1080", noon + 60});
  record(progress, good, {4, "gtx1080", noon + 120});
  EXPECT_EQ(progress_of(progress, "01_a").first_passed, "2023-11-14T22:13:20Z");
}

TEST(Record, KeepsTheBestRateOfRightKernels) {
  Progress progress;
  const auto best = [&] {
    return progress_of(progress, "01_a").best["gtx1080 (modelled)"]["A.IsFast"];
  };
  for (const auto& [status, gflops, expected] :
       {std::tuple(Status::passed, 100.0, 100.0), std::tuple(Status::passed, 90.0, 100.0),
        std::tuple(Status::failed, 900.0, 100.0), std::tuple(Status::passed, 110.0, 110.0)}) {
    record(
        progress,
        grade_of("01_a", {test("A.IsFast", status, {{"gflops", gflops}, {"minimum_gflops", 1}})}),
        {});
    EXPECT_EQ(best(), (Rate{"gflops", expected}));
  }
  record(progress, grade_of("02_b", {test("B.IsFast", Status::passed, {{"gb_s", 250}})}), {});
  EXPECT_EQ(progress_of(progress, "02_b").best["gtx1080 (modelled)"]["B.IsFast"],
            (Rate{"gb_s", 250}));
}

TEST(Record, KeepsNoSecretOfHiddenTests) {
  TestResult hidden = test("B.IsASecret", Status::failed);
  hidden.hidden = true;
  Progress progress;
  record(progress, grade_of("02_b", {hidden}), {});
  ASSERT_TRUE(progress_of(progress, "02_b").last_failure);
  EXPECT_EQ(progress_of(progress, "02_b").last_failure->test, "Hidden test 1");
  EXPECT_EQ(progress_of(progress, "02_b").last_failure->finding.message, "");
}

TEST(Record, OfSeveralStagesLeavesTheCurrentOne) {
  Progress progress{"01_a", {}};
  GradeResult both = grade_of("02_b", {test("B.Passes", Status::passed)});
  both.stages.push_back(grade_of("03_c", {test("C.Passes", Status::passed)}).stages[0]);
  record(progress, both, {});
  EXPECT_EQ(progress.current, "01_a");
  EXPECT_TRUE(has_passed(progress, "03_c"));
}

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

void put(const fs::path& root, const std::string& text) {
  std::ofstream(progress_file(root), std::ios::binary) << text;
}

TEST(ProgressFile, ReadsWhatItWrote) {
  const ScratchDirectory root;
  change_progress(root.path(), [](Progress& progress) { progress = example_progress(); });
  EXPECT_EQ(read_progress(root.path()), example_progress());
  EXPECT_THAT(text_of(progress_file(root.path())),
              AllOf(HasSubstr("  \"schema\": \"tilewise/progress/v1\",\n"),
                    HasSubstr("\"current\": \"02_multi_block_grid\"")))
      << "made to be read by people, too";
}

TEST(ProgressFile, IsEmptyWhereItWasDeleted) {
  const ScratchDirectory root;
  EXPECT_EQ(read_progress(root.path()), Progress{});
  change_progress(root.path(), [](Progress& progress) { progress.current = "01_single_block"; });
  fs::remove(progress_file(root.path()));
  EXPECT_EQ(read_progress(root.path()), Progress{});
}

TEST(ProgressFile, SaysWhatToDoAboutADamagedOneAndLeavesItAlone) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "is damaged"},
      {"{\"schema\": \"tilewise/progress/v1\"", "is damaged"},
      {"[]", "is damaged"},
      {"\xff\xfe", "is damaged"},
      {R"({"schema": "tilewise/progress/v1", "current": 3, "stages": {}})", "is damaged"},
      {R"({"schema": "tilewise/progress/v1", "current": "", "stages": {"01_a": {}}})",
       "is damaged"},
      {R"({"schema": "tilewise/progress/v2"})", "has the schema 'tilewise/progress/v2'"},
  };
  for (const auto& [text, message] : cases) {
    const ScratchDirectory root;
    put(root.path(), text);
    for (const auto& use : std::initializer_list<std::function<void()>>{
             [&] { read_progress(root.path()); },
             [&] { change_progress(root.path(), [](Progress&) {}); }}) {
      try {
        use();
        ADD_FAILURE() << text;
      } catch (const CannotGrade& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr(message), HasSubstr("Move it away"), HasSubstr("delete it")));
      }
    }
    EXPECT_EQ(text_of(progress_file(root.path())), text);
  }
}

TEST(ProgressFile, MayNotBeAFolder) {
  const ScratchDirectory root;
  fs::create_directory(progress_file(root.path()));
  EXPECT_THROW(read_progress(root.path()), CannotGrade);
}

TEST(ProgressFile, SaysThatItCannotBeWritten) {
  const ScratchDirectory folder;
  const fs::path gone = folder.path() / "gone";
  EXPECT_THROW(change_progress(gone, [](Progress&) {}), CannotGrade);
  EXPECT_FALSE(fs::exists(gone));
}

TEST(ProgressFile, LosesNothingWhereSeveralWriteAtOnce) {
  const ScratchDirectory root;
  constexpr int writers = 4, changes = 25;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < changes; ++i) {
        change_progress(root.path(), [](Progress& progress) { ++progress.stages["01_a"].score; });
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(progress_of(read_progress(root.path()), "01_a").score, writers * changes);
}

}  // namespace
}  // namespace tilewise::grading
