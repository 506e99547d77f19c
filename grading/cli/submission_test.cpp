#include "grading/cli/submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"
#include "grading/cli/meant_files.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;

const std::vector<StageInfo> known = {
    {"01_single_block", {}, {}}, {"03_shared_memory", {}, {}}, {"10_last", {}, {}}};

std::vector<std::string> chosen(const std::vector<std::string>& words) {
  std::vector<std::string> ids;
  for (const StageInfo& stage : choose_stages(words, known)) ids.push_back(stage.id);
  return ids;
}

TEST(ChooseStages, TakesIdNumberAndTopic) {
  using Ids = std::vector<std::string>;
  const struct {
    std::vector<std::string> words;
    Ids ids;
  } cases[] = {
      {{}, {"01_single_block", "03_shared_memory", "10_last"}},
      {{"03_shared_memory"}, {"03_shared_memory"}},
      {{"03"}, {"03_shared_memory"}},
      {{"3"}, {"03_shared_memory"}},
      {{"10"}, {"10_last"}},
      {{"shared_memory"}, {"03_shared_memory"}},
      {{"10", "1"}, {"10_last", "01_single_block"}},
      {{"3", "03", "shared_memory"}, {"03_shared_memory"}},
  };
  for (const auto& [words, ids] : cases) EXPECT_EQ(chosen(words), ids);
}

TEST(ChooseStages, ListsTheStagesForAnUnknownOne) {
  for (const char* word : {"", "0", "4", "shared", "03_", "03_shared_memory/", "-3", "3\033[2J"}) {
    try {
      choose_stages({word}, known);
      ADD_FAILURE() << word;
    } catch (const CannotGrade& error) {
      EXPECT_THAT(error.what(), HasSubstr("01_single_block, 03_shared_memory, 10_last"));
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\033")));
    }
  }
}

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::vector<StageInfo> two_stages = {{"01_a", {"a.cu"}, {}}, {"02_b", {"b.cu"}, {}}};

std::string refusal(const fs::path& directory) {
  try {
    open_submission(directory, two_stages);
    return "none";
  } catch (const CannotGrade& error) {
    return error.what();
  }
}

TEST(OpenSubmission, IsContentWithAnyOfTheStages) {
  const ScratchDirectory scratch;
  fs::create_directories(scratch.path() / "labs" / "02_b");
  std::ofstream(scratch.path() / "labs" / "02_b" / "b.cu") << "";
  const Submission submission = open_submission(scratch.path(), two_stages);
  EXPECT_EQ(submission.folder_of(two_stages[1]), scratch.path() / "labs" / "02_b");
}

TEST(OpenSubmission, SaysWhatItExpected) {
  const ScratchDirectory scratch;
  EXPECT_THAT(refusal(scratch.path() / "none"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal(scratch.path()), HasSubstr("labs/01_a/a.cu"));
  std::ofstream(scratch.path() / "file") << "x";
  EXPECT_THAT(refusal(scratch.path() / "file"), HasSubstr("is not a folder"));
  // The files are there, but not under labs/.
  fs::create_directories(scratch.path() / "01_a");
  std::ofstream(scratch.path() / "01_a" / "a.cu") << "";
  EXPECT_THAT(refusal(scratch.path()), HasSubstr("has no file of these stages"));
}

TEST(OpenSubmission, PutsTogetherWhatLiesElsewhere) {
  const StageInfo& stage = stages()[2];
  const std::string source = stage.sources.front();
  for (const fs::path& place :
       {fs::path(source), "homework" / fs::path(source), stage.id / fs::path(source),
        "repository/labs" / fs::path(stage.id) / source}) {
    const ScratchDirectory scratch;
    fs::create_directories((scratch.path() / place).parent_path());
    std::ofstream(scratch.path() / place) << "";
    const Submission submission = open_submission(scratch.path(), {stage});
    EXPECT_TRUE(fs::is_regular_file(submission.folder_of(stage) / source)) << place;
    EXPECT_THROW(open_submission(scratch.path(), {stages()[0]}), NothingSubmitted) << place;
  }
}

namespace fs = std::filesystem;

TEST(CandidateInLabs, IsWhereTheCourseHasIt) {
  const struct {
    const char* path;
    const char* place;  ///< empty if there is none
  } cases[] = {{"labs/03_shared_memory/matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"main/labs/08_dgemm_dtrsm/dtrsm.cu", "08_dgemm_dtrsm/dtrsm.cu"},
               {"a/b/labs/08_dgemm_dtrsm/dtrsm.cu", "08_dgemm_dtrsm/dtrsm.cu"},
               {"a/b/c/d/e/f/labs/08_dgemm_dtrsm/dtrsm.cu", "08_dgemm_dtrsm/dtrsm.cu"},
               {"a/b/c/d/e/f/g/labs/08_dgemm_dtrsm/dtrsm.cu", ""},
               {".git/labs/08_dgemm_dtrsm/dtrsm.cu", ""},
               {"labs/03_shared_memory/dtrsm.cu", ""},
               {"labs/03_x/matmul_shared.cu", ""},
               {"labs/03_shared_memory/matmul_shared.hpp", ""},
               {"labs/matmul_shared.cu", ""},
               {"labs/03_shared_memory/deep/matmul_shared.cu", ""},
               {"../labs/03_shared_memory/matmul_shared.cu", ""},
               {"/labs/03_shared_memory/matmul_shared.cu", ""},
               {"labs/../matmul_shared.cu", ""},
               {"", ""}};
  for (const auto& [path, place] : cases)
    EXPECT_EQ(candidate_in_labs(path).value_or(Candidate{}).place, place) << path;
}

TEST(CandidateByName, IsOfTheStageWhoseNameIsLikeIt) {
  const struct {
    const char* path;
    const char* place;  ///< empty if there is none
  } cases[] = {{"matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"homework/matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"dtrsm.cu", "08_dgemm_dtrsm/dtrsm.cu"},
               {"a/b/c/d/matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"Matmul_Shared (1).CU", "03_shared_memory/matmul_shared.cu"},
               {"matmul_shared - Copy (2).cu", "03_shared_memory/matmul_shared.cu"},
               {"matmul_2x2-3.cu", "05_work_2x2/matmul_2x2.cu"},
               {"zoe_matmul_2x2.cu.txt", "05_work_2x2/matmul_2x2.cu"},
               {"dgemm_tensor.cu", "12_tensor_cores/dgemm_tensor.cu"},
               {"dgemm_zoe.cu", "08_dgemm_dtrsm/dgemm.cu"},
               {"a/b/c/d/e/f/g/h/i/matmul_shared.cu", ""},
               {"__MACOSX/matmul_shared.cu", ""},
               {"._matmul_shared.cu", ""},
               {"../matmul_shared.cu", ""},
               {"/matmul_shared.cu", ""},
               {"matmul_shared.hpp", ""},
               {"matmul_sharedness.cu", ""},
               {"", ""}};
  for (const auto& [path, place] : cases)
    EXPECT_EQ(candidate_by_name(path).value_or(Candidate{}).place, place) << path;
}

TEST(PlaceByName, MeansOneStage) {
  std::set<std::string> names;
  for (const StageInfo& stage : stages()) {
    for (const std::string& source : stage.sources) {
      EXPECT_TRUE(names.insert(source).second) << source << " is in two stages";
    }
  }
}

TEST(TakeHandedIn, PrefersAFolderLabs) {
  const ScratchDirectory in, out;
  fs::create_directories(in.path() / "labs" / "03_shared_memory");
  std::ofstream(in.path() / "labs" / "03_shared_memory" / "matmul_shared.cu") << "in labs";
  std::ofstream(in.path() / "matmul_shared.cu") << "beside it";
  EXPECT_EQ(take_submission(out.path(),
                            [&](const PlaceInLabs& place_of) {
                              return take_from_folder(in.path(), out.path(), place_of);
                            }),
            "");
  std::string text;
  std::getline(std::ifstream(out.path() / "labs" / "03_shared_memory" / "matmul_shared.cu"), text);
  EXPECT_EQ(text, "in labs");
}

}  // namespace
}  // namespace tilewise::grading
