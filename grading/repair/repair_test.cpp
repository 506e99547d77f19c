#include "grading/repair/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

// A solve goes wrong where the product goes wrong that it is made of, in another source.
TEST(Repair, ChangesTheSourceThatIsBlamed) {
  const std::string stage = "08_dgemm_dtrsm", file = "dgemm.cu";
  const std::filesystem::path solution = layout().root / "solutions" / stage;
  const std::string right = core::text_of(solution / file);
  const std::string given = "alpha * sum + beta * *c", mistake = "alpha * sum - beta * *c";
  std::string wrong = right;
  const std::size_t at = wrong.find(given);
  ASSERT_NE(at, wrong.npos);
  const auto line = 1 + static_cast<int>(std::count(wrong.begin(), wrong.begin() + at, '\n'));
  wrong.replace(at, given.size(), mistake);
  const ScratchDirectory submission, scratch;
  std::filesystem::copy(solution, submission.path(), std::filesystem::copy_options::recursive);
  std::ofstream(submission.path() / file) << wrong;
  RepairRequest request{.stage = stage_called(stage),
                        .source_directory = submission.path(),
                        .scratch = scratch.path(),
                        .calls = {"dtrsm_blocked(m=70, n=3, alpha=0.5, lda=70, ldb=3)"},
                        .file = file,
                        .lines = {line},
                        .gpu = core::gpu_profile(core::default_gpu)};
  std::string mended;
  request.confirm = [&](const std::filesystem::path& folder) {
    mended = core::text_of(folder / file);
    return true;
  };
  const auto found = find_repair(request);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->words, testing::HasSubstr("on line " + std::to_string(line)));
  EXPECT_EQ(mended, right);
}

}  // namespace
}  // namespace tilewise::grading
