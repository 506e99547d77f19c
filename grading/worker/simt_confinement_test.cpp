#include <gtest/gtest.h>

#include "grading/worker/simt_host_process.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace tilewise::grading {
namespace {

// These calls are newer than some systems' headers.
constexpr long call_memfd_secret = 447, call_fchmodat2 = 452, call_move_mount = 429,
               call_open_tree = 428, call_pidfd_open = 434;

/// Returns the errno that an action sets in a child process that has confined itself; 0 if it
/// succeeds.
int errno_when(const std::function<void()>& confine, const std::function<bool()>& succeeds) {
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

void as_device_part() { confine_device_part(getpid()); }

bool opens(const std::string& path, int flags) { return open(path.c_str(), flags, 0600) >= 0; }

/// A file that each test may use, by its name and as an open descriptor.
class Confinement : public testing::Test {
 protected:
  void SetUp() override {
#if defined(TILEWISE_SANITIZE)
    GTEST_SKIP() << "sanitizers need what it refuses";
#endif
    close(open(mine_.c_str(), O_CREAT | O_WRONLY, 0600));
    open_file_ = open(mine_.c_str(), O_RDWR);
  }
  void TearDown() override {
    close(open_file_);
    unlink(mine_.c_str());
  }

  const std::string mine_ = testing::TempDir() + "tilewise-confinement-" + std::to_string(getpid());
  int open_file_ = -1;
};

TEST_F(Confinement, RefusesBothPartsWhatConcernsOthers) {
  const char* const file = mine_.c_str();
  const int fd = open_file_;
  struct Case {
    const char* what;
    std::function<bool()> succeeds;
  };
  const std::vector<Case> cases = {
      // Processes.
      {"to fork", [] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0; }},
      {"to become another program", [] { return execl("/bin/true", "true", nullptr) == 0; }},
      {"to signal its parent", [] { return kill(getppid(), 0) == 0; }},
      {"to signal all processes", [] { return kill(-1, 0) == 0; }},
      {"to signal its group", [] { return kill(0, 0) == 0; }},
      {"to signal a thread of its parent",
       [] { return syscall(SYS_tgkill, getppid(), getppid(), 0) == 0; }},
      {"to signal by a queue",
       [] {
         siginfo_t info = {};
         info.si_code = SI_QUEUE;
         return syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info) == 0;
       }},
      {"to hold a process", [] { return syscall(call_pidfd_open, getppid(), 0) >= 0; }},
      {"to have a file signal its parent", [=] { return fcntl(fd, F_SETOWN, getppid()) == 0; }},
      {"to choose that signal", [=] { return fcntl(fd, F_SETSIG, SIGKILL) == 0; }},
      {"to take a lease", [=] { return fcntl(fd, F_SETLEASE, F_WRLCK) == 0; }},
      {"to attach to a process", [] { return ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0; }},
      {"to be attached to", [] { return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0; }},
      {"to read its parent's memory",
       [] {
         char byte;
         iovec own{&byte, 1}, other{&byte, 1};
         return process_vm_readv(getppid(), &own, 1, &other, 1, 0) == 1;
       }},
      {"to write its parent's memory",
       [] {
         char byte = 0;
         iovec own{&byte, 1}, other{&byte, 1};
         return process_vm_writev(getppid(), &own, 1, &other, 1, 0) == 1;
       }},
      {"to slow its parent down", [] { return setpriority(PRIO_PROCESS, getppid(), 19) == 0; }},
      {"to move its parent",
       [] {
         cpu_set_t first;
         CPU_ZERO(&first);
         CPU_SET(0, &first);
         return sched_setaffinity(getppid(), sizeof first, &first) == 0;
       }},
      {"to schedule its parent",
       [] {
         const sched_param parameters = {};
         return sched_setscheduler(getppid(), SCHED_BATCH, &parameters) == 0;
       }},
      {"to limit its parent",
       [] {
         rlimit limit;
         return prlimit(getppid(), RLIMIT_CPU, nullptr, &limit) == 0;
       }},
      {"to raise a limit",
       [] {
         const rlimit limit{1024, 1024};
         return setrlimit(RLIMIT_NOFILE, &limit) == 0;
       }},
      {"to leave its group", [] { return setpgid(0, 0) == 0; }},
      {"to leave its session", [] { return setsid() >= 0; }},
      {"to be readable again", [] { return prctl(PR_SET_DUMPABLE, 1) == 0; }},
      {"to outlive its parent", [] { return prctl(PR_SET_PDEATHSIG, 0) == 0; }},
      // The network, and objects that outlive a process.
      {"to open a socket", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"to open a local socket", [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
      {"to pass on a descriptor",
       [=] {
         msghdr message = {};
         return sendmsg(fd, &message, 0) >= 0 || errno == ENOTSOCK;
       }},
      {"to make a message queue",
       [] { return syscall(SYS_mq_open, "tilewise", O_CREAT | O_RDWR, 0600, nullptr) >= 0; }},
      {"to make a System V queue", [] { return syscall(SYS_msgget, IPC_PRIVATE, 0600) >= 0; }},
      {"to make a semaphore", [] { return semget(IPC_PRIVATE, 1, 0600) >= 0; }},
      {"to make shared memory", [] { return shmget(IPC_PRIVATE, 4096, 0600) >= 0; }},
      {"to make a file in memory", [] { return memfd_create("x", 0) >= 0; }},
      {"to make secret memory", [] { return syscall(call_memfd_secret, 0) >= 0; }},
      {"to share memory with other programs",
       [] {
         void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return madvise(page, 4096, MADV_MERGEABLE) == 0;
       }},
      {"to start a thread in a namespace",
       [] { return syscall(SYS_clone, CLONE_THREAD | CLONE_NEWUTS, 0, 0, 0, 0) >= 0; }},
      {"to keep memory from being swapped", [] { return mlockall(MCL_CURRENT) == 0; }},
      {"to use a key ring", [] { return syscall(SYS_keyctl, 0, -3, 0, 0, 0) >= 0; }},
      {"to make a timer",
       [] {
         timer_t timer;
         return timer_create(CLOCK_REALTIME, nullptr, &timer) == 0;
       }},
      // Files.
      {"to open a file", [=] { return opens(file, O_RDONLY); }},
      {"to open a file for writing", [=] { return opens(file, O_RDWR); }},
      {"to create a file", [=] { return opens(std::string(file) + ".new", O_CREAT | O_WRONLY); }},
      {"to open a file in the newest way",
       [=] {
         open_how how = {};
         return syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof how) >= 0;
       }},
      {"to open its own memory", [] { return opens("/proc/self/mem", O_RDWR); }},
      {"to open a file by its handle",
       [] { return syscall(SYS_open_by_handle_at, AT_FDCWD, nullptr, 0) >= 0; }},
      {"to look at a file",
       [=] {
         struct stat status;
         return syscall(SYS_newfstatat, AT_FDCWD, file, &status, 0) == 0;
       }},
      {"to cut a file", [=] { return truncate(file, 0) == 0; }},
      {"to cut an open file", [=] { return ftruncate(fd, 0) == 0; }},
      {"to reserve room on a disk", [=] { return fallocate(fd, 0, 0, 1) == 0; }},
      {"to remove a file", [=] { return unlink(file) == 0; }},
      {"to rename a file", [=] { return rename(file, (std::string(file) + "x").c_str()) == 0; }},
      {"to link a file", [=] { return link(file, (std::string(file) + "x").c_str()) == 0; }},
      {"to open up a file", [=] { return chmod(file, 0666) == 0; }},
      {"to open up an open file", [=] { return fchmod(fd, 0666) == 0; }},
      {"to open up a file in the newest way",
       [=] { return syscall(call_fchmodat2, AT_FDCWD, file, 0666, 0) == 0; }},
      {"to give a file away", [=] { return chown(file, 0, 0) == 0; }},
      {"to date a file", [=] { return utimensat(AT_FDCWD, file, nullptr, 0) == 0; }},
      {"to mark a file", [=] { return lsetxattr(file, "user.tilewise", "x", 1, 0) == 0; }},
      {"to mark an open file", [=] { return fsetxattr(fd, "user.tilewise", "x", 1, 0) == 0; }},
      {"to unmark a file", [=] { return lremovexattr(file, "user.tilewise") == 0; }},
      {"to change a file's flags",
       [=] {
         int flags = 0;
         return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
       }},
      {"to type into a terminal", [] { return ioctl(0, TIOCSTI, "x") == 0; }},
      {"to lock a file", [=] { return lockf(fd, F_TLOCK, 0) == 0; }},
      {"to make a folder", [=] { return mkdir((std::string(file) + ".d").c_str(), 0700) == 0; }},
      {"to enter a folder", [] { return chdir("/") == 0; }},
      {"to change its root", [] { return chroot("/") == 0; }},
      {"to move a mount", [] { return syscall(call_move_mount, -1, "", -1, "", 0) == 0; }},
      {"to open a mount", [] { return syscall(call_open_tree, AT_FDCWD, "/", 0) >= 0; }},
      {"to watch files", [] { return syscall(SYS_inotify_init1, 0) >= 0; }},
      // Ways to do anything unseen.
      {"to make memory executable",
       [] {
         void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
       }},
      {"to map executable memory",
       [] {
         return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED;
       }},
      {"to queue system calls", [] { return syscall(SYS_io_uring_setup, 1, nullptr) >= 0; }},
      {"to load a program into the kernel", [] { return syscall(SYS_bpf, 0, nullptr, 0) >= 0; }},
      {"to watch the processor",
       [] { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0) >= 0; }},
      {"to handle page faults", [] { return syscall(SYS_userfaultfd, 0) >= 0; }},
      {"to leave a namespace", [] { return unshare(CLONE_NEWUSER) == 0; }},
      {"a call that there is not", [] { return syscall(1000) >= 0; }},
  };
  for (const auto& [what, succeeds] : cases) {
    EXPECT_EQ(errno_when(confine_host_part, succeeds), EPERM) << "the host part " << what;
    EXPECT_EQ(errno_when(as_device_part, succeeds), EPERM) << "the device part " << what;
  }
}

TEST_F(Confinement, RefusesTheDevicePartThreads) {
  EXPECT_EQ(errno_when(as_device_part,
                       [] {
                         pthread_t thread;
                         const auto nothing = [](void*) -> void* { return nullptr; };
                         errno = pthread_create(&thread, nullptr, nothing, nullptr);
                         return errno == 0;
                       }),
            EPERM);
}

TEST_F(Confinement, LeavesTheDevicePartOneProcessToSignal) {
  EXPECT_EQ(errno_when(as_device_part, [] { return kill(getpid(), SIGTERM) == 0; }), EPERM);
  EXPECT_EQ(errno_when(as_device_part,
                       [] {
                         signal(SIGXCPU, SIG_IGN);
                         return kill(getpid(), SIGXCPU) == 0;
                       }),
            0);
}

TEST_F(Confinement, LeavesWhatHostCodeNeeds) {
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
      {"more memory", [] { return std::vector<char>(std::size_t{300} << 20).size() > 0; }},
      {"time",
       [] {
         usleep(10);
         return std::time(nullptr) > 0 && std::clock() != clock_t(-1);
       }},
      {"printing", [] { return std::puts("printed") >= 0 && std::fflush(nullptr) == 0; }},
      {"processors", [] { return std::thread::hardware_concurrency() > 0; }},
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
  };
  for (const auto& [what, succeeds] : cases) {
    EXPECT_EQ(errno_when(confine_host_part, succeeds), 0) << what;
  }
}

TEST_F(Confinement, HoldsThreadsThatWereThereBefore) {
  const pid_t child = fork();
  if (child == 0) {
    int to_thread[2];
    if (pipe(to_thread) != 0) _exit(100);
    int error = 0;
    std::thread earlier([&] {
      char byte;
      if (read(to_thread[0], &byte, 1) == 1 && socket(AF_INET, SOCK_STREAM, 0) < 0) error = errno;
    });
    as_device_part();
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
