#include "grading/cohort/cohort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grading/builder/command.hpp"
#include "grading/cohort/broken_cohort.hpp"
#include "grading/report/file_text.hpp"

// The command as a whole, on submissions of which most are broken.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CohortTest : public testing::Test {
 protected:
  fs::path out() const { return cohort_.out("out"); }

  Command grade(const fs::path& to, const std::vector<std::string>& more = {}) const {
    Command command;
    command.arguments = cohort_.grade(to, {"--jobs", "2"});
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }

  BrokenCohort cohort_;
};

TEST_F(CohortTest, GradesWhatCanBeGraded) {
  const CommandResult run = run_command(grade(out()));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("6 submissions: 4 graded, 2 not"));
  const std::string book = text_of(out() / "gradebook.csv");
  EXPECT_THAT(book, HasSubstr("\r\nanna,graded,"));
  for (const char* name : {"berta", "carla", "dora"}) {
    EXPECT_THAT(book, HasSubstr(std::string("\r\n") + name + ",graded,0,"));
  }
  EXPECT_THAT(book, HasSubstr("\r\nella,not graded,0,,,it is neither a folder nor a zip archive"));
  EXPECT_THAT(book, HasSubstr("\r\nfay,not graded,0,,,it holds no labs/NN_topic/*.cu"));
  EXPECT_THAT(text_of(out() / "feedback" / "berta.txt"), HasSubstr("nothing yet"));
  EXPECT_THAT(text_of(out() / "gradebook.html"), HasSubstr("feedback/anna.txt"));
  EXPECT_TRUE(fs::exists(out() / "submissions" / "anna" / "labs" / BrokenCohort::stage /
                         "matmul_shared.cu"));

  const CommandResult again = run_command(grade(out()));
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("6 of them are done already"));
  EXPECT_EQ(text_of(out() / "gradebook.csv"), book);

  const CommandResult other = run_command(grade(out(), {"--gpu", "h200"}));
  EXPECT_EQ(other.status, 2) << "results of two GPUs do not mix";
  EXPECT_THAT(other.output, HasSubstr("holds a run of other settings"));
}

TEST_F(CohortTest, GoesOnAfterAKill) {
  ASSERT_EQ(run_command(grade(out())).status, 0);
  const fs::path killed = cohort_.out("killed");
  take_seed(out(), killed);
  for (const double limit_s : {0.4, 1.5}) {
    Command command = grade(killed);
    command.time_limit_s = limit_s;  // then its whole group is killed
    run_command(command);
  }
  // What a kill may leave: half a submission, and files that are not whole.
  fs::create_directories(killed / "submissions" / "anna" / "labs" / "01_single_block");
  std::ofstream(killed / "results" / "anna.json.part") << "{";
  const CommandResult last = run_command(grade(killed));
  EXPECT_EQ(last.status, 0) << last.output;
  EXPECT_EQ(text_of(killed / "gradebook.csv"), text_of(out() / "gradebook.csv"));
  EXPECT_EQ(text_of(killed / "statistics.csv"), text_of(out() / "statistics.csv"));
}

TEST_F(CohortTest, SaysWhyItCannotBegin) {
  fs::create_directories(cohort_.out("bin"));
  const struct {
    const char* what;
    std::vector<std::string> more;
    const char* message;
  } cases[] = {
      {"no Slurm", {"--engine", "slurm"}, "sbatch is not installed: run --engine slurm where"},
      {"another engine", {"--engine", "pbs"}, "--engine"},
      {"arguments that nobody reads", {"--sbatch", "--partition=gpu"}, "--engine slurm"},
  };
  for (const auto& [what, more, message] : cases) {
    Command command = grade(out(), more);
    command.environment = {{"PATH", cohort_.out("bin")}};
    const CommandResult run = run_command(command);
    EXPECT_EQ(run.status, 2) << what;
    EXPECT_THAT(run.output, HasSubstr(message)) << what;
  }
  Command command = grade(out());
  command.arguments[3] = cohort_.out("none");
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, HasSubstr("none"));
}

TEST_F(CohortTest, KnowsOfJobsOfAnEarlierRun) {
  fs::create_directories(out() / "slurm");
  fs::create_directories(cohort_.out("bin"));
  std::ofstream(out() / "slurm" / "0123.names") << "anna" << '\0';
  Command command = grade(out());
  command.environment = {{"PATH", cohort_.out("bin")}};
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, 2) << "anna may be graded twice";
  EXPECT_THAT(run.output, HasSubstr("an earlier run left jobs with Slurm"));
}

}  // namespace
}  // namespace tilewise::grading
