#include "grading/examiner/process/secrets.hpp"

#include "common/process/process.hpp"

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace tilewise::grading {

void keep_secrets() {
#ifdef __linux__
  // A sanitizer looks for leaks by attaching itself to its process.
  const bool has_sanitizer = !can_limit_address_space;
  if (!has_sanitizer) prctl(PR_SET_DUMPABLE, 0);
#endif
}

}  // namespace tilewise::grading
