#include "common/process/scratch_directory.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Gives this process a folder for temporary files of its own.
class ScratchDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }

  std::string folder_ = (fs::temp_directory_path() / "scratch-XXXXXX").string();
};

/// The folder of a process that was killed, as old as one that a sweep may take.
fs::path left_behind() {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const ScratchDirectory scratch;
    fs::create_directory(scratch.path() / "deep");
    std::ofstream(scratch.path() / "deep" / "file") << "x";
    const std::string path = scratch.path().string();
    if (::write(ends[1], path.data(), path.size()) < 0) ::_exit(1);
    ::raise(SIGKILL);
  }
  char path[4096] = {};
  ::waitpid(child, nullptr, 0);
  if (::read(ends[0], path, sizeof path - 1) < 0) return {};
  ::close(ends[0]), ::close(ends[1]);
  return path;
}

TEST_F(ScratchDirectoryTest, GoesAtTheEnd) {
  fs::path path;
  {
    const ScratchDirectory scratch;
    path = scratch.path();
    std::ofstream(path / "file") << "x";
    EXPECT_TRUE(fs::exists(path / "file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchDirectoryTest, IsSweptOnlyWhereNobodyUsesIt) {
  const ScratchDirectory in_use;
  const fs::path dead = left_behind();
  ASSERT_TRUE(fs::exists(dead / "deep" / "file"));
  fs::create_directory(fs::path(folder_) / "tilewise-of-another-kind");
  fs::create_directory_symlink("/", fs::path(folder_) / "tilewise-run-link");

  sweep_scratch_directories(0);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(in_use.path()));
  EXPECT_TRUE(fs::exists(fs::path(folder_) / "tilewise-of-another-kind"));
  EXPECT_TRUE(fs::is_symlink(fs::path(folder_) / "tilewise-run-link"));
}

TEST_F(ScratchDirectoryTest, IsNotSweptBeforeItsMakerCouldLockIt) {
  const fs::path fresh = left_behind();
  sweep_scratch_directories();
  EXPECT_TRUE(fs::exists(fresh));
}

}  // namespace
}  // namespace tilewise::grading
