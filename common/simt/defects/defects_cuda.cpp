// Runs one kernel of the suite on a GPU, for compute-sanitizer to watch.
//
//   defects_cuda --list    one line each: name, kind, marked lines; from the repository's root
//   defects_cuda NAME
#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <string>

#include "common/simt/defects/defect.hpp"

namespace {

using namespace tilewise::defects;

void list() {
  for (const Defect& defect : all_defects()) {
    std::printf("%s\t%s\t", defect.name, defect.kind);
    const MarkedLines marked = marked_lines(defect);
    for (const int line : marked.fault) std::printf("%d ", line);
    for (const int line : marked.other_side) std::printf("%d ", line);
    std::printf("\n");
  }
}

int run(const std::string& name) {
  for (const Defect& defect : all_defects()) {
    if (name != defect.name) continue;
    defect.run();
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s: %s\n", defect.name, cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
  }
  std::fprintf(stderr, "defects_cuda: no case is called %s; --list names them\n", name.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: defects_cuda --list | NAME\n");
    return 2;
  }
  if (std::string(argv[1]) != "--list") return run(argv[1]);
  list();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "defects_cuda: %s\n", error.what());
  return 2;
}
