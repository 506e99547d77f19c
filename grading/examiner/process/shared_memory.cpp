#include "grading/examiner/process/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace tilewise::grading {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

#ifdef __linux__

int create(std::size_t bytes) {
  const int fd = memfd_create("tilewise", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) fail("cannot create shared memory");
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    fail("cannot size shared memory");
  }
  return fd;
}

#else

int create(std::size_t bytes) {
  const std::string name = "/tilewise-" + std::to_string(getpid());
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) fail("cannot create shared memory");
  shm_unlink(name.c_str());
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    fail("cannot size shared memory");
  }
  return fd;
}

#endif

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);  // a mapping of nothing is an error
  fd_ = FileDescriptor(create(bytes));
  void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (address == MAP_FAILED) fail("cannot map shared memory");
  bytes_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::~SharedMemory() { munmap(bytes_.data(), bytes_.size()); }

}  // namespace tilewise::grading
