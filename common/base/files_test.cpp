#include "common/base/files.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace tilewise::core {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ProjectRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / fs::path("tilewise_paths_" + std::to_string(::getpid()));
    fs::create_directories(root_ / "labs");
  }
  void TearDown() override {
    unsetenv("TILEWISE_ROOT");
    fs::remove_all(root_);
  }
  fs::path root_;
};

TEST_F(ProjectRoot, IsTakenFromTheEnvironment) {
  std::ofstream(root_ / "lab") << "#!/bin/sh\n";
  setenv("TILEWISE_ROOT", root_.c_str(), 1);
  EXPECT_EQ(project_root(), fs::canonical(root_));
}

TEST_F(ProjectRoot, RefusesAFolderThatHoldsNoCourse) {
  setenv("TILEWISE_ROOT", root_.c_str(), 1);
  EXPECT_THAT([] { project_root(); },
              ThrowsMessage<std::runtime_error>(HasSubstr("set it to the course's folder")));
}

TEST(ExecutableDirectory, HoldsThisTest) {
  EXPECT_TRUE(fs::exists(executable_directory() / "core_files_test"));
}

TEST(LiesIn, ComparesWholeNames) {
  const struct {
    const char *path, *folder;
    bool expected;
  } cases[] = {{"/usr/lib/x.so", "/usr", true}, {"/usr", "/usr", true},
               {"/usrlocal/x", "/usr", false},  {"/", "/usr", false},
               {"/home/x", "/usr", false},      {"/anything", "/", true}};
  for (const auto& [path, folder, expected] : cases) {
    EXPECT_EQ(lies_in(path, folder), expected) << path << " " << folder;
  }
}

}  // namespace
}  // namespace tilewise::core
