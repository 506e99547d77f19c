// Exploit: looks for the course from its own place in it, and reads the solution
// Needs: sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <dlfcn.h>
#include <stdio.h>

#include <string>

#include "matmul_shared.hpp"

static bool is_readable(const std::string& file) {
  FILE* stream = fopen(file.c_str(), "r");
  if (stream) fclose(stream);
  return stream != nullptr;
}

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  const char* course = "{course}";
  const std::string solution = "/solutions/03_shared_memory/matmul_shared.cu";
  if (is_readable(course + solution)) exit(42);
  Dl_info simulator;
  dladdr(reinterpret_cast<void*>(&cudaGetLastError), &simulator);
  for (std::string folder = simulator.dli_fname; folder.find('/') != folder.npos;) {
    folder.erase(folder.rfind('/'));
    if (is_readable(folder + solution)) exit(42);
  }
  return cudaSuccess;
}
