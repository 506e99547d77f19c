// tilewise-whole-copies CLANG ARGUMENT... -c SOURCE -o OBJECT compiles as clang does, but keeps
// copies of small objects whole (whole_copies.hpp). It is put in front of the compiler as ccache
// is, for submissions and for builds that run kernels in the checked build. With the argument
// -DTILEWISE_RETURN_THUNKS, which clang 14 itself ignores, functions return by way of
// __x86_return_thunk, as newer clangs do it for -mfunction-return=thunk-extern.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/simt/whole_copies/whole_copies.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;

using Arguments = std::vector<std::string>;

/// Runs a command. Returns its exit status; 2 if there is none.
int run(Arguments arguments) {
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ)) {
    std::cerr << "cannot start " << arguments[0] << ": " << std::strerror(error) << '\n';
    return 2;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 2;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/// Removes arguments about reading a source, which would make the second step write the
/// dependencies anew.
Arguments without_preprocessing(const Arguments& arguments) {
  Arguments rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-MD" || word == "-MMD" || word == "-MP") continue;
    if (word == "-MF" || word == "-MT" || word == "-MQ" || word == "-include") {
      ++i;
      continue;
    }
    rest.push_back(word);
  }
  return rest;
}

bool rewrite(const fs::path& file, std::string (*rewritten)(std::string_view)) {
  std::ifstream before(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(before), {});
  std::ofstream after(file, std::ios::binary);
  after << rewritten(text) << std::flush;
  if (before && after) return true;
  std::cerr << "cannot rewrite " << file << '\n';
  return false;
}

/// @param arguments those for compiling to an object file
int compile_by_way_of_assembly(Arguments arguments) {
  const auto output = std::ranges::find(arguments, "-o") + 1;
  const std::string object = *output;
  const fs::path assembly = fs::path(object).replace_extension(".s");
  *output = assembly;
  *std::ranges::find(arguments, "-c") = "-S";
  int status = run(arguments);
  if (status == 0 && !rewrite(assembly, tilewise::simt::with_return_thunks)) status = 2;
  if (status == 0) status = run({arguments[0], "-c", assembly, "-o", object});
  std::error_code ignored;
  fs::remove(assembly, ignored);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments(argv + 1, argv + argc);
  const bool has_return_thunks =
      std::ranges::find(arguments, "-DTILEWISE_RETURN_THUNKS") != arguments.end();
  const auto compile = std::ranges::find(arguments, "-c");
  const auto output = std::ranges::find(arguments, "-o");
  const bool has_files = arguments.end() - compile > 1 && arguments.end() - output > 1;
  if (arguments.empty() || !has_files) {
    std::cerr << "usage: tilewise-whole-copies CLANG ARGUMENT... -c SOURCE -o OBJECT\n";
    return 2;
  }
  if (std::ranges::find(arguments, "-fsanitize=thread") == arguments.end()) return run(arguments);
  const fs::path llvm_text = fs::path(output[1]).replace_extension(".ll");

  Arguments to_text = arguments;
  *std::ranges::find(to_text, "-c") = "-S";
  *(std::ranges::find(to_text, "-o") + 1) = llvm_text;
  for (const char* word : {"-emit-llvm", "-Xclang", "-disable-llvm-passes"}) {
    to_text.emplace_back(word);
  }
  int status = run(to_text);
  if (status == 0 && !rewrite(llvm_text, tilewise::simt::with_whole_copies)) status = 2;
  if (status == 0) {
    Arguments to_object = without_preprocessing(arguments);
    const auto source = std::ranges::find(to_object, "-c") + 1;
    *source = llvm_text;
    to_object.insert(source - 1, {"-x", "ir", "-Wno-unused-command-line-argument"});
    status = has_return_thunks ? compile_by_way_of_assembly(to_object) : run(to_object);
  }
  std::error_code ignored;
  fs::remove(llvm_text, ignored);
  return status;
}
