// Exploit: changes attributes, flags and modes of files, which is no writing
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  const char* const file = "{submission}/labs/03_shared_memory/matmul_shared.cu";
  constexpr long fchmodat2 = 452;
  if (lsetxattr(file, "user.tilewise", "x", 1, 0) == 0) exit(42);
  if (syscall(fchmodat2, AT_FDCWD, file, 0666, 0) == 0) exit(42);
  const int opened = open(file, O_RDONLY);
  if (opened >= 0) exit(42);
  int flags = FS_NODUMP_FL;
  if (ioctl(opened, FS_IOC_SETFLAGS, &flags) == 0) exit(42);
  return cudaSuccess;
}
