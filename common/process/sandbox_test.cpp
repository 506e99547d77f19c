#include "common/process/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "common/base/files.hpp"
#include "common/process/process.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    const SandboxSearch search = find_sandbox();
    if (!search.sandbox) GTEST_SKIP() << search.why_not;
    sandbox_ = search.sandbox;
    fs::create_directories(folder_);
    std::ofstream(folder_ / "shown") << "shown\n";
    std::ofstream(folder_ / "other") << "other\n";
    fs::create_directory(folder_ / "results");
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs a shell script in the sandbox. Returns its exit status, or -signal if a signal ended it.
  int run(const std::string& script) const {
    SandboxView view{{folder_ / "shown"}, folder_ / "results"};
    view.temporary_bytes = std::size_t{1} << 20;
    const Program program{.arguments = {"sh", "-c", script, folder_, core::project_root()},
                          .sandbox = sandbox_,
                          .view = view};
    const FileDescriptor null = open_null();
    Process shell(program, {.descriptors = {null.get(), null.get(), null.get()}});
    const int status = shell.wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  Sandbox sandbox_;
  fs::path folder_ = fs::path("/tmp") / ("tilewise-sandbox-test-" + std::to_string(getpid()));
};

TEST_F(SandboxTest, HoldsItsPrograms) {
  // $0 is a folder in /tmp, $1 the folder of the course.
  const struct {
    const char* what;
    const char* script;
    int status;
  } cases[] = {
      {"says how a program ended", "exit 7", 7},
      {"says which signal ended it", "kill -SEGV $$", -11},
      {"reads what it is shown", "cat $0/shown", 0},
      {"sees nothing else in /tmp", "test -e $0/other", 1},
      {"does not write to what it is shown", "test -w $0/shown", 1},
      {"may write to /tmp", "echo text >/tmp/new && cat /tmp/new", 0},
      {"starts in /tmp", "test \"$(pwd)\" = /tmp", 0},
      {"may write to the folder meant for it", "touch $0/results/new", 0},
      {"writes to memory beside it", "touch $0/new", 0},
      {"does not write to the system", "touch /usr/bin/tilewise", 1},
      {"does not write to /", "touch /tilewise", 1},
      {"does not write to /dev", "touch /dev/tilewise", 1},
      {"fills /tmp only", "head -c 2000000 /dev/zero >/tmp/much", 1},
      {"fills /dev/shm only", "head -c 100000000 /dev/zero >/dev/shm/much", 1},
      {"sees no course", "test -e $1", 1},
      {"sees no home", "test -e /root || test -e /home", 1},
      {"has a home of its own", "test \"$HOME\" = /tmp", 0},
      {"sees no folder of the machine's but these",
       "test -e /var || test -e /run || test -e /mnt || test -e /srv || test -e /opt", 1},
      {"sees no accounts", "test -e /etc/passwd", 1},
      {"has programs and libraries", "c++ --version", 0},
      {"has no terminal", "test $(cut -d ' ' -f 6 /proc/self/stat) = 0", 1},
      {"sees its own processes only", "test $(ls -d /proc/[0-9]* | wc -l) -lt 8", 0},
      {"has no network", "test \"$(grep -c : /proc/net/dev)\" = \"$(grep -c lo: /proc/net/dev)\"",
       0},
      {"has no disks", "test -b /dev/sda || test -b /dev/vda || test -b /dev/nvme0n1", 1},
  };
  for (const auto& [what, script, status] : cases) EXPECT_EQ(run(script), status) << what;
  EXPECT_FALSE(fs::exists("/tmp/new"));
  EXPECT_TRUE(fs::exists(folder_ / "results" / "new"));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(SandboxTest, ShowsGpusButNoDisks) {
  sandbox_.with_devices = true;
  EXPECT_EQ(run("test -d /sys/devices"), 0);
  EXPECT_EQ(run("test -e /dev/null"), 0);
  EXPECT_EQ(run("for node in /dev/*; do test ! -b $node || exit 3; done"), 0);
  for (const auto& node : fs::directory_iterator("/dev")) {
    const std::string name = node.path().filename();
    if (!name.starts_with("nvidia")) continue;
    EXPECT_EQ(run("test -e " + node.path().string()), 0) << name;
  }
}

TEST_F(SandboxTest, LimitsProcesses) {
  if (getuid() == 0) GTEST_SKIP() << "the system limits everybody's processes but root's";
  EXPECT_NE(run("i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i + 1)); done"), 0);
}

TEST_F(SandboxTest, EndsWhateverWasStarted) {
  // A name that no other process has, so that the process can be found from outside.
  const std::string name = "tilewise-left-" + std::to_string(getpid());
  EXPECT_EQ(run("setsid sh -c 'sleep 30' " + name + " & exit 0"), 0);
  const auto runs = [&] {
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::ifstream file(process.path() / "cmdline");
      const std::string line{std::istreambuf_iterator<char>(file), {}};
      if (line.find(name) != std::string::npos) return true;
    }
    return false;
  };
  for (int turn = 0; turn < 100 && runs(); ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(runs());
}

TEST(SandboxSearch, SaysWhyThereIsNone) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  EXPECT_EQ(find_sandbox().why_not, "bubblewrap is not installed");
  const ScratchDirectory folder;
  std::ofstream(folder.path() / "bwrap")
      << "#!/bin/sh\necho bwrap: no permission\necho more\nexit 1\n";
  fs::permissions(folder.path() / "bwrap", fs::perms::owner_all);
  setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  EXPECT_EQ(find_sandbox().why_not, "bubblewrap does not work here: bwrap: no permission");
  setenv("PATH", path.c_str(), 1);
}

TEST(WithLibraries, NamesTheCoursesOwnOnly) {
  const fs::path build = fs::canonical(core::executable_directory() / "..");
  const fs::path worker = build / "bin" / "tilewise-worker-simt";
  if (!fs::exists(worker)) GTEST_SKIP() << "this build has no simulator";
  EXPECT_THAT(with_libraries(worker),
              testing::UnorderedElementsAre(worker, build / "lib" / "libtilewise_simt.so"));
}

namespace fs = std::filesystem;

/// Gives this process a folder of its own for temporary files.
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

/// Makes the scratch directory of a killed process. Returns its path.
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
