#include "grading/skeleton/repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "grading/skeleton/skeleton.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// The .cu files one folder below `folder`, as NN_topic/name.cu, sorted.
std::set<fs::path> kernel_files(const fs::path& folder) {
  std::set<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& topic : fs::directory_iterator(folder)) {
    if (!topic.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(topic)) {
      if (file.path().extension() == ".cu") files.insert(file.path().lexically_relative(folder));
    }
  }
  return files;
}

std::optional<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return std::nullopt;
  return text;
}

bool write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return file.good();
}

enum class Mode { check, write };

class Comparison {
 public:
  Comparison(fs::path root, Mode mode) : root_(std::move(root)), mode_(mode) {}

  SkeletonReport run() && {
    const std::set<fs::path> solutions = kernel_files(root_ / "solutions");
    const std::set<fs::path> skeletons = kernel_files(root_ / "labs");
    for (const fs::path& file : solutions) compare(file);
    for (const fs::path& file : skeletons) {
      if (solutions.contains(file)) continue;
      report_.differences.push_back(fmt::format("labs/{0}: has no solutions/{0}", file.string()));
    }
    return std::move(report_);
  }

 private:
  void compare(const fs::path& file) {
    const std::optional<std::string> solution = read(root_ / "solutions" / file);
    if (!solution) {
      report_.errors.push_back(fmt::format("solutions/{}: cannot be read", file.string()));
      return;
    }
    const Skeleton skeleton = skeleton_of(*solution);
    for (const MarkerError& error : skeleton.errors) {
      report_.errors.push_back(
          fmt::format("solutions/{}:{}: {}", file.string(), error.line, error.message));
    }
    if (!skeleton.errors.empty()) return;

    const fs::path target = root_ / "labs" / file;
    const std::optional<std::string> present = read(target);
    if (present == skeleton.text) return;
    if (mode_ == Mode::write) {
      std::error_code ignored;  // writing reports whatever went wrong
      fs::create_directories(target.parent_path(), ignored);
      if (!write(target, skeleton.text)) {
        report_.errors.push_back(fmt::format("labs/{}: cannot be written", file.string()));
        return;
      }
    }
    report_.differences.push_back(present ? first_difference(file, *present, skeleton.text)
                                          : fmt::format("labs/{}: missing", file.string()));
  }

  static std::string first_difference(const fs::path& file, const std::string& present,
                                      const std::string& expected) {
    const auto [at, _] = std::ranges::mismatch(present, expected);
    const auto line = 1 + std::count(present.begin(), at, '\n');
    return fmt::format("labs/{}:{}: differs from what the solution gives", file.string(), line);
  }

  fs::path root_;
  Mode mode_;
  SkeletonReport report_;
};

}  // namespace

SkeletonReport check_skeletons(const fs::path& root) { return Comparison(root, Mode::check).run(); }

SkeletonReport write_skeletons(const fs::path& root) { return Comparison(root, Mode::write).run(); }

}  // namespace tilewise::grading
