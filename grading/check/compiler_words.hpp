#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// What stands behind `lab check` and its own options, taken apart: options of the compiler as nvcc
/// takes them, the files, and the program's arguments.
struct CompilerWords {
  std::vector<std::filesystem::path> sources;  ///< .cu, .cpp, ...
  std::vector<std::string> linked;             ///< .o, .a and .so files, -l and -L, in their order
  std::vector<std::filesystem::path> include_folders;  ///< -I and -isystem
  std::vector<std::string> preprocess;  ///< -D, -U and -include, as the host's compiler takes them
  std::vector<std::string> compile;     ///< -std, -O and what goes to the host's compiler
  bool all_are_cuda = false;            ///< -x cu
  bool only_compiles = false;           ///< -c
  bool makes_module = false;            ///< -cubin or -fatbin: for the driver's cuModuleLoad()
  std::filesystem::path output;         ///< -o; empty: none
  std::filesystem::path depfile;        ///< -MF: which files were read, for make; empty: none
  std::vector<std::string> arguments;   ///< of the program
  bool has_dashes = false;              ///< a -- stands between the files and the arguments
};

/// Files end in what nvcc takes for one; the first word that neither does so nor is an option
/// begins the program's arguments, and so does --. Options behind the first file are the program's.
/// @throws CannotGrade naming an option that nvcc does not know, or that lacks its value
CompilerWords read_compiler_words(const std::vector<std::string>& words);

/// Whether a word names a file to compile or to link, by its ending.
bool is_program_file(std::string_view word);

/// Whether the word behind an option of nvcc is its value, as in `-I include`.
bool takes_next_word(std::string_view option);

}  // namespace tilewise::grading
