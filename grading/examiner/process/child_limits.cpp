#include "grading/examiner/process/child_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <csignal>
#endif

namespace tilewise::grading {
namespace {

/// @param last_words how much more there is for a handler of the signal that tells of the limit
template <class Resource>
void limit(Resource resource, rlim_t value, rlim_t last_words = 0) {
  rlimit current;
  if (getrlimit(resource, &current) != 0) return;
  if (current.rlim_max != RLIM_INFINITY && current.rlim_max < value) return;  // stricter already
  const rlimit wanted = {value, value + last_words};
  setrlimit(resource, &wanted);
}

}  // namespace

void apply_child_limits(const ChildLimits& limits) {
  constexpr rlim_t open_files = 1024;  // the CUDA driver opens a few dozen for each GPU
  if (limits.address_space_bytes > 0) limit(RLIMIT_AS, limits.address_space_bytes);
  if (limits.cpu_s > 0) limit(RLIMIT_CPU, limits.cpu_s, 1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, largest_file_bytes);
  limit(RLIMIT_NOFILE, open_files);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // an examiner that is killed leaves no endless loop behind
#endif
}

void close_descriptors_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  const long highest = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < highest; ++fd) close(fd);
}

}  // namespace tilewise::grading
