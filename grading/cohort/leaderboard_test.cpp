#include "grading/cohort/leaderboard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/process/sandbox.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Place = Leaderboard::Place;

TEST(NameOnLeaderboard, IsWhatALineOfTheSourceSays) {
  const struct {
    const char* source;
    const char* name;
  } cases[] = {
      {"", ""},
      {"__global__ void f() {}\n", ""},
      {"// leaderboard: Night Owl\n", "Night Owl"},
      {"int x;\r\n  //leaderboard:  Anna B.  \r\nint y;", "Anna B."},
      {"// leaderboard:\n", ""},
      {"// about the leaderboard: no\n", ""},
      {"const char* s = \"// leaderboard: x\";\n", ""},
      {"// leaderboard: a\x1b[31mb\n", "a\\x1b[31mb"},
  };
  for (const auto& [source, name] : cases) EXPECT_EQ(name_on_leaderboard(source), name) << source;
  EXPECT_LE(name_on_leaderboard("// leaderboard: " + std::string(500, 'x')).size(), 80u);
}

StageResult stage(double gflops, Status status = Status::passed, bool hidden = false) {
  TestResult test;
  test.name = "C.ReachesMinimumGflops";
  test.status = status;
  test.score = test.max_score = 10;
  test.measurements = {{"gflops", gflops}};
  test.hidden = hidden;
  return {"03_c", 10, 10, status, {test}};
}

TEST(LeaderboardsOf, RanksThoseWhoHavePassed) {
  const auto boards = leaderboards_of({{"slow", stage(100)},
                                       {"racy", stage(900, Status::failed)},
                                       {"fast", stage(300)},
                                       {"as fast", stage(300)},
                                       {"last", stage(50)}});
  ASSERT_EQ(boards.size(), 1u);
  EXPECT_EQ(boards[0].stage, "03_c");
  EXPECT_EQ(boards[0].test, "C.ReachesMinimumGflops");
  EXPECT_THAT(boards[0].places, ElementsAre(Place{1, "fast", 300}, Place{1, "as fast", 300},
                                            Place{3, "slow", 100}, Place{4, "last", 50}));
}

/// A cohort in which one student is to be shown.
class ShowLeaderboard : public testing::Test {
 protected:
  ShowLeaderboard() {
    std::filesystem::create_directories(graded());
    settle(graded(), {{"03_c"}, "simt", "gtx1080", 17});
    enter("anna", "// leaderboard: Night <Owl>\n", stage(300));
    enter("bernd", "// nothing\n", stage(500));
    enter("carla", "// leaderboard: Secret\n", stage(700, Status::passed, true));
    Ledger(graded()).enter("dora", {{}, "no file"}, 1);
  }
  std::filesystem::path graded() const { return scratch_.path() / "graded"; }
  std::filesystem::path page() const { return scratch_.path() / "leaderboard.html"; }

 private:
  void enter(const std::string& name, const std::string& source, const StageResult& result) const {
    const Ledger ledger(graded());
    const auto folder = ledger.submission(name) / "labs/03_c";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "c.cu") << source;
    ledger.enter(name, {GradeResult{"simt", "gtx1080 (modelled)", 10, 10, {result}}, ""}, 1);
  }

  ScratchDirectory scratch_;
};

TEST_F(ShowLeaderboard, NamesThoseWhoWantItAndNobodyElse) {
  testing::internal::CaptureStdout();
  show_leaderboard(graded(), page());
  const std::string shown = testing::internal::GetCapturedStdout();
  EXPECT_THAT(shown, HasSubstr("   1       300.0  Night <Owl>\n"));
  const std::string text = text_of(page());
  EXPECT_THAT(text, HasSubstr("Night &lt;Owl>"));
  EXPECT_THAT(text, HasSubstr("seed 17"));
  for (const char* other : {"anna", "bernd", "Secret", "dora", "500"}) {
    EXPECT_THAT(shown, Not(HasSubstr(other)));
    EXPECT_THAT(text, Not(HasSubstr(std::string(">") + other)));
  }
}

TEST_F(ShowLeaderboard, SaysWhereNothingWasGraded) {
  const auto elsewhere = graded().parent_path() / "elsewhere";
  EXPECT_THROW(show_leaderboard(elsewhere, {}), CannotGrade);
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

}  // namespace
}  // namespace tilewise::grading
