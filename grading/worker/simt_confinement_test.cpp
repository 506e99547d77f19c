#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "grading/worker/backend.hpp"

#ifdef __linux__
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace tilewise::grading {
namespace {

/// What an action's errno is in a process of its own that has confined itself.
int errno_when_confined(const std::function<bool()>& succeeds) {
  const pid_t child = fork();
  if (child == 0) {
    confine();
    errno = 0;
    _exit(succeeds() ? 0 : errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool opens(const std::string& path, int flags) { return open(path.c_str(), flags, 0600) >= 0; }

TEST(Confinement, RefusesWhatConcernsOthers) {
#if defined(TILEWISE_SANITIZE)
  GTEST_SKIP() << "sanitizers need what it refuses";
#endif
  const std::string mine = testing::TempDir() + "tilewise-confinement-" + std::to_string(getpid());
  close(open(mine.c_str(), O_CREAT | O_WRONLY, 0600));
  const struct {
    const char* what;
    std::function<bool()> succeeds;
    int error;
  } cases[] = {
      {"to fork", [] { return fork() >= 0; }, EPERM},
      {"to become another program", [] { return execl("/bin/true", "true", nullptr) == 0; }, EPERM},
      {"to signal its parent", [] { return kill(getppid(), 0) == 0; }, EPERM},
      {"to signal a thread of its parent",
       [] { return syscall(SYS_tgkill, getppid(), getppid(), 0) == 0; }, EPERM},
      {"to attach to a process", [] { return ptrace(PTRACE_ATTACH, 0, 0, 0) == 0; }, EPERM},
      {"to read its parent's memory",
       [] {
         char byte;
         iovec own{&byte, 1}, other{&byte, 1};
         return process_vm_readv(getppid(), &own, 1, &other, 1, 0) == 1;
       },
       EPERM},
      {"to open a socket", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }, EPERM},
      {"to create a file", [&] { return opens(mine + ".new", O_CREAT | O_WRONLY); }, EROFS},
      {"to change a file", [&] { return opens(mine, O_RDWR); }, EROFS},
      {"to cut a file", [&] { return truncate(mine.c_str(), 0) == 0; }, EPERM},
      {"to remove a file", [&] { return unlink(mine.c_str()) == 0; }, EPERM},
      {"to rename a file", [&] { return rename(mine.c_str(), (mine + "x").c_str()) == 0; }, EPERM},
      {"to open up a file", [&] { return chmod(mine.c_str(), 0666) == 0; }, EPERM},
      {"to make a folder", [&] { return mkdir((mine + ".d").c_str(), 0700) == 0; }, EPERM},
      {"to make a file in memory", [] { return memfd_create("x", 0) >= 0; }, EPERM},
      {"to raise a limit",
       [] {
         const rlimit limit{1024, 1024};
         return setrlimit(RLIMIT_NOFILE, &limit) == 0;
       },
       EPERM},
  };
  for (const auto& [what, succeeds, error] : cases) {
    EXPECT_EQ(errno_when_confined(succeeds), error) << what;
  }
  unlink(mine.c_str());
}

TEST(Confinement, LeavesWhatKernelFilesNeed) {
  const struct {
    const char* what;
    std::function<bool()> succeeds;
  } cases[] = {
      {"threads",
       [] {
         bool ran = false;
         std::thread([&] { ran = true; }).join();
         return ran;
       }},
      {"memory", [] { return malloc(std::size_t{64} << 20) != nullptr; }},
      {"reading files", [] { return opens("/proc/self/maps", O_RDONLY); }},
      {"reading limits",
       [] {
         rlimit limit;
         return getrlimit(RLIMIT_STACK, &limit) == 0;
       }},
      {"signals to itself",
       [] {
         signal(SIGUSR1, SIG_IGN);
         return raise(SIGUSR1) == 0;
       }},
      {"pipes",
       [] {
         int ends[2];
         return pipe(ends) == 0;
       }},
  };
  for (const auto& [what, succeeds] : cases) EXPECT_EQ(errno_when_confined(succeeds), 0) << what;
}

TEST(Confinement, HoldsThreadsThatWereThereBefore) {
#if defined(TILEWISE_SANITIZE)
  GTEST_SKIP() << "sanitizers need what it refuses";
#endif
  const pid_t child = fork();
  if (child == 0) {
    int to_thread[2];
    if (pipe(to_thread) != 0) _exit(100);
    int error = 0;
    std::thread earlier([&] {
      char byte;
      if (read(to_thread[0], &byte, 1) == 1 && socket(AF_INET, SOCK_STREAM, 0) < 0) error = errno;
    });
    confine();
    if (write(to_thread[1], "x", 1) != 1) _exit(100);
    earlier.join();
    _exit(error);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), EPERM);
}

}  // namespace
}  // namespace tilewise::grading
#endif
