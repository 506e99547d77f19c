#include "grading/coverage/gcov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "common/process/command.hpp"
#include "grading/builder/programs.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// The compiler's own file: behind "c++" and links, "/usr/bin/x86_64-linux-gnu-g++-12".
fs::path file_of(const std::vector<std::string>& compiler) {
  // In "ccache g++ -m64" it is neither the first word nor an option.
  const auto last = std::find_if(compiler.rbegin(), compiler.rend(),
                                 [](const std::string& word) { return !word.starts_with('-'); });
  if (last == compiler.rend()) return {};
  const fs::path found = find_program(*last);
  return found.empty() ? found : fs::canonical(found);
}

/// What the compiler's counterpart is called.
std::string beside(const fs::path& compiler, bool clang) {
  std::string name = compiler.filename();
  if (clang) return "llvm-cov";
  constexpr std::string_view gnu = "g++";
  const std::size_t at = name.find(gnu);
  return at == name.npos ? "gcov" : name.replace(at, gnu.size(), "gcov");
}

}  // namespace

std::vector<std::string> gcov_command(const std::vector<std::string>& compiler) {
  const bool clang = is_clang(compiler);
  const fs::path file = file_of(compiler);
  const std::string name = beside(file, clang);
  const std::string usual = clang ? "llvm-cov" : "gcov";
  for (const std::string& program : {(file.parent_path() / name).string(), name, usual}) {
    if (find_program(program).empty()) continue;
    return clang ? std::vector<std::string>{program, "gcov"} : std::vector<std::string>{program};
  }
  throw std::runtime_error(fmt::format(
      "{} is not found, which reads what was counted; install the package {}", usual,
      clang ? "llvm, of the version of your clang" : "gcc, of the version of your g++"));
}

void add_counts(const std::vector<std::string>& gcov, const CountedSource& counted,
                LineCounts& counts) {
  // gcov quotes the source, or leaves its lines out.
  const fs::path folder = counted.object.parent_path(), copy = folder / counted.name;
  fs::create_directories(copy.parent_path());
  fs::copy_file(counted.source, copy, fs::copy_options::overwrite_existing);

  Command command;
  command.arguments = gcov;
  // Not of the system's headers.
  command.arguments.emplace_back("--relative-only");
  command.arguments.push_back(counted.object.string() + ".gcda");
  command.working_directory = folder;
  const CommandResult result = run_command(std::move(command));
  std::ifstream file(folder / (copy.filename().string() + ".gcov"), std::ios::binary);
  if (!result.succeeded() || !file) {
    throw std::runtime_error(fmt::format("{} {} and has no counts of {}: {}", gcov.front(),
                                         describe_ending(result), counted.name, result.output));
  }
  const std::string listing{std::istreambuf_iterator<char>(file), {}};
  add_gcov_listing(listing, counts);
}

}  // namespace tilewise::grading
