#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// The words after `lab check` and its own options: compiler options in nvcc's form, the files, and
/// the program's arguments.
struct CompilerWords {
  std::vector<std::filesystem::path> sources;  ///< .cu, .cpp, ...
  std::vector<std::string> linked;             ///< .o, .a and .so files, -l and -L, in order
  std::vector<std::filesystem::path> include_folders;  ///< -I and -isystem
  std::vector<std::string> preprocess;  ///< -D, -U and -include, in the host compiler's form
  std::vector<std::string> compile;     ///< -std, -O and options for the host's compiler
  bool all_are_cuda = false;            ///< -x cu
  bool only_compiles = false;           ///< -c
  bool makes_module = false;            ///< -cubin or -fatbin: for the driver's cuModuleLoad()
  std::filesystem::path output;         ///< -o; empty: none
  /// -MF: file that lists the files read, for make; empty: none.
  std::filesystem::path depfile;
  std::vector<std::string> arguments;  ///< the program's arguments
  bool has_dashes = false;             ///< a -- stands between the files and the arguments
};

/// Reads the words. A file is recognised by an ending that nvcc accepts. The first word that is
/// neither a file nor an option begins the program's arguments, and so does --. Options after the
/// first file are the program's.
/// @throws CannotGrade naming an option that nvcc does not know, or that lacks its value
CompilerWords read_compiler_words(const std::vector<std::string>& words);

/// Whether the ending of a word makes it a file to compile or to link.
bool is_program_file(std::string_view word);

/// Whether the word after an option of nvcc is its value, as in `-I include`.
bool takes_next_word(std::string_view option);

}  // namespace tilewise::grading
