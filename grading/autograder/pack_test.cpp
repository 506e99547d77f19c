#include "grading/autograder/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "common/base/files.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"

// These tests unpack the archive on a machine that has neither the course nor the sources it was
// built from.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class PackTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchDirectory;
    write_pack(scratch_->path() / "pack.tar.gz");
    for (const char* place : {"here", "there"}) {
      fs::create_directory(scratch_->path() / place);
      Command unpack;
      unpack.arguments = {"tar", "-xzf", scratch_->path() / "pack.tar.gz", "-C",
                          scratch_->path() / place};
      ASSERT_TRUE(run_command(std::move(unpack)).succeeded());
    }
    fs::remove_all(there() / "build");
  }
  static void TearDownTestSuite() { delete scratch_; }

  static fs::path here() { return scratch_->path() / "here" / "tilewise"; }
  /// A folder like a clone of the course, in which nothing is built.
  static fs::path there() { return scratch_->path() / "there" / "tilewise"; }

  static CommandResult lab(const fs::path& course, std::vector<std::string> words,
                           const fs::path& pack = "/nowhere") {
    Command command;
    command.arguments = {"bash", course / "lab"};
    // If there is a sandbox, it hides the course that the archive was built from.
    if (const SandboxSearch search = find_sandbox(); search.sandbox) {
      command.arguments.insert(command.arguments.begin(),
                               {search.sandbox.bubblewrap, "--dev-bind", "/", "/", "--tmpfs",
                                layout().root, "--chdir", "/"});
    }
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = {
        {"TILEWISE_ROOT", ""}, {"TILEWISE_PACK", pack}, {"CXX", cxx_compiler().front()}};
    return run_command(std::move(command));
  }

  static bool needs_cmake(const fs::path& course, const fs::path& pack = "/nowhere") {
    const std::string answer = lab(course, {"__packages", "packages.txt"}, pack).output;
    EXPECT_THAT(answer, HasSubstr("|fine|"));
    return answer.find("cmake|") != answer.npos;
  }

  static ScratchDirectory* scratch_;
};
ScratchDirectory* PackTest::scratch_ = nullptr;

TEST_F(PackTest, GradesWhereverItIsUnpacked) {
  const CommandResult run = lab(here(), {"grade", "1", "--solutions", "--backend", "simt"});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("10/10  passed"));
}

TEST_F(PackTest, ServesAClone) {
  const CommandResult run = lab(there(), {"list"}, here());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("01_single_block"));
  EXPECT_FALSE(needs_cmake(there(), here()));
  EXPECT_TRUE(needs_cmake(there()));
}

TEST_F(PackTest, IsNotTakenForAnotherCourses) {
  const struct {
    const char* file;
    bool is_another;
  } cases[] = {
      {"labs/01_single_block/matmul_single_block.cu", false},
      {"README.md", false},
      {"labs/01_single_block/matmul_single_block.hpp", true},
      {"grading/stages/01_single_block/grader.cpp", true},
      {"grading/stages/99_new/stage.json", true},
  };
  for (const auto& [file, is_another] : cases) {
    const std::string text = core::text_of(there() / file);
    fs::create_directories((there() / file).parent_path());
    std::ofstream(there() / file, std::ios::app) << "// another\n";
    EXPECT_EQ(needs_cmake(there(), here()), is_another) << file;
    if (text.empty()) {
      fs::remove_all((there() / file).parent_path());
    } else {
      std::ofstream(there() / file, std::ios::trunc) << text;
    }
  }
}

TEST_F(PackTest, BringsTheLibrariesThatItNeeds) {
  const fs::path libraries = here() / "build" / "pack" / "lib";
  for (const char* name : {"libtilewise_simt.so", "bindings/simt/01_single_block.o"}) {
    EXPECT_TRUE(fs::exists(libraries / name)) << name;
  }
  std::string names;
  for (const auto& item : fs::directory_iterator(libraries)) names += item.path().filename();
  EXPECT_THAT(names, HasSubstr("libfmt.so"));
  EXPECT_THAT(names, Not(HasSubstr("libstdc++")));
}

TEST_F(PackTest, LooksForThemWhereTheyAre) {
  const fs::path pack = here() / "build" / "pack";
  Command trace;
  trace.arguments = {pack / "bin" / "tilewise-examiner-01_single_block"};
  trace.environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}};
  std::istringstream lines(run_command(std::move(trace)).output);
  if (TILEWISE_COUNTS_COVERAGE) GTEST_SKIP() << "a build that counts coverage asks elsewhere first";
  for (std::string name, arrow, path, address; lines >> name >> arrow;) {
    if (arrow != "=>") continue;  // "linux-vdso.so.1 (0x00007f...)"
    lines >> path >> address;
    EXPECT_EQ(is_of_every_system(name), !core::lies_in(fs::path(path).lexically_normal(), pack))
        << name << " " << path;
  }
}

TEST(IsOfEverySystem, KnowsWhatFitsTheKernelAndTheCompiler) {
  for (const char* name : {"libc.so.6", "libstdc++.so.6", "libcuda.so.1", "linux-vdso.so.1"}) {
    EXPECT_TRUE(is_of_every_system(name)) << name;
  }
  for (const char* name : {"libcapstone.so.4", "libgfortran.so.5", "libmagic.so.1"}) {
    EXPECT_FALSE(is_of_every_system(name)) << name;
  }
}

TEST(WritePack, SaysWhatItCannotWrite) {
  const ScratchDirectory scratch;
  EXPECT_THROW(write_pack(scratch.path() / "no" / "pack.tar.gz"), CannotGrade);
}

}  // namespace
}  // namespace tilewise::grading
