#include "grading/worker/backend.hpp"

namespace tilewise::grading {

// The CUDA driver opens devices for writing, talks to services and may start processes.
void confine() {}

}  // namespace tilewise::grading
