#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/doctor/checkup.hpp"

// These tests run `lab doctor` on machines with other programs; PATH decides which programs it
// sees.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST(CountsForUsers, IsWhatTheDriverSays) {
  EXPECT_FALSE(counts_for_users("Foo: 0\nRmProfilingAdminOnly: 1\n"));
  EXPECT_TRUE(counts_for_users("RmProfilingAdminOnly: 0\n"));
  EXPECT_TRUE(counts_for_users(""));
}

/// Programs by name, and what they print; "" for one that is missing.
using Programs = std::map<std::string, std::string>;

/// A machine with all the programs that are needed, and no others.
const Programs enough = {
    {"c++", "g++ (Debian 12.2.0-14) 12.2.0"},
    {"cmake", "cmake version 3.25.1"},
    {"ninja", "1.11.1"},
};

struct Case {
  const char* what;
  Programs beside;  ///< added to `enough`, or replacing its programs
  int status;
  std::vector<std::string> says;
  std::vector<std::string> does_not_say = {};
};

class DoctorWhere : public testing::TestWithParam<Case> {};

TEST_P(DoctorWhere, SaysWhatToDo) {
  const ScratchDirectory folder;
  Programs programs = GetParam().beside;
  programs.insert(enough.begin(), enough.end());  // programs named already are kept
  for (const auto& [name, output] : programs) {
    if (output.empty()) continue;
    std::ofstream(folder.path() / name) << "#!/bin/sh\necho '" << output << "'\n";
    fs::permissions(folder.path() / name, fs::perms::owner_all);
  }
  // The script `lab` needs these programs to look for packages.
  for (const char* name : {"bash", "dirname", "sed", "xargs"}) {
    fs::create_symlink(find_program(name), folder.path() / name);
  }
  Command command;
  command.arguments = {tool("tilewise"), "doctor"};
  command.environment = {{"PATH", folder.path()}, {"CXX", "c++"}};
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, GetParam().status) << run.output;
  for (const std::string& text : GetParam().says) EXPECT_THAT(run.output, HasSubstr(text));
  for (const std::string& text : GetParam().does_not_say) {
    EXPECT_THAT(run.output, Not(HasSubstr(text)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DoctorWhere,
    testing::Values(
        Case{"ThereIsEnough",
             {},
             0,
             {"12.2.0", "3.25.1", "Backend that will run: simt, the simulator",
              "bubblewrap is not installed", "The course runs here."}},
        Case{"ThereIsNoCompiler",
             {{"c++", ""}},
             2,
             {"! g++", "sudo apt-get install g++\n", "The course does not run here yet"}},
        Case{"TheCompilerIsOld",
             {{"c++", "g++ (Debian 10.2.1-6) 10.2.1 20210110"}},
             2,
             {"c++ is too old: 12 or later is needed"}},
        Case{"TheCompilerIsClang",
             {{"c++", "Debian clang version 14.0.6"}},
             0,
             {"14.0.6"},
             {"too old"}},
        Case{"ClangIsOld",
             {{"c++", "Ubuntu clang version 13.0.1"}},
             2,
             {"c++ is too old: 14 or later is needed"}},
        Case{"CMakeIsOld",
             {{"cmake", "cmake version 3.18.4"}},
             2,
             {"! cmake", "cmake is too old: 3.25 or later is needed"}},
        Case{"CMakeIsOlderThoughItsDigitIsGreater",
             {{"cmake", "cmake version 3.9.6"}},
             2,
             {"cmake is too old: 3.25 or later is needed"}},
        Case{"CMakeIsAMajorVersionLater", {{"cmake", "cmake version 4.0"}}, 0, {"4.0"}},
        Case{"GdbTellsNoVersion", {{"gdb", "no number 7 here"}}, 0, {"  gdb ", "found"}},
        Case{"NinjaIsMissing", {{"ninja", ""}}, 2, {"sudo apt-get install ninja-build\n"}},
        Case{"GdbIsMissing", {}, 0, {"- gdb", "`lab debug`", "(marked -):"}},
        Case{"GdbIsThere",
             {{"gdb", "GNU gdb (Debian 13.1-3) 13.1"}},
             0,
             {"  gdb ", "13.1"},
             {"- gdb"}},
        Case{"LibrariesAreListed",
             {{"dpkg-query", "libgtest-dev 1.12.1-0.2 installed"}},
             0,
             {"  libgtest-dev", "1.12.1-0.2", "- libfmt-dev"}},
        Case{"NobodyKnowsOfLibraries", {}, 0, {}, {"libgtest-dev"}},
        Case{"ThereIsAGpu",
             {{"nvidia-smi", "580.65.06, 0, NVIDIA H200, 9.0"}},
             0,
             {"GPU 0", "NVIDIA H200", "compute capability 9.0", "580.65.06"}},
        Case{"ThereIsADriverWithoutGpu",
             {{"nvidia-smi", "No devices were found"}},
             0,
             {"nvidia-smi finds none"}},
        Case{"ThereIsANvcc",
             {{"nvcc", "Cuda compilation tools, release 12.6, V12.6.20"}},
             0,
             {"  nvcc", "12.6"}},
        Case{"NvccIsOld",
             {{"nvcc", "Cuda compilation tools, release 10.2, V10.2.89"}},
             0,
             {"CUDA 11.8 or later is needed"}},
        Case{"BubblewrapMayDoNothing",
             {{"bwrap", "bwrap: No permissions"}, {"prlimit", "x"}},
             0,
             {"bubblewrap"}}),
    [](const auto& info) { return std::string(info.param.what); });

// As long as nothing is built, the script `lab` must answer by itself.
TEST(DoctorOfTheScript, SaysWhatIsMissingWhereNothingCanBeBuilt) {
  const ScratchDirectory course;
  for (const char* file : {"lab", "packages.txt"}) {
    fs::copy_file(layout().root / file, course.path() / file);
  }
  const fs::path programs = course.path() / "programs";
  fs::create_directory(programs);
  for (const char* name : {"bash", "cut", "dirname", "sed", "tr"}) {
    fs::create_symlink(find_program(name), programs / name);
  }
  Command command;
  command.arguments = {"bash", course.path() / "lab", "doctor"};
  command.environment = {{"PATH", programs}, {"CXX", ""}};
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, 2) << run.output;
  EXPECT_THAT(run.output, HasSubstr("Tilewise cannot be built here yet. Missing:\n  g++ "));
  EXPECT_THAT(run.output, HasSubstr("\n  ninja-build "));
  EXPECT_THAT(run.output, HasSubstr("Install them under the names your system has for them."));
}

TEST(DoctorOfTheScript, NamesPackagesAsTheSystemDoes) {
  const struct {
    const char* manager;
    const char* says;
  } cases[] = {{"dnf", "sudo dnf install gcc-c++ binutils cmake ninja-build "},
               {"pacman", "sudo pacman -S --needed gcc binutils cmake ninja "}};
  for (const auto& [manager, says] : cases) {
    const ScratchDirectory course;
    for (const char* file : {"lab", "packages.txt", "packages_elsewhere.txt"}) {
      fs::copy_file(layout().root / file, course.path() / file);
    }
    const fs::path programs = course.path() / "programs";
    fs::create_directory(programs);
    for (const char* name : {"bash", "cut", "dirname", "sed", "tr"}) {
      fs::create_symlink(find_program(name), programs / name);
    }
    fs::create_symlink(find_program("false"), programs / manager);
    Command command;
    command.arguments = {"bash", course.path() / "lab", "doctor"};
    command.environment = {{"PATH", programs}, {"CXX", ""}};
    const CommandResult run = run_command(command);
    EXPECT_EQ(run.status, 2) << run.output;
    EXPECT_THAT(run.output, HasSubstr(says));
  }
}

}  // namespace
}  // namespace tilewise::grading
