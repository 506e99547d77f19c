#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/test/matches.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/test/broken_cohort.hpp"
#include "grading/cohort/test/slurm_cluster.hpp"
#include "grading/results/files.hpp"

// Tests `tilewise cohort grade --engine slurm` with a real Slurm.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class SlurmEngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = std::make_unique<SlurmCluster>();
    if (!cluster_->why_not().empty()) return;
    cohort_ = std::make_unique<BrokenCohort>();
    const CommandResult run =
        run_command(cluster_->command(cohort_->grade(local(), {"--jobs", "2"})));
    ASSERT_EQ(run.status, BrokenCohort::some_not_graded) << run.output;
  }

  static void TearDownTestSuite() {
    cohort_.reset();
    cluster_.reset();
  }

  void SetUp() override {
    if (!cluster_->why_not().empty()) GTEST_SKIP() << cluster_->why_not();
    out_ = cohort_->out(testing::UnitTest::GetInstance()->current_test_info()->name());
    take_seed(local(), out_);
  }

  void TearDown() override {
    if (!out_.empty()) cluster_->output_of({"scancel", "--me"});
  }

  /// Returns the folder of the local engine's results for the same cohort.
  static fs::path local() { return cohort_->out("local"); }

  Command grade(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"--engine", "slurm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cluster_->command(cohort_->grade(out_, arguments));
  }

  void expect_local_results() const {
    for (const char* file : {"gradebook.csv", "statistics.csv"}) {
      EXPECT_EQ(text_of(out_ / file), text_of(local() / file));
    }
  }

  /// Returns how many jobs have begun so far.
  long jobs_begun() const {
    std::error_code no_folder;
    return std::ranges::count_if(
        fs::directory_iterator(out_ / "slurm", no_folder),
        [](const fs::directory_entry& item) { return item.path().extension() == ".log"; });
  }

  std::string queue(const std::string& format) const {
    return cluster_->output_of(
        {"squeue", "--noheader", "--array", "--sort=i", "--format=" + format});
  }

  /// Whether all jobs are in the queue and the first has begun, in runs that do one after another.
  bool a_job_runs() const {
    const std::string jobs = queue("%T");
    return std::ranges::count(jobs, '\n') == BrokenCohort::gradable && jobs_begun() == 1;
  }

  /// Lets a command run until a condition holds.
  template <class Condition>
  static void until(RunningCommand& command, const Condition& is_so) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    bool was_so = is_so();
    while (!was_so && !command.is_over() && std::chrono::steady_clock::now() < end) {
      was_so = is_so();
    }
    ASSERT_TRUE(was_so);
  }

  static std::unique_ptr<SlurmCluster> cluster_;
  static std::unique_ptr<BrokenCohort> cohort_;
  fs::path out_;
};

std::unique_ptr<SlurmCluster> SlurmEngineTest::cluster_;
std::unique_ptr<BrokenCohort> SlurmEngineTest::cohort_;

TEST_F(SlurmEngineTest, GradesAsTheLocalEngineDoes) {
  const CommandResult run = run_command(grade());
  EXPECT_EQ(run.status, BrokenCohort::some_not_graded) << run.output;
  EXPECT_THAT(run.output, HasSubstr("6 submissions: 4 graded, 2 not"));
  // Each array has half of the submissions, since this cluster does not take four tasks. An array
  // that it refuses may have a number.
  EXPECT_THAT(core::matches_of(run.output, "array \\d+: 2 of the submissions\n"), SizeIs(2))
      << run.output;
  EXPECT_EQ(jobs_begun(), BrokenCohort::gradable);
  expect_local_results();
}

TEST_F(SlurmEngineTest, GoesOnAfterAKill) {
  {
    RunningCommand killed(grade({"--jobs", "1"}));
    until(killed, [&] { return a_job_runs(); });
  }
  const CommandResult other = run_command(cluster_->command(cohort_->grade(out_)));
  EXPECT_EQ(other.status, 2) << "they would be graded twice";
  EXPECT_THAT(other.output, HasSubstr("gather them with --engine slurm"));

  const CommandResult run = run_command(grade({"--jobs", "1"}));
  EXPECT_EQ(run.status, BrokenCohort::some_not_graded) << run.output;
  EXPECT_THAT(run.output, HasSubstr("With Slurm since an earlier run: "));
  EXPECT_THAT(run.output, Not(HasSubstr("job array"))) << "it submits what was submitted";
  EXPECT_EQ(jobs_begun(), BrokenCohort::gradable);
  expect_local_results();
}

TEST_F(SlurmEngineTest, GoesOnAfterANodeFailed) {
  RunningCommand running(grade({"--jobs", "1"}));
  until(running, [&] { return a_job_runs(); });
  cluster_->kill_node();
  until(running, [&] { return queue("%T").find("RUNNING") == std::string::npos; });
  cluster_->start_node();
  const CommandResult run = running.wait();
  EXPECT_EQ(run.status, BrokenCohort::some_not_graded) << run.output;
  expect_local_results();
}

TEST_F(SlurmEngineTest, LeavesUndoneWhatWasCancelled) {
  {
    RunningCommand running(grade({"--jobs", "1"}));
    until(running, [&] { return a_job_runs(); });
    // Cancels the job that runs, which is anna's, and one that waits.
    std::istringstream jobs(queue("%F_%K"));
    const std::vector<std::string> ids(std::istream_iterator<std::string>(jobs), {});
    ASSERT_EQ(ids.size(), BrokenCohort::gradable);
    cluster_->output_of({"scancel", ids[0], ids[2]});
    const CommandResult run = running.wait();
    EXPECT_EQ(run.status, 2) << run.output;
    EXPECT_THAT(run.output, HasSubstr("not done yet: 2 of 6 submissions"));
    EXPECT_THAT(run.output, HasSubstr("anna: Slurm says CANCELLED"));
    EXPECT_THAT(run.output, HasSubstr("carla: Slurm does not know of its job any more"));
  }
  EXPECT_THAT(text_of(out_ / "gradebook.csv"),
              HasSubstr("anna,not graded,,,,not done yet: Slurm says CANCELLED"));
  const CommandResult again = run_command(grade());
  EXPECT_EQ(again.status, BrokenCohort::some_not_graded) << again.output;
  EXPECT_THAT(again.output, HasSubstr("4 of them are done already"));
  expect_local_results();
}

TEST_F(SlurmEngineTest, TellsWhatAJobThatFailedSaid) {
  RunningCommand running(grade({"--jobs", "1"}));
  until(running, [&] { return a_job_runs(); });
  for (const fs::path& file : fs::directory_iterator(out_ / "slurm")) {
    if (file.extension() == ".names") fs::remove(file);
  }
  const CommandResult run = running.wait();
  EXPECT_EQ(run.status, 2) << run.output;
  EXPECT_THAT(run.output, HasSubstr("carla: its job failed: tilewise: "));
  EXPECT_THAT(run.output, HasSubstr("the run that this job belongs to was given up"));
}

TEST_F(SlurmEngineTest, PassesArgumentsOn) {
  {
    RunningCommand running(grade({"--jobs", "1", "--sbatch", "--gres=gpu:1 --comment='a  class'"}));
    until(running, [&] { return a_job_runs(); });
    EXPECT_THAT(queue("%T|%b|%k"), HasSubstr("RUNNING|gres:gpu:1|a  class"));
    EXPECT_THAT(cluster_->output_of({"scontrol", "show", "job"}), Not(HasSubstr("seed")));
  }
  out_ = cohort_->out("refused");
  const CommandResult refused = run_command(grade({"--sbatch", "--gres=gpu:2"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("Slurm does not take the jobs: "));
  EXPECT_THAT(refused.output, HasSubstr("Requested node configuration is not available"));
}

TEST_F(SlurmEngineTest, AsksForGpusWhichThisMachineNeedNotHave) {
  fs::remove(out_ / "cohort.json");
  Command command = grade({"--sbatch", "--hold"});
  std::ranges::replace(command.arguments, std::string("simt"), std::string("cuda"));
  RunningCommand running(std::move(command));
  until(running, [&] { return queue("%b") == "gres:gpu:1\ngres:gpu:1\ngres:gpu:1\ngres:gpu:1\n"; });
}

TEST_F(SlurmEngineTest, SaysAtCtrlCThatJobsGoOn) {
  Command command = grade({"--jobs", "1"});
  const fs::path pid_file = out_ / "pid";
  const std::vector<std::string> telling_pid = {"sh", "-c", "echo $$ >\"$0\"; exec \"$@\"",
                                                pid_file};
  command.arguments.insert(command.arguments.begin(), telling_pid.begin(), telling_pid.end());
  RunningCommand running(std::move(command));
  until(running, [&] { return a_job_runs(); });
  ASSERT_EQ(::kill(std::stoi(text_of(pid_file)), SIGINT), 0);
  const CommandResult run = running.wait();
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, HasSubstr("Left with Slurm: 4 of the submissions"));
  // Slurm says why a job waits only once it has looked at the job.
  const auto end = std::chrono::steady_clock::now() + 30s;
  std::string reasons = queue("%r");
  while (reasons.find("Dependency") == reasons.npos && std::chrono::steady_clock::now() < end) {
    reasons = queue("%r");
  }
  EXPECT_THAT(reasons, HasSubstr("Dependency")) << "one at a time, of two arrays";
}

/// A class in which every submission has the same file, which does not compile.
class ManySubmissions {
 public:
  explicit ManySubmissions(int count) {
    for (int i = 0; i < count; ++i) {
      const fs::path stage = in() / fmt::format("student_{:05}", i) / "labs" / BrokenCohort::stage;
      fs::create_directories(stage);
      std::ofstream(stage / "matmul_shared.cu") << "#error nothing yet\n";
    }
  }

  Command grade(const SlurmCluster& cluster, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {tool("tilewise"),
                                          "cohort",
                                          "grade",
                                          in(),
                                          "3",
                                          "--backend",
                                          "simt",
                                          "--engine",
                                          "slurm",
                                          "--out",
                                          scratch_.path() / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cluster.command(arguments);
  }

 private:
  fs::path in() const { return scratch_.path() / "in"; }
  ScratchDirectory scratch_;
};

TEST(FullCluster, TakesTheRestAsItTakesMore) {
  const SlurmCluster cluster({.array_tasks = 1001, .jobs = 4});
  if (!cluster.why_not().empty()) GTEST_SKIP() << cluster.why_not();
  const ManySubmissions cohort(6);
  const CommandResult run = run_command(cohort.grade(cluster));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("The cluster takes no more jobs for now (sbatch: error: "));
  EXPECT_THAT(run.output, HasSubstr("not yet: "));
  EXPECT_THAT(run.output, HasSubstr("6 submissions: 6 graded, 0 not."));
}

TEST(FullCluster, LosesNoneOfManyThatWait) {
  const SlurmCluster cluster({.array_tasks = 50, .jobs = 10'000});
  if (!cluster.why_not().empty()) GTEST_SKIP() << cluster.why_not();
  constexpr int count = 200;
  const ManySubmissions cohort(count);
  const auto jobs = [&] {
    const std::string list = cluster.output_of({"squeue", "--noheader", "--array", "--format=%K"});
    return std::ranges::count(list, '\n');
  };
  {
    RunningCommand held(cohort.grade(cluster, {"--sbatch", "--hold"}));
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (jobs() < count && !held.is_over() && std::chrono::steady_clock::now() < end) {
    }
    // This is long enough for the run to ask Slurm about its jobs.
    for (const auto asked = std::chrono::steady_clock::now() + 4s;
         std::chrono::steady_clock::now() < asked;) {
      ASSERT_FALSE(held.is_over()) << held.wait().output;
    }
  }
  EXPECT_EQ(jobs(), count);
  RunningCommand again(cohort.grade(cluster, {"--sbatch", "--hold"}));
  const auto end = std::chrono::steady_clock::now() + 4s;
  while (!again.is_over() && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(jobs(), count) << "the rerun submits what was submitted";
  EXPECT_THAT(std::string(again.output()),
              HasSubstr("With Slurm since an earlier run: 200 of the submissions"));
}

}  // namespace
}  // namespace tilewise::grading
