#include "grading/check/split_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "common/base/language.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

namespace {

/// The version of LLVM for which the pass was built; 0: there is no pass.
constexpr int version_of_pass = TILEWISE_SPLIT_LLVM;

bool loads_the_pass(const std::vector<std::string>& compiler) {
  return !find_program(compiler.front()).empty() && is_clang(compiler) &&
         clang_version(compiler) == version_of_pass;
}

}  // namespace

std::optional<SplitTools> split_tools() {
  const fs::path pass = layout().build / "lib" / "tilewise-split.so";
  if (version_of_pass == 0 || !fs::exists(pass)) return std::nullopt;
  std::vector<std::vector<std::string>> compilers = {cxx_compiler()};
  const char* const asked_for = std::getenv("CXX");
  if (asked_for == nullptr || *asked_for == '\0') {
    compilers.push_back({fmt::format("clang++-{}", version_of_pass)});
    compilers.push_back({"clang++"});
  }
  for (const std::vector<std::string>& compiler : compilers) {
    if (loads_the_pass(compiler)) return SplitTools{compiler, pass};
  }
  return std::nullopt;
}

std::vector<SplitNote> read_split_report(const fs::path& report) {
  std::vector<SplitNote> kernels;
  std::set<std::string> known;  // two files may include the same kernel
  std::ifstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos || !known.insert(line).second) continue;
    kernels.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return kernels;
}

std::string in_words(const std::vector<SplitNote>& kernels) {
  const auto split = std::ranges::count_if(
      kernels, [](const SplitNote& kernel) { return kernel.why_not.empty(); });
  std::string text =
      "tilewise: " + tr("{} of {} kernels are split at their barriers\n", split, kernels.size());
  for (const SplitNote& kernel : kernels) {
    if (kernel.why_not.empty()) continue;
    text += "tilewise: " + tr("{} is not: {}\n", kernel.kernel, kernel.why_not);
  }
  return text;
}

}  // namespace tilewise::grading
