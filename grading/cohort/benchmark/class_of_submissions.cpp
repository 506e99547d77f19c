#include "grading/cohort/benchmark/class_of_submissions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

constexpr const char* stage = "03_shared_memory";
constexpr const char* kernel = "matmul_shared.cu";

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void run(std::vector<std::string> arguments, const fs::path& folder) {
  Command command;
  command.arguments = std::move(arguments);
  command.working_directory = folder;
  const CommandResult result = run_command(command);
  if (result.succeeded()) return;
  throw std::runtime_error(
      fmt::format("{} {}: {}", command.arguments.front(), describe_ending(result), result.output));
}

std::vector<fs::path> sorted(const fs::path& folder) {
  std::vector<fs::path> items;
  for (const fs::path& item : fs::directory_iterator(folder)) items.push_back(item);
  std::ranges::sort(items);
  return items;
}

std::string solution() { return text_of(layout().root / "solutions" / stage / kernel); }

std::vector<std::string> right_kernels() {
  std::vector<std::string> kernels = {solution()};
  for (const fs::path& style : sorted(layout().root / "grading" / "stages" / stage / "others")) {
    kernels.push_back(text_of(style / kernel));
  }
  return kernels;
}

std::string patched(const fs::path& patch) {
  const ScratchDirectory scratch;
  put(scratch.path() / kernel, solution());
  run({"patch", "--strip=1", "--batch", "--input=" + patch.string()}, scratch.path());
  return text_of(scratch.path() / kernel);
}

/// Returns mutants and exploits in turn, as long as there are both, together with a skeleton and a
/// kernel that does not compile.
std::vector<std::string> wrong_kernels() {
  const fs::path grading = layout().root / "grading";
  const std::vector<fs::path> mutants = sorted(grading / "stages" / stage / "mistakes");
  const std::vector<fs::path> exploits = sorted(grading / "attacks" / stage);
  std::vector<std::string> kernels = {text_of(layout().root / "labs" / stage / kernel),
                                      "cudaError_t matmul_shared(\n"};
  for (std::size_t i = 0; i < std::max(mutants.size(), exploits.size()); ++i) {
    if (i < mutants.size()) kernels.push_back(patched(mutants[i]));
    if (i < exploits.size()) kernels.push_back(text_of(exploits[i]));
  }
  return kernels;
}

/// Returns the kernel as if another student had written it.
std::string by_another_hand(const std::string& text, int student) {
  const std::string renamed =
      std::regex_replace(text, std::regex("\\bsum\\b"), fmt::format("sum_{}", student));
  return renamed + fmt::format("\n// Student {}\n", student);
}

std::string name_of(int student) { return fmt::format("student_{:03}", student); }

void hand_in(const fs::path& folder, int student, const std::string& text) {
  const std::string place = fmt::format("labs/{}/{}", stage, kernel);
  switch (student / 2 % 3) {
    case 0:
      put(folder / name_of(student) / place, text);
      break;
    case 1:
      write_zip(folder / (name_of(student) + ".zip"),
                {{"tilewise-main/" + place, text}, {"tilewise-main/README.md", "Mine\n"}});
      break;
    default:
      const ScratchDirectory origin;
      put(origin.path() / place, text);
      run({"git", "init", "--quiet"}, origin.path());
      run({"git", "add", "."}, origin.path());
      run({"git", "-c", "user.name=" + name_of(student), "-c", "user.email=student@example.org",
           "commit", "--quiet", "--message=Stage 3"},
          origin.path());
      run({"git", "clone", "--quiet", origin.path(), folder / name_of(student)}, folder);
  }
}

void hand_in_nothing(const fs::path& folder, int student) {
  fs::create_directories(folder / name_of(student) / "labs");
}

void hand_in_damage(const fs::path& folder, int student) {
  const fs::path file = folder / (name_of(student) + ".zip");
  write_zip(file, {{fmt::format("labs/{}/{}", stage, kernel), solution()}});
  fs::resize_file(file, fs::file_size(file) / 2);
}

}  // namespace

void write_class(const fs::path& folder, int submissions) {
  const std::vector<std::string> right = right_kernels(), wrong = wrong_kernels();
  fs::create_directories(folder);
  for (int student = 0; student < submissions; ++student) {
    const auto turn = static_cast<std::size_t>(student / 2);
    constexpr std::size_t every = 16;  // two of this many broken ones are not even text
    if (student % 2 == 0) {
      hand_in(folder, student, by_another_hand(right[turn % right.size()], student));
    } else if (turn % every == 5) {
      hand_in_nothing(folder, student);
    } else if (turn % every == 6) {
      hand_in_damage(folder, student);
    } else {
      hand_in(folder, student, by_another_hand(wrong[turn % wrong.size()], student));
    }
  }
}

}  // namespace tilewise::grading
