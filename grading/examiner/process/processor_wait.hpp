#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>

namespace tilewise::grading {

/// How long a process has been ready to run while others had the processors: of its threads, the
/// one that has waited longest since it started. Zero where the system does not tell.
std::chrono::nanoseconds waited_for_processor(pid_t process);

/// Threads of a process; 0 where the system does not tell.
std::size_t threads_of(pid_t process);

/// How long a process would have run so far had it had all the processors that it may use, and kept
/// them busy: its processor time, of all threads, by the number of those. What it spends on more
/// threads than there are processors it has not waited for others.
std::chrono::nanoseconds ran_on_all_processors(pid_t process);

}  // namespace tilewise::grading
