#include "grading/worker/simt_host_process.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#endif

namespace tilewise::grading {

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
namespace {

// Sanitizers check for leaks in a child process.
#if defined(TILEWISE_SANITIZE)
constexpr bool can_confine = false;
#else
constexpr bool can_confine = true;
#endif

/// The filter tests for these calls first, since they are made all the time.
constexpr int frequent[] = {SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(futex), SCMP_SYS(mprotect)};

/// The calls that the C and C++ libraries need for memory, time, threads and open files, and that
/// affect this process alone. The number of a call that the processor does not have has no effect.
constexpr int harmless[] = {
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pread64),
    SCMP_SYS(pwrite64),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(times),
    SCMP_SYS(getrusage),
    SCMP_SYS(getrandom),
    SCMP_SYS(getcpu),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrlimit),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(pause),
    SCMP_SYS(ppoll),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

/// A list of allowed calls. A call that is not on it fails with EPERM.
class Filter {
 public:
  Filter() : filter_(seccomp_init(SCMP_ACT_ERRNO(EPERM))) {
    if (filter_ == nullptr) return;
    seccomp_attr_set(filter_, SCMP_FLTATR_CTL_TSYNC, 1);
    for (const int call : frequent) seccomp_syscall_priority(filter_, call, UINT8_MAX);
    for (const int call : harmless) allow(call);
    allow_memory();
    const auto self = static_cast<scmp_datum_t>(getpid());
    allow(SCMP_SYS(tgkill), {SCMP_A0(SCMP_CMP_EQ, self)});  // for raise() and pthread_kill()
    allow(SCMP_SYS(prlimit64), {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0)});  // reading
    // Newer libraries implement fstat() by this call, with an empty path.
    constexpr scmp_datum_t of_descriptor = 0x1000;  // AT_EMPTY_PATH
    allow(SCMP_SYS(newfstatat), {SCMP_A3(SCMP_CMP_MASKED_EQ, of_descriptor, of_descriptor)});
  }
  ~Filter() { seccomp_release(filter_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void allow(int call, std::initializer_list<scmp_arg_cmp> where = {}) {
    if (filter_ == nullptr) return;
    seccomp_rule_add_array(filter_, SCMP_ACT_ALLOW, call, static_cast<unsigned>(where.size()),
                           where.begin());
  }

  /// Allows threads, but no processes and no namespaces.
  void allow_threads() {
    constexpr scmp_datum_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    allow(SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | namespaces, CLONE_THREAD)});
    // A filter cannot see the flags that clone3() is given. On ENOSYS the library uses clone().
    seccomp_rule_add(filter_, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  }

  /// Installs the filter for every thread of the process. It cannot be removed.
  void install() {
    if (filter_ != nullptr) seccomp_load(filter_);
  }

 private:
  /// Allows memory that neither is executable nor becomes so, and the advice that libraries give
  /// about this process's own pages.
  void allow_memory() {
    for (const int advice :
         {MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE}) {
      allow(SCMP_SYS(madvise), {SCMP_A2(SCMP_CMP_EQ, static_cast<scmp_datum_t>(advice))});
    }
    for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
      allow(call, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    }
  }

  scmp_filter_ctx filter_;
};

}  // namespace

void confine_host_part() {
  if (!can_confine) return;
  Filter filter;
  filter.allow_threads();
  filter.install();
}

void confine_device_part(pid_t host) {
  if (!can_confine) return;
  Filter filter;
  const auto id = static_cast<scmp_datum_t>(host);
  filter.allow(SCMP_SYS(kill), {SCMP_A0(SCMP_CMP_EQ, id), SCMP_A1(SCMP_CMP_EQ, SIGXCPU)});
  filter.allow(SCMP_SYS(wait4), {SCMP_A0(SCMP_CMP_EQ, id)});
  // These two calls talk to the examiner.
  filter.allow(SCMP_SYS(recvfrom));
  filter.allow(SCMP_SYS(sendto), {SCMP_A4(SCMP_CMP_EQ, 0)});
  filter.install();
}
#else
void confine_host_part() {}

void confine_device_part(pid_t) {}
#endif

}  // namespace tilewise::grading
