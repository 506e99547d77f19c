#include "grading/skeleton/repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "common/core/paths.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class SkeletonsOfARepository : public testing::Test {
 protected:
  SkeletonsOfARepository() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("tilewise_skeletons_") + test->name());
    fs::remove_all(root_);
  }
  ~SkeletonsOfARepository() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }

  std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(root_ / file, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path root_;
};

constexpr const char* solution = "a;\n// lab: begin it\nx;\n// lab: end\n";
constexpr const char* skeleton = "a;\n// TODO(lab): it (1 line)\n";

TEST_F(SkeletonsOfARepository, AgreeByteForByte) {
  put("solutions/01_x/x.cu", solution);
  put("labs/01_x/x.cu", skeleton);
  put("solutions/01_x/NOTES.md", "not a kernel");
  const SkeletonReport report = check_skeletons(root_);
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(report.differences, IsEmpty());
}

TEST_F(SkeletonsOfARepository, DifferencesAreNamedBothWays) {
  put("solutions/01_x/x.cu", solution);
  std::string edited = skeleton;
  put("labs/01_x/x.cu", edited.append("\n"));
  put("solutions/02_y/y.cu", solution);
  put("labs/03_z/z.cu", skeleton);
  const SkeletonReport report = check_skeletons(root_);
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(report.differences,
              ElementsAre("labs/01_x/x.cu:3: differs from what the solution gives",
                          "labs/02_y/y.cu: missing", "labs/03_z/z.cu: has no solutions/03_z/z.cu"));
}

TEST_F(SkeletonsOfARepository, AreWritten) {
  put("solutions/01_x/x.cu", solution);
  const SkeletonReport written = write_skeletons(root_);
  EXPECT_THAT(written.errors, IsEmpty());
  EXPECT_THAT(written.differences, ElementsAre("labs/01_x/x.cu: missing"));
  EXPECT_EQ(text_of("labs/01_x/x.cu"), skeleton);
  EXPECT_THAT(write_skeletons(root_).differences, IsEmpty());
}

TEST_F(SkeletonsOfARepository, WrongMarkersLeaveTheSkeletonAlone) {
  put("solutions/01_x/x.cu", "a;\n// lab: end\n");
  put("labs/01_x/x.cu", skeleton);
  const SkeletonReport report = write_skeletons(root_);
  EXPECT_THAT(report.errors, ElementsAre("solutions/01_x/x.cu:2: '// lab: end' without a "
                                         "'// lab: begin' before it"));
  EXPECT_EQ(text_of("labs/01_x/x.cu"), skeleton);
}

TEST(Skeletons, OfThisCourseAreWhatItsSolutionsGive) {
  const SkeletonReport report = check_skeletons(core::project_root());
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(report.differences, IsEmpty()) << "./lab skeletons writes them anew";
}

}  // namespace
}  // namespace tilewise::grading
