#pragma once

#include <sys/types.h>

#include <chrono>

namespace tilewise::grading {

/// How long a process has been ready to run while others had the processors: of its threads, the
/// one that has waited longest since it started. Zero where the system does not tell.
std::chrono::nanoseconds waited_for_processor(pid_t process);

}  // namespace tilewise::grading
