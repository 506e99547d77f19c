#include <random>

#include "tools/app/commands.hpp"

namespace tilewise::grading {

std::uint64_t random_seed() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>()(device);
}

}  // namespace tilewise::grading
