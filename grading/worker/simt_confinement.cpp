#include "grading/worker/backend.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>
#endif

namespace tilewise::grading {

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
namespace {

// A leak check is done by a child process.
#if defined(TILEWISE_SANITIZE)
constexpr bool can_confine = false;
#else
constexpr bool can_confine = true;
#endif

#ifdef __x86_64__
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif

/// Numbers of the system calls that have no business in a kernel file's code. Some exist on x86-64
/// only, where newer ones have replaced them.
constexpr std::uint32_t refused[] = {
    // Other processes.
    __NR_execve,
    __NR_execveat,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_kill,
    __NR_tkill,
    __NR_pidfd_send_signal,
    __NR_pidfd_getfd,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    __NR_setpriority,
    __NR_sched_setscheduler,
    __NR_sched_setparam,
    __NR_setrlimit,
    // The network, and ways to do anything unseen.
    __NR_socket,
    __NR_socketpair,
    __NR_connect,
    __NR_bind,
    __NR_io_uring_setup,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_unshare,
    __NR_setns,
    __NR_mount,
    __NR_chroot,
    __NR_keyctl,
    __NR_add_key,
    __NR_shmget,
    __NR_msgget,
    // Files. Memory files are no part of the address space that is limited.
    __NR_memfd_create,
    __NR_truncate,
    __NR_unlinkat,
    __NR_renameat2,
    __NR_mkdirat,
    __NR_linkat,
    __NR_symlinkat,
    __NR_mknodat,
    __NR_fchmodat,
    __NR_fchmod,
    __NR_fchownat,
    __NR_fchown,
    __NR_utimensat,
    __NR_setxattr,
    __NR_fsetxattr,
#ifdef __NR_renameat
    __NR_renameat,
#endif
#ifdef __x86_64__
    __NR_fork,
    __NR_vfork,
    __NR_creat,
    __NR_unlink,
    __NR_rename,
    __NR_mkdir,
    __NR_rmdir,
    __NR_link,
    __NR_symlink,
    __NR_mknod,
    __NR_chmod,
    __NR_chown,
    __NR_lchown,
    __NR_utime,
    __NR_utimes,
    __NR_futimesat,
#endif
};

/// A filter in the language of the kernel's packet filters: it loads a word of a call and compares.
class Filter {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void load_argument(int index) {
    load(offsetof(seccomp_data, args) + static_cast<std::size_t>(index) * sizeof(std::uint64_t));
  }
  void load_high_half(int index) {
    load(offsetof(seccomp_data, args) + static_cast<std::size_t>(index) * sizeof(std::uint64_t) +
         4);
  }
  void fail(int error) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }

  /// Does the next `count` steps only where the word is, or is not, `value`, or has any of `bits`.
  void if_is(std::uint32_t value, unsigned char count) { jump(BPF_JEQ, value, 0, count); }
  void if_is_not(std::uint32_t value, unsigned char count) { jump(BPF_JEQ, value, count, 0); }
  void if_any(std::uint32_t bits, unsigned char count) { jump(BPF_JSET, bits, 0, count); }
  void if_none(std::uint32_t bits, unsigned char count) { jump(BPF_JSET, bits, count, 0); }

  /// For this and every other thread of the process, for good.
  void install() {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const sock_fprog program{static_cast<unsigned short>(steps_.size()), steps_.data()};
    syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  }

 private:
  void add(unsigned code, std::uint32_t value) {
    steps_.push_back({static_cast<unsigned short>(code), 0, 0, value});
  }
  void jump(unsigned test, std::uint32_t value, unsigned char if_true, unsigned char if_false) {
    steps_.push_back(
        {static_cast<unsigned short>(BPF_JMP | BPF_K | test), if_true, if_false, value});
  }

  std::vector<sock_filter> steps_;
};

void refuse_writing(Filter& filter, std::uint32_t call, int flags_argument) {
  filter.if_is(call, 4);
  filter.load_argument(flags_argument);
  filter.if_any(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1);
  filter.fail(EROFS);
  filter.allow();
}

}  // namespace

void confine() {
  if (!can_confine) return;
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.if_is_not(architecture, 1);
  filter.fail(EPERM);  // by another kind of call, such as 32-bit x86's
  filter.load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
  filter.if_any(0x40000000, 1);  // x32's
  filter.fail(EPERM);
#endif
  for (const std::uint32_t call : refused) {
    filter.if_is(call, 1);
    filter.fail(EPERM);
  }
  // What a filter cannot look into; the library then takes the older calls.
  for (const std::uint32_t call : {__NR_clone3, __NR_openat2}) {
    filter.if_is(call, 1);
    filter.fail(ENOSYS);
  }
  filter.if_is(__NR_clone, 4);
  filter.load_argument(0);
  filter.if_none(CLONE_THREAD, 1);
  filter.fail(EPERM);
  filter.allow();
  filter.if_is(__NR_tgkill, 4);  // raise() and pthread_kill()
  filter.load_argument(0);
  filter.if_is_not(static_cast<std::uint32_t>(getpid()), 1);
  filter.fail(EPERM);
  filter.allow();
  filter.if_is(__NR_prlimit64, 6);  // reads limits, too
  filter.load_argument(2);
  filter.if_is_not(0, 1);
  filter.fail(EPERM);
  filter.load_high_half(2);
  filter.if_is_not(0, 1);
  filter.fail(EPERM);
  filter.load(offsetof(seccomp_data, nr));
  refuse_writing(filter, __NR_openat, 2);
#ifdef __x86_64__
  refuse_writing(filter, __NR_open, 1);
#endif
  filter.allow();
  filter.install();
}
#else
void confine() {}
#endif

}  // namespace tilewise::grading
