// A submission whose static constructor misbehaves, in the way it is compiled for.
#include <signal.h>
#include <stdlib.h>

#include "grading/worker/binding.hpp"

cudaError_t refuse() { return cudaErrorInvalidValue; }

namespace {

volatile bool always = true;

const int at_load = [] {
#if defined(EXIT_ON_LOAD)
  exit(0);
#elif defined(LOOP_ON_LOAD)
  while (always) {
  }
#elif defined(CRASH_ON_LOAD)
  raise(SIGSEGV);
#endif
  return always ? 1 : 0;
}();

}  // namespace

#ifndef WITHOUT_BINDINGS
TILEWISE_BINDINGS(TILEWISE_BIND(refuse))
#endif
