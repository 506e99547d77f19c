#include "grading/worker/cuda_confinement.hpp"

#ifdef TILEWISE_HAVE_SECCOMP
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#endif

namespace tilewise::grading {

// The CUDA driver opens devices for writing and talks to services, so that most calls stay allowed.
// But once its context is there it starts no process. One of a submission's would outlive its
// worker, compute what nobody counts, or keep the GPU busy while the reference solution is timed.
void confine_cuda_worker() {
#ifdef TILEWISE_HAVE_SECCOMP
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) return;
  const auto self = static_cast<scmp_datum_t>(getpid());
  // The driver's threads, which are there already.
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  for (const int call :
       {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace),
        SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_send_signal),
        SCMP_SYS(pidfd_getfd), SCMP_SYS(tkill), SCMP_SYS(setns), SCMP_SYS(unshare)}) {
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                   SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // Its flags lie in memory, where no filter sees them; the C library then takes clone().
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) {
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 1, SCMP_A0(SCMP_CMP_NE, self));
  }
  seccomp_load(filter);
  seccomp_release(filter);
#endif
}

}  // namespace tilewise::grading
