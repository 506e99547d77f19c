#include "grading/guide/guide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/progress/test/example_progress.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const fs::path no_course = "/no/such/course";
const std::vector<StageInfo> course = example_course();

Progress all_passed() {
  Progress progress;
  for (const StageInfo& stage : course) {
    StageProgress& entry = progress.stages[stage.id];
    entry.status = Status::passed;
    entry.score = entry.max_score = 10;
  }
  return progress;
}

TEST(Handout, HasATitleAndAGoalInEveryStage) {
  for (const StageInfo& stage : stages()) {
    const HandoutSummary summary = summary_of_handout(layout().root, stage.id);
    EXPECT_THAT(summary.title, StartsWith("Stage ")) << stage.id;
    EXPECT_GT(summary.goal.size(), 40u) << stage.id;
    EXPECT_THAT(summary.goal, AllOf(Not(HasSubstr("](")), Not(HasSubstr("`")))) << stage.id;
    EXPECT_GT(first_notes(layout().root, stage.id).size(), 100u) << stage.id;
  }
}

TEST(Handout, MayBeMissing) {
  EXPECT_EQ(summary_of_handout(no_course, "01_a").title, "");
  EXPECT_EQ(first_notes(no_course, "01_a"), "");
}

TEST(WithoutMarkup, LeavesTheWords) {
  EXPECT_EQ(without_markup("see [`a.cu`](a.cu), `b * c * d` and **what** (so)"),
            "see a.cu, b * c * d and what (so)");
}

TEST(Overview, SaysWhatToDoNext) {
  Progress in_progress = example_progress();
  Progress first_passed = in_progress;
  first_passed.current = "01_single_block";
  Progress chosen_only;
  chosen_only.current = "08_dgemm_dtrsm";
  const struct {
    Progress progress;
    std::vector<const char*> words;
  } cases[] = {
      {{}, {"Welcome", "labs/01_single_block/README.md", "TODO(lab)", "./lab watch", "./lab help"}},
      {in_progress,
       {"1 of 9 stages, 13 of 90 points", " (3 of 10 points)\n",
        "failed  MatmulGrid.IsRightAtRaggedEdges, labs/02_multi_block_grid/matmul_grid.cu:12",
        "edit    labs/02_multi_block_grid/matmul_grid.cu", "./lab hint"}},
      {first_passed, {"passed; go on with  ./lab next", "solutions/01_single_block/NOTES.md"}},
      {chosen_only, {"labs/08_dgemm_dtrsm/dgemm.cu", "labs/08_dgemm_dtrsm/dtrsm.cu"}},
      {all_passed(), {"90 of 90 points", "Congratulations", "./lab bench", "./lab report"}},
  };
  for (const auto& [progress, words] : cases) {
    const std::string text = overview(layout().root, course, progress);
    for (const char* word : words) EXPECT_THAT(text, HasSubstr(word));
    EXPECT_LE(std::ranges::count(text, '\n'), 15) << text;
  }
}

TEST(ProgressBar, FitsItsWidth) {
  const Progress progress = example_progress();
  for (const auto& [width, text] :
       {std::pair(34u, "[##------------------] 1 of 9 stages"), std::pair(20u, "1 of 9 stages")}) {
    EXPECT_EQ(progress_bar(course, progress, width + 2), text);
  }
  EXPECT_THAT(progress_bar(course, all_passed(), 60), Not(HasSubstr("-]")));
}

TEST(StatusTable, ShowsPointsStatusAndTheBestRates) {
  Progress progress = example_progress();
  StageProgress& transpose = progress.stages["07_transpose"];
  transpose.best["NVIDIA H200"] = {{"A.IsFast", {"gb_s", 3393}}, {"B.IsFast", {"gb_s", 12.5}}};
  transpose.best["gtx1080 (modelled)"] = {{"A.IsFast", {"gb_s", 250}}};
  progress.stages["03_shared_memory"].status = Status::error;
  progress.stages["03_shared_memory"].max_score = 10;
  const std::string table = status_table(course, progress);
  for (const char* row : {
           "  01_single_block        10/10  passed          13.50 GFLOPS on gtx1080 (modelled)\n",
           "> 02_multi_block_grid     3/10  failed\n",
           "  03_shared_memory        0/10  no verdict\n",
           "  04_prefetch             0/10  not graded yet\n",
           "  07_transpose            0/10  not graded yet  3,393 GB/s on NVIDIA H200\n",
           "                                                250.0 GB/s on gtx1080 (modelled)\n",
           "  Total                  13/90  1 of 9 passed\n",
       }) {
    EXPECT_THAT(table, HasSubstr(row));
  }
}

TEST(GoOn, MovesToTheNextStageAndIntroducesIt) {
  Progress progress = example_progress();
  progress.current = "01_single_block";
  const std::string text = go_on(layout().root, course, progress);
  EXPECT_EQ(progress.current, "02_multi_block_grid");
  const HandoutSummary handout = summary_of_handout(layout().root, "02_multi_block_grid");
  EXPECT_THAT(text, StartsWith(handout.title + "\n\n" + handout.goal + "\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("labs/02_multi_block_grid/README.md"),
                          HasSubstr("labs/02_multi_block_grid/matmul_grid.cu")));
}

TEST(GoOn, NamesWhatFailedAndIsPassedOver) {
  Progress progress = example_progress();  // the second stage has failed
  progress.stages["03_shared_memory"].status = Status::passed;
  progress.current = "03_shared_memory";
  EXPECT_THAT(go_on(layout().root, course, progress),
              StartsWith("02_multi_block_grid has not passed yet; ./lab watch 02_multi_block_grid "
                         "returns to it.\n\nStage 4"));
  EXPECT_EQ(progress.current, "04_prefetch");
}

TEST(GoOn, SaysThatTheStageHasNotPassed) {
  Progress progress = example_progress();
  EXPECT_THAT(go_on(layout().root, course, progress),
              StartsWith("02_multi_block_grid has not passed yet"));
  EXPECT_EQ(progress.current, "03_shared_memory");
}

TEST(GoOn, EndsTheCourse) {
  Progress done = all_passed();
  done.current = "09_rank1_update";
  EXPECT_THAT(go_on(layout().root, course, done), HasSubstr("Congratulations"));
  EXPECT_EQ(done.current, "09_rank1_update");

  Progress left_out = all_passed();
  left_out.current = "09_rank1_update";
  left_out.stages["02_multi_block_grid"].status = Status::failed;
  EXPECT_THAT(go_on(layout().root, course, left_out), StartsWith("Stage 2"));

  Progress last_one = all_passed();
  last_one.current = "09_rank1_update";
  last_one.stages["09_rank1_update"].status = Status::failed;
  EXPECT_THAT(go_on(layout().root, course, last_one), HasSubstr("only stage that has not passed"));
}

namespace fs = std::filesystem;
using testing::MatchesRegex;

const StageInfo stage = {"08_dgemm_dtrsm", {"dgemm.cu", "dtrsm.cu"}, {}};
constexpr std::time_t noon = 1'700'000'000;

/// The part of a course that reset_stage() needs, with a student's work in it.
class Reset : public testing::Test {
 protected:
  Reset() {
    fs::create_directories(root_.path() / "solutions");
    fs::copy(layout().root / "solutions" / stage.id, root_.path() / "solutions" / stage.id);
    fs::create_directories(labs());
    for (const std::string& source : stage.sources) put(source, "mine: " + source);
  }

  fs::path labs() const { return root_.path() / "labs" / stage.id; }
  void put(const std::string& source, const std::string& text) {
    std::ofstream(labs() / source, std::ios::binary) << text;
  }
  std::string skeleton(const std::string& source) const {
    return text_of(layout().root / "labs" / stage.id / source);
  }

  ScratchDirectory root_;
};

TEST_F(Reset, WritesTheSkeletonsAndKeepsWhatWasThere) {
  const std::vector<ResetFile> files = reset_stage(root_.path(), stage, noon);
  ASSERT_EQ(files.size(), 2u);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& source = stage.sources[i];
    EXPECT_EQ(files[i].file, "labs/08_dgemm_dtrsm/" + source);
    EXPECT_EQ(text_of(labs() / source), skeleton(source));
    EXPECT_THAT(files[i].backup,
                MatchesRegex("labs/08_dgemm_dtrsm/d....\\.cu\\.backup-2023111[45]-[0-9]{6}"));
    EXPECT_EQ(text_of(root_.path() / files[i].backup), "mine: " + source);
    EXPECT_NE(fs::path(files[i].backup).extension(), ".cu") << "or it might be graded";
  }
}

TEST_F(Reset, NeverOverwritesABackup) {
  const std::string first = reset_stage(root_.path(), stage, noon)[0].backup;
  put("dgemm.cu", "mine again");
  const std::string second = reset_stage(root_.path(), stage, noon)[0].backup;
  EXPECT_EQ(second, first + "-2");
  EXPECT_EQ(text_of(root_.path() / first), "mine: dgemm.cu");
  EXPECT_EQ(text_of(root_.path() / second), "mine again");
}

TEST_F(Reset, LeavesASkeletonAlone) {
  put("dgemm.cu", skeleton("dgemm.cu"));
  const ResetFile file = reset_stage(root_.path(), stage, noon)[0];
  EXPECT_FALSE(file.written);
  EXPECT_EQ(file.backup, "");
}

TEST_F(Reset, BringsBackAFileThatWasDeleted) {
  fs::remove(labs() / "dgemm.cu");
  const ResetFile file = reset_stage(root_.path(), stage, noon)[0];
  EXPECT_TRUE(file.written);
  EXPECT_EQ(file.backup, "");
  EXPECT_EQ(text_of(labs() / "dgemm.cu"), skeleton("dgemm.cu"));
}

TEST_F(Reset, ChangesNothingWithoutTheSolution) {
  fs::remove(root_.path() / "solutions" / stage.id / "dgemm.cu");
  EXPECT_THROW(reset_stage(root_.path(), stage, noon), CannotGrade);
  EXPECT_EQ(text_of(labs() / "dgemm.cu"), "mine: dgemm.cu");
}

}  // namespace
}  // namespace tilewise::grading
