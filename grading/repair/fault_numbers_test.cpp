#include "grading/repair/fault_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

using core::ThreadOfGrid;
using testing::HasSubstr;
using testing::IsEmpty;

/// A stage's solution with one mistake, and what the simulator says of a call of it.
struct Case {
  std::string name, stage, file, given, mistake;
  std::string call, kind, message, array;
  ThreadOfGrid place;
  std::string other = {};  ///< words on the line of a race's other access
  testing::Matcher<std::string> told = IsEmpty();
};

class FaultNumbers : public testing::TestWithParam<Case> {};

int line_of(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == text.npos) throw std::runtime_error("the source does not say " + words);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

TEST_P(FaultNumbers, AreOfTheElementThatIsNamed) {
  const Case& tested = GetParam();
  const std::filesystem::path solution = layout().root / "solutions" / tested.stage;
  std::string source = core::text_of(solution / tested.file);
  const std::size_t at = source.find(tested.given);
  ASSERT_NE(at, source.npos);
  source.replace(at, tested.given.size(), tested.mistake);
  const ScratchDirectory submission, scratch;
  std::filesystem::copy(solution, submission.path(), std::filesystem::copy_options::recursive);
  std::ofstream(submission.path() / tested.file) << source << std::flush;
  const RepairRequest request{.stage = stage_called(tested.stage),
                              .source_directory = submission.path(),
                              .scratch = scratch.path(),
                              .calls = {},
                              .gpu = core::gpu_profile(core::default_gpu)};
  core::Finding finding{.kind = tested.kind, .message = tested.message, .file = tested.file};
  finding.line = line_of(source, tested.mistake);
  finding.place = tested.place;
  finding.call = tested.call;
  finding.array = tested.array;
  if (!tested.other.empty()) {
    finding.other_file = tested.file;
    finding.other_line = line_of(source, tested.other);
  }
  EXPECT_THAT(numbers_of(finding, request), tested.told);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FaultNumbers,
    testing::Values(Case{
        .name = "AMatrix",
        .stage = "02_multi_block_grid",
        .file = "matmul_grid.cu",
        .given = "a[k]",
        .mistake = "a[k + n]",
        .call = "matmul_grid(n=5, block=4x4)",
        .kind = "out-of-bounds",
        .message = "thread (1, 0, 0) of block (0, 1, 0) reads A[5][0], past the end of A (5 x 5)",
        .array = "A",
        .place = {{0, 1, 0}, {1, 0, 0}},
        .told = HasSubstr("thread (1, 0, 0) of block (0, 1, 0) has row + 1 = 5, row = 4, n = 5, "
                          "k = 0")}),
    [](const testing::TestParamInfo<Case>& each) { return each.param.name; });

}  // namespace
}  // namespace tilewise::grading
