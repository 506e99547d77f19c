// Exploit: opens files and mounts by the calls that a list of refused ones forgets
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  constexpr long open_tree = 428, move_mount = 429, memfd_secret = 447;
  struct {
    struct file_handle head;
    char bytes[128];
  } handle;
  handle.head.handle_bytes = sizeof handle.bytes;
  int mount = 0;
  if (name_to_handle_at(AT_FDCWD, "/", &handle.head, &mount, 0) == 0) exit(42);
  if (open_by_handle_at(AT_FDCWD, &handle.head, O_RDONLY) >= 0) exit(42);
  if (syscall(open_tree, AT_FDCWD, "/", 1) >= 0) exit(42);
  if (syscall(move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/mnt", 0) == 0) exit(42);
  if (syscall(memfd_secret, 0) >= 0) exit(42);
  if (open("/etc/passwd", O_RDONLY) >= 0) exit(42);
  return cudaSuccess;
}
