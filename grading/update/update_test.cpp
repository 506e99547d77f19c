#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"

// These tests run `lab update` on small courses: one repository stands for the course's, and
// another is a clone of it.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Files = std::map<std::string, std::string>;  ///< path and text; "" if there is no such file

const std::string kernel = "labs/01_one/one.cu", other_kernel = "labs/02_two/two.cu",
                  header = "labs/01_one/one.hpp";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A kernel with one line that a student writes and one that belongs to the course.
std::string kernel_text(const std::string& course, const std::string& student) {
  return fmt::format("// {}\n\n\n\n{}\n\n\n\n// end\n", course, student);
}

class Repository {
 public:
  explicit Repository(fs::path folder) : folder_(std::move(folder)) {}

  const fs::path& folder() const { return folder_; }

  /// The first line of git's output; the test fails if git does.
  std::string git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"git", "-C", folder_});
    const CommandResult result = run(std::move(arguments));
    EXPECT_TRUE(result.succeeded()) << result.output;
    return result.output.substr(0, result.output.find('\n'));
  }

  void write(const Files& files) const {
    for (const auto& [path, text] : files) {
      fs::create_directories((folder_ / path).parent_path());
      if (text.empty()) {
        fs::remove(folder_ / path);
      } else {
        std::ofstream(folder_ / path, std::ios::binary) << text;
      }
    }
  }

  void commit(const Files& files) const {
    write(files);
    git({"add", "--all"});
    git({"-c", "user.name=somebody", "-c", "user.email=a@b", "commit", "--quiet", "-m", "text"});
  }

  CommandResult update() const {
    return run({"bash", core::project_root() / "grading" / "update" / "update.sh", folder_});
  }

  /// Runs a command without the name and the settings of the user who runs the test.
  static CommandResult run(std::vector<std::string> arguments) {
    Command command;
    command.arguments = std::move(arguments);
    command.inherits = {"PATH"};
    command.environment = {{"HOME", "/nonexistent"}, {"GIT_CONFIG_NOSYSTEM", "1"}};
    return run_command(std::move(command));
  }

 private:
  fs::path folder_;
};

/// The course's repository, and a clone of it in which a student works.
class Update : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("git").empty()) GTEST_SKIP() << "git is not installed";
    fs::create_directories(course.folder());
    course.git({"init", "--quiet", "--initial-branch=main"});
    course.commit({{kernel, kernel_text("v1", "TODO")},
                   {other_kernel, kernel_text("v1", "TODO")},
                   {header, "v1\n"},
                   {"lab", "v1\n"},
                   {".gitignore", "*.cu.new\n"}});
    Repository::run({"git", "clone", "--quiet", course.folder(), student.folder()});
  }

  void expect_files(const Files& files) const {
    for (const auto& [path, text] : files)
      EXPECT_EQ(text_of(student.folder() / path), text) << path;
  }

  ScratchDirectory scratch;
  const Repository course{scratch.path() / "course"}, student{scratch.path() / "student"};
};

/// The student's changes, the course's changes, and the outcome of an update.
struct Case {
  const char* what;
  Files committed, uncommitted, newer;
  int status;
  Files after;
  std::vector<std::string> says;
};

class UpdateOf : public Update, public testing::WithParamInterface<Case> {};

TEST_P(UpdateOf, KeepsWhatIsTheStudents) {
  const Case& one = GetParam();
  if (!one.committed.empty()) student.commit(one.committed);
  student.write(one.uncommitted);
  const std::string head = student.git({"rev-parse", "HEAD"});
  if (!one.newer.empty()) course.commit(one.newer);

  const CommandResult run = student.update();
  EXPECT_EQ(run.status, one.status) << run.output;
  for (const std::string& text : one.says) EXPECT_THAT(run.output, HasSubstr(text));
  expect_files(one.after);
  EXPECT_EQ(student.git({"for-each-ref", "--count=1", "refs/tilewise/backup"}).empty(),
            one.status != 0 || one.newer.empty())
      << "a backup is kept, where something is changed";
  if (one.status != 0) {
    EXPECT_EQ(student.git({"rev-parse", "HEAD"}), head);
  }
  if (one.status == 0 && !one.newer.empty()) {
    EXPECT_THAT(student.update().output, HasSubstr("the course is up to date"));
    expect_files(one.after);
  }
}

const std::string mine = kernel_text("v1", "mine");

INSTANTIATE_TEST_SUITE_P(
    Cases, UpdateOf,
    testing::Values(
        Case{"NothingNew", {}, {{kernel, mine}}, {}, 0, {{kernel, mine}}, {"up to date"}},
        Case{"NothingChangedHere",
             {},
             {},
             {{header, "v2\n"}, {"lab", "v2\n"}, {"labs/03_three/three.cu", "new\n"}},
             0,
             {{header, "v2\n"}, {"lab", "v2\n"}, {"labs/03_three/three.cu", "new\n"}},
             {"3 files of the course"}},
        Case{"WorkUncommitted",
             {},
             {{kernel, mine}},
             {{header, "v2\n"}, {other_kernel, kernel_text("v2", "TODO")}},
             0,
             {{kernel, mine}, {header, "v2\n"}, {other_kernel, kernel_text("v2", "TODO")}},
             {kernel + ": yours, as it was"}},
        Case{"WorkCommitted",
             {{kernel, mine}},
             {},
             {{header, "v2\n"}},
             0,
             {{kernel, mine}, {header, "v2\n"}},
             {kernel + ": yours, as it was"}},
        Case{"WorkInBothWays",
             {{kernel, mine}},
             {{kernel, kernel_text("v1", "later")}, {other_kernel, mine}},
             {{kernel, kernel_text("v2", "TODO")}},
             0,
             {{kernel, kernel_text("v2", "later")}, {other_kernel, mine}},
             {kernel + ": yours; what is new in the skeleton was merged"}},
        Case{"SkeletonThatMerges",
             {},
             {{kernel, mine}},
             {{kernel, kernel_text("v2", "TODO")}},
             0,
             {{kernel, kernel_text("v2", "mine")}, {kernel + ".new", ""}},
             {kernel + ": yours; what is new in the skeleton was merged"}},
        Case{"SkeletonThatDoesNot",
             {},
             {{kernel, mine}},
             {{kernel, kernel_text("v2", "TODO later")}},
             0,
             {{kernel, mine}, {kernel + ".new", kernel_text("v2", "TODO later")}},
             {"git diff --no-index " + kernel + " " + kernel + ".new"}},
        Case{"SkeletonThatDoesNotOnceCommitted",
             {{kernel, mine}},
             {},
             {{kernel, kernel_text("v2", "TODO later")}},
             0,
             {{kernel, mine}, {kernel + ".new", kernel_text("v2", "TODO later")}},
             {"git diff --no-index " + kernel + " " + kernel + ".new"}},
        Case{"StageThatTheStudentHasToo",
             {},
             {{"labs/03_three/three.cu", mine}},
             {{"labs/03_three/three.cu", "new\n"}},
             0,
             {{"labs/03_three/three.cu", mine}, {"labs/03_three/three.cu.new", "new\n"}},
             {"labs/03_three/three.cu: yours"}},
        Case{"KernelThatTheCourseDrops",
             {},
             {{kernel, mine}},
             {{kernel, ""}},
             0,
             {{kernel, mine}},
             {kernel + ": yours, as it was"}},
        Case{"KernelThatTheStudentRemoved",
             {},
             {{kernel, ""}},
             {{kernel, "v2\n"}},
             0,
             {{kernel, "v2\n"}},
             {kernel + " was missing, and is there again"}},
        Case{"FilesOfTheStudentsOwn",
             {{"notes.txt", "mine\n"}},
             {{"more.txt", "mine\n"}},
             {{header, "v2\n"}},
             0,
             {{"notes.txt", "mine\n"}, {"more.txt", "mine\n"}, {header, "v2\n"}},
             {}},
        Case{"HeaderThatTheCourseLeaves",
             {},
             {{header, "mine\n"}},
             {{"lab", "v2\n"}},
             0,
             {{header, "mine\n"}, {"lab", "v2\n"}},
             {}},
        Case{"HeaderThatBothChange",
             {},
             {{header, "mine\n"}, {kernel, mine}},
             {{header, "v2\n"}, {"lab", "v2\n"}},
             2,
             {{header, "mine\n"}, {kernel, mine}, {"lab", "v1\n"}},
             {"files that you have changed, too:", "  " + header, "Nothing was changed"}},
        Case{"HeaderThatBothChangeOnceCommitted",
             {{header, "mine\n"}},
             {},
             {{header, "v2\n"}},
             2,
             {{header, "mine\n"}},
             {"  " + header}},
        Case{"FileThatBothAdd",
             {},
             {{"new.txt", "mine\n"}, {kernel, mine}},
             {{"new.txt", "theirs\n"}},
             2,
             {{"new.txt", "mine\n"}, {kernel, mine}},
             {"  new.txt"}},
        Case{"FolderInTheWay",
             {},
             {{"new.txt/mine", "mine\n"}, {kernel, mine}},
             {{"new.txt", "theirs\n"}},
             2,
             {{"new.txt/mine", "mine\n"}, {kernel, mine}},
             {"  new.txt"}}),
    [](const auto& info) { return std::string(info.param.what); });

TEST_F(Update, KeepsEverythingInABackup) {
  const std::string untracked = "labs/03_three/three.cu";
  student.write({{kernel, mine}, {header, "mine\n"}, {untracked, mine}});
  course.commit({{kernel, "v2\n"}, {"lab", "v2\n"}});
  ASSERT_EQ(student.update().status, 0);
  const std::string backup = student.git({"for-each-ref", "--format=%(refname)", "refs/tilewise"});
  student.write({{untracked, ""}});
  student.git({"restore", "--source=" + backup, "."});
  expect_files({{kernel, mine}, {header, "mine\n"}, {"lab", "v1\n"}, {untracked, mine}});
}

/// A state in which a clone cannot be updated at all.
struct Obstacle {
  const char* what;
  std::vector<std::string> git;  ///< a command that brings the clone into that state
  std::string says;
};

class UpdateDespite : public Update, public testing::WithParamInterface<Obstacle> {};

TEST_P(UpdateDespite, ChangesNothing) {
  student.git(GetParam().git);
  student.write({{kernel, mine}});
  course.commit({{header, "v2\n"}});
  const CommandResult run = student.update();
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, HasSubstr(GetParam().says));
  expect_files({{kernel, mine}, {header, "v1\n"}});
}

INSTANTIATE_TEST_SUITE_P(
    Cases, UpdateDespite,
    testing::Values(
        Obstacle{"DetachedHead", {"checkout", "--quiet", "--detach"}, "git switch main"},
        Obstacle{"NoUpstream",
                 {"branch", "--unset-upstream"},
                 "git branch --set-upstream-to=origin/main main"},
        Obstacle{"NoNetwork",
                 {"remote", "set-url", "origin", "/nonexistent/course"},
                 "could not fetch from there"},
        Obstacle{"NothingInCommon",
                 {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--amend", "-m",
                  "another beginning"},
                 "no commit in common"},
        Obstacle{
            "MergeUnderWay", {"update-ref", "MERGE_HEAD", "HEAD"}, "a git merge is under way"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST_F(Update, NeedsAClone) {
  fs::remove_all(student.folder() / ".git");
  const CommandResult run = student.update();
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("is not a clone"), HasSubstr("copy your labs/*/*.cu")));
}

}  // namespace
}  // namespace tilewise::grading
