#pragma once

#include <sys/types.h>

namespace tilewise::grading {

/// From here on this process, and every thread of it, can do what host code of a submission needs:
/// use memory, threads and clocks, and read and write what is open. All else the system refuses
/// with EPERM. For good. On processors other than x86-64 and arm64, and where sanitizers are on,
/// nothing is refused.
void confine_host_part();

/// From here on this process can do what running kernels and answering the examiner needs: use the
/// threads that it has, memory that is not executable, and what is open; and send a signal to the
/// host part or wait for its end.
void confine_device_part(pid_t host);

}  // namespace tilewise::grading
