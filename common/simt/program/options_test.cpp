#include "common/simt/program/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tilewise::program {
namespace {

TEST(Options, AreThoseOfAProgramThatIsStartedByHand) {
  const Options usual = options_from_environment();
  EXPECT_EQ(usual.error_exitcode, 1);
  EXPECT_TRUE(usual.tool.empty());
  EXPECT_TRUE(usual.api_errors);
  EXPECT_FALSE(usual.fast);
}

TEST(Options, ComeFromTheEnvironment) {
  ::setenv("TILEWISE_ERROR_EXITCODE", "42", 1);
  ::setenv("TILEWISE_TOOL", "racecheck", 1);
  ::setenv("TILEWISE_API_ERRORS", "0", 1);
  const Options options = options_from_environment();
  EXPECT_EQ(options.error_exitcode, 42);
  EXPECT_EQ(options.tool, "racecheck");
  EXPECT_FALSE(options.api_errors);
  for (const char* name : {"TILEWISE_ERROR_EXITCODE", "TILEWISE_TOOL", "TILEWISE_API_ERRORS"}) {
    ::unsetenv(name);
  }
}

TEST(Options, SortFindingsByTheToolsOfComputeSanitizer) {
  EXPECT_TRUE(belongs_to("racecheck", "race"));
  EXPECT_TRUE(belongs_to("racecheck", "warp-race"));
  EXPECT_FALSE(belongs_to("memcheck", "race"));
  EXPECT_TRUE(belongs_to("initcheck", "uninitialised"));
  EXPECT_TRUE(belongs_to("synccheck", "barrier"));
  EXPECT_TRUE(belongs_to("memcheck", "out-of-bounds"));
  EXPECT_FALSE(belongs_to("synccheck", "out-of-bounds"));
}

}  // namespace
}  // namespace tilewise::program
