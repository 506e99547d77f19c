#include "grading/profile/compiled_kernels.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "common/process/scratch_directory.hpp"

namespace tilewise::grading {
namespace {

TEST(CompiledKernelsFile, GivesBackWhatWasWritten) {
  const ScratchDirectory scratch;
  const auto file = scratch.path() / "kernels.json";
  write_compiled_kernels(
      file, {.submission = {{"a \xff", 2048, 32}, {"b", 0, 255}}, .reference = {{"c", 1, 40}}});
  const CompiledKernels kernels = read_compiled_kernels(file);
  ASSERT_EQ(kernels.submission.size(), 2u);
  EXPECT_EQ(kernels.submission[0].static_shared_bytes, 2048u);
  EXPECT_EQ(kernels.submission[1].name, "b");
  EXPECT_EQ(kernels.submission[1].registers_per_thread, 255);
  ASSERT_EQ(kernels.reference.size(), 1u);
  EXPECT_EQ(kernels.reference[0].name, "c");
}

TEST(CompiledKernelsFile, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  const auto file = scratch.path() / "kernels.json";
  EXPECT_THROW(read_compiled_kernels(file), std::runtime_error);
  std::ofstream(file) << R"({"submission": 1})";
  EXPECT_THROW(read_compiled_kernels(file), std::runtime_error);
  EXPECT_THROW(write_compiled_kernels(scratch.path() / "no" / "folder", {}), std::runtime_error);
}

}  // namespace
}  // namespace tilewise::grading
