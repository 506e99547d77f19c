#include "grading/cohort/cohort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "grading/builder/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/scratch_directory.hpp"

// The command as a whole, on submissions of which most are broken.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* stage = "03_shared_memory";

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class CohortTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string solution = text_of(layout().root / "solutions" / stage / "matmul_shared.cu");
    put("anna", solution);
    put("berta", "#error nothing yet\n");
    put("carla", text_of(layout().root / "labs" / stage / "matmul_shared.cu"));
    put("dora", "#include <stdlib.h>\nstatic const int ended = (exit(0), 0);\n");
    std::ofstream(in() / "ella.zip") << "no archive";
    fs::create_directories(in() / "fay");
  }

  void put(const std::string& name, const std::string& text) const {
    const fs::path folder = in() / name / "labs" / stage;
    fs::create_directories(folder);
    std::ofstream(folder / "matmul_shared.cu") << text;
  }

  fs::path in() const { return scratch_.path() / "in"; }
  fs::path out() const { return scratch_.path() / "out"; }

  Command grade(const fs::path& to, const std::vector<std::string>& more = {}) const {
    Command command;
    command.arguments = {tool("tilewise"), "cohort", "grade",     in(),  "3", "--out", to,
                         "--jobs",         "2",      "--backend", "simt"};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }

  ScratchDirectory scratch_;
};

TEST_F(CohortTest, GradesWhatCanBeGraded) {
  const CommandResult run = run_command(grade(out()));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("6 submissions: 4 graded, 2 not"));
  const std::string book = text_of(out() / "gradebook.csv");
  const std::string points = text_of(out() / "results" / "anna.json");
  EXPECT_THAT(book, HasSubstr("\r\nanna,graded,"));
  for (const char* name : {"berta", "carla", "dora"}) {
    EXPECT_THAT(book, HasSubstr(std::string("\r\n") + name + ",graded,0,"));
  }
  EXPECT_THAT(book, HasSubstr("\r\nella,not graded,0,,,it is neither a folder nor a zip archive"));
  EXPECT_THAT(book, HasSubstr("\r\nfay,not graded,0,,,it holds no labs/NN_topic/*.cu"));
  EXPECT_THAT(text_of(out() / "feedback" / "berta.txt"), HasSubstr("nothing yet"));
  EXPECT_THAT(text_of(out() / "gradebook.html"), HasSubstr("feedback/anna.txt"));
  EXPECT_TRUE(fs::exists(out() / "submissions" / "anna" / "labs" / stage / "matmul_shared.cu"));

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
  const fs::path killed = scratch_.path() / "killed";
  fs::create_directories(killed);
  // The same inputs for both.
  fs::copy_file(out() / "cohort.json", killed / "cohort.json");
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
  const CommandResult run = run_command([&] {
    Command command = grade(out());
    command.arguments[3] = scratch_.path() / "none";
    return command;
  }());
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, HasSubstr("none"));
}

}  // namespace
}  // namespace tilewise::grading
