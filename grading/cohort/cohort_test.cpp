#include "grading/cohort/cohort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cohort/test/broken_cohort.hpp"
#include "grading/results/files.hpp"

// Runs the whole command on submissions most of which are broken.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_EQ(run.status, BrokenCohort::some_not_graded) << run.output;
  EXPECT_THAT(run.output, HasSubstr("6 submissions: 4 graded, 2 not"));
  const std::string book = text_of(out() / "gradebook.csv");
  EXPECT_THAT(book, HasSubstr("\r\nanna,graded,"));
  for (const char* name : {"berta", "carla", "dora"}) {
    EXPECT_THAT(book, HasSubstr(std::string("\r\n") + name + ",graded,0,"));
  }
  EXPECT_THAT(book,
              HasSubstr("\r\nella,not graded,,,,ella.zip: it is neither a folder nor an archive"));
  EXPECT_THAT(book, HasSubstr("\r\nfay,not graded,,,,it holds no labs/NN_topic/*.cu"));
  EXPECT_THAT(text_of(out() / "feedback" / "berta.txt"), HasSubstr("nothing yet"));
  EXPECT_THAT(text_of(out() / "gradebook.html"), HasSubstr("feedback/anna.txt"));
  EXPECT_TRUE(fs::exists(out() / "submissions" / "anna" / "labs" / BrokenCohort::stage /
                         "matmul_shared.cu"));

  const CommandResult again = run_command(grade(out()));
  EXPECT_EQ(again.status, BrokenCohort::some_not_graded) << again.output;
  EXPECT_THAT(again.output, HasSubstr("6 of them are done already"));
  EXPECT_EQ(text_of(out() / "gradebook.csv"), book);

  const CommandResult other = run_command(grade(out(), {"--gpu", "h200"}));
  EXPECT_EQ(other.status, 2) << "results of two GPUs do not mix";
  EXPECT_THAT(other.output, HasSubstr("holds a run of other settings"));
}

TEST_F(CohortTest, GradesAnewWhatHasChanged) {
  ASSERT_EQ(run_command(grade(out())).status, BrokenCohort::some_not_graded);
  const fs::path file =
      cohort_.folder() / "fay" / "labs" / BrokenCohort::stage / "matmul_shared.cu";
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "nothing";
  const CommandResult again = run_command(grade(out()));
  EXPECT_THAT(again.output, AllOf(HasSubstr("1 changed since they were graded"),
                                  HasSubstr("5 of them are done already"),
                                  HasSubstr("6 submissions: 5 graded, 1 not")));
  EXPECT_THAT(text_of(out() / "gradebook.csv"), HasSubstr("\r\nfay,graded,0,"));
  fs::remove(cohort_.folder() / "ella.zip");
  EXPECT_EQ(run_command(grade(out())).status, 0) << "all who are left have points, if only 0";
}

TEST_F(CohortTest, GoesOnAfterAKill) {
  ASSERT_EQ(run_command(grade(out())).status, BrokenCohort::some_not_graded);
  const fs::path killed = cohort_.out("killed");
  take_seed(out(), killed);
  for (const double limit_s : {0.4, 1.5}) {
    Command command = grade(killed);
    command.time_limit_s = limit_s;  // then the command's whole process group is killed
    run_command(command);
  }
  // What a kill may leave: half a submission, and files that are not whole.
  fs::create_directories(killed / "submissions" / "anna" / "labs" / "01_single_block");
  std::ofstream(killed / "results" / "anna.json.part") << "{";
  const CommandResult last = run_command(grade(killed));
  EXPECT_EQ(last.status, BrokenCohort::some_not_graded) << last.output;
  EXPECT_EQ(text_of(killed / "gradebook.csv"), text_of(out() / "gradebook.csv"));
  EXPECT_EQ(text_of(killed / "statistics.csv"), text_of(out() / "statistics.csv"));
}

/// Submissions that cannot be graded, each for another reason. Only anna's has a file.
class HostileCohort {
 public:
  static constexpr const char* kernel = "labs/03_shared_memory/matmul_shared.cu";

  HostileCohort() {
    put("anna/" + std::string(kernel), "#error nothing yet\n");
    const std::string longest(255, 'n');
    put(longest + "/readme", "x");
    put(std::string(251, 'z') + ".zip", "no archive");
    put("control\033[2J\n::error::\xd8\x9c\xff/readme", "x");
    put("=formula/readme", "x");
    put("CASE/readme", "x");
    put("case/readme", "x");
    fs::create_directories(in() / "folder" / kernel);
    fs::create_directories(in() / "link/labs/03_shared_memory");
    fs::create_symlink("/dev/zero", in() / "link" / kernel);
    if (::mkfifo((in() / "pipe").c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    fs::create_symlink("/dev/zero", in() / "zero.zip");
    fs::create_symlink("loop", in() / "loop");
    fs::create_directories(in() / "shut");
    fs::permissions(in() / "shut", fs::perms::none);
    const std::string beyond = "labs/" + std::string(300, 'n') + "/x.cu";
    write_zip(in() / "names.zip", {{beyond, "x"}, {std::string(70, '/') + beyond, "x"}});
    write_zip(in() / "bomb.zip", {{kernel, std::string(10 << 20, 'x')}});
    write_zip(in() / "none.zip", {});
    write_zip(in() / "cut.zip", {{kernel, std::string(9999, 'x')}});
    fs::resize_file(in() / "cut.zip", 60);
  }
  ~HostileCohort() { fs::permissions(in() / "shut", fs::perms::all); }

  fs::path in() const { return scratch_.path() / "in"; }
  fs::path out() const { return scratch_.path() / "out"; }

  CommandResult grade() const {
    Command command;
    command.arguments = {tool("tilewise"), "cohort", "grade",     in(),  "3", "--out", out(),
                         "--jobs",         "2",      "--backend", "simt"};
    return run_command(command);
  }

 private:
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((in() / name).parent_path());
    std::ofstream(in() / name) << text;
  }

  ScratchDirectory scratch_;
};

TEST(HostileCohort, MakesOneRowOfEachTrouble) {
  const HostileCohort cohort;
  const long submissions = std::distance(fs::directory_iterator(cohort.in()), {});
  std::string first_book;
  for (const char* run : {"the first", "the rerun"}) {
    const CommandResult result = cohort.grade();
    EXPECT_EQ(result.status, BrokenCohort::some_not_graded) << run << ": " << result.output;
    const std::string count = std::to_string(submissions) + " submissions: 1 graded, " +
                              std::to_string(submissions - 1) + " not";
    EXPECT_THAT(result.output, HasSubstr(count)) << run;
    const std::string book = text_of(cohort.out() / "gradebook.csv");
    EXPECT_THAT(book, HasSubstr("anna,graded,0,")) << run;
    EXPECT_THAT(book, HasSubstr("\r\n" + std::string(255, 'n') + ",not graded,,,,it holds no"));
    EXPECT_THAT(book,
                HasSubstr("\r\nbomb,not graded,,,,bomb.zip: 03_shared_memory/matmul_shared.cu is"));
    EXPECT_THAT(book, HasSubstr("\r\nCASE,not graded,"));
    EXPECT_THAT(book, HasSubstr("\r\ncase,not graded,"));
    EXPECT_THAT(book, HasSubstr("\r\npipe,not graded,,,,pipe: it is neither a folder nor an"));
    EXPECT_THAT(book, HasSubstr("\\x1b[2J\n\\x3a:error::\\u{061c}\\xff"));
    EXPECT_EQ(book, first_book.empty() ? book : first_book);
    first_book = book;
  }
  for (const auto& item : fs::directory_iterator(cohort.out() / "feedback")) {
    const std::string text = text_of(item.path());
    EXPECT_THAT(text, Not(HasSubstr(cohort.in().string()))) << item.path();
    if (item.path().stem() != "anna") {
      EXPECT_THAT(text, HasSubstr("Could not be graded: "));
      EXPECT_THAT(text, HasSubstr("  matmul_shared.cu, which the course has as "
                                  "labs/03_shared_memory/matmul_shared.cu\n"));
    }
  }
}

TEST_F(CohortTest, WritesWhatIsKnownWhenItIsStopped) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const fs::path to = cohort_.out(std::to_string(signal)), pid_file = cohort_.out("pid");
    const fs::path temporary = cohort_.out("tmp");
    fs::create_directories(temporary);
    Command command;
    command.arguments = cohort_.grade(to, {"--jobs", "1"});
    const std::vector<std::string> telling_pid = {"sh", "-c", "echo $$ >\"$0\"; exec \"$@\"",
                                                  pid_file};
    command.arguments.insert(command.arguments.begin(), telling_pid.begin(), telling_pid.end());
    command.environment = {{"TMPDIR", temporary}};
    RunningCommand running(std::move(command));
    const auto scratches = [&] { return std::distance(fs::directory_iterator(temporary), {}); };
    while (scratches() < 2 &&
           !running.is_over()) {  // one for the cohort's result and one for a stage
    }
    ASSERT_EQ(::kill(std::stoi(text_of(pid_file)), signal), 0);
    const CommandResult result = running.wait();
    EXPECT_EQ(result.ending, CommandResult::Ending::exited);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr("stopped by SIG"));
    EXPECT_THAT(result.output, HasSubstr("Run the same command again"));
    EXPECT_THAT(text_of(to / "gradebook.csv"),
                HasSubstr("\r\ndora,not graded,,,,not done yet: its turn has not come"));
    EXPECT_EQ(scratches(), 0) << "it leaves folders behind";
  }
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
