#include "grading/stages/tally.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

TEST(Tally, WritesALineForEachKindOfKernel) {
  const ScratchDirectory scratch;
  Tally tally("mutants");
  tally.count("03_shared_memory", "safety", true);
  tally.count("03_shared_memory", "safety", false);
  tally.count("03_shared_memory", "memory", true);
  tally.count("04_prefetch", "memory", false);
  tally.write(scratch.path() / "tally");
  const auto text = [&](const char* file) {
    std::ifstream stream(scratch.path() / "tally" / file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_EQ(text("03_shared_memory.mutants"),
            "03_shared_memory memory 1 1\n03_shared_memory safety 1 2\n");
  EXPECT_EQ(text("04_prefetch.mutants"), "04_prefetch memory 0 1\n");
}

TEST(Tally, SaysThatItCannotBeWritten) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch.path() / "04_prefetch.mutants");
  Tally tally("mutants");
  tally.count("04_prefetch", "memory", true);
  EXPECT_THROW(tally.write(scratch.path()), std::runtime_error);
}

}  // namespace
}  // namespace tilewise::grading
