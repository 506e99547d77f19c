#include "grading/guide/reset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/process/scratch_directory.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/file_text.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::MatchesRegex;

const StageInfo stage = {"08_dgemm_dtrsm", {"dgemm.cu", "dtrsm.cu"}, {}};
constexpr std::time_t noon = 1'700'000'000;

/// The part of a course that is reset, with a student's work in it.
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
