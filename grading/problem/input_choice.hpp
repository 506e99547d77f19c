#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewise::grading {

/// What matrices hold.
struct InputChoice {
  enum class Kind {
    random,
    linear,  ///< A counts up from 0, B down from n * n - 1, as course2025 has it
    files,   ///< .npy
  };
  Kind kind = Kind::random;
  std::uint64_t seed = 0;                ///< of random ones
  std::filesystem::path A = {}, B = {};  ///< files
  int order = 0;                         ///< of the matrices in the files; 0: any
};

/// "random", "linear" or "A.npy,B.npy".
/// @throws std::runtime_error saying what is wrong, also with the files
InputChoice read_input_choice(const std::string& text, std::uint64_t seed);

/// "random, seed 17".
std::string describe(const InputChoice& choice);

}  // namespace tilewise::grading
