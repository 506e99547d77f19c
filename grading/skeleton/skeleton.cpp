#include "grading/skeleton/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tilewise::grading {
namespace {

/// The offset behind the literal whose opening quote is at `begin`; a literal ends with its line at
/// the latest.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i < text.size() && text[i] == quote ? i + 1 : i;
}

}  // namespace

int count_code_lines(std::string_view text) {
  int lines = 0;
  bool line_has_code = false;
  bool in_comment = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      line_has_code = false;
      ++i;
    } else if (in_comment) {
      in_comment = text.substr(i, 2) != "*/";
      i += in_comment ? 1 : 2;
    } else if (text.substr(i, 2) == "/*") {
      in_comment = true;
      i += 2;
    } else if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
      ++i;
    } else {
      lines += !line_has_code;
      line_has_code = true;
      i = text[i] == '"' ? end_of_literal(text, i) : i + 1;
    }
  }
  return lines;
}

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view marker_start = "// lab:";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes the next line, with its line ending, off the text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end == text.npos ? text.size() : end + 1);
  text.remove_prefix(line.size());
  return line;
}

/// Reads a solution line by line and writes its skeleton.
class Writer {
 public:
  Skeleton run(std::string_view solution) && {
    while (!solution.empty()) {
      ++line_;
      add(take_line(solution));
    }
    if (in_block_) error(block_.first_line, "'// lab: begin' without a '// lab: end' after it");
    if (!any_block_ && skeleton_.errors.empty()) {
      error(1,
            "nothing is marked with '// lab: begin <what to write>' and '// lab: end', so that "
            "the skeleton would be the solution");
    }
    return std::move(skeleton_);
  }

 private:
  /// The marked block that is being read.
  struct Block {
    int first_line = 0;
    std::string_view indentation, task, line_ending;
    std::string dropped;
  };

  void add(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.starts_with(marker_start)) {
      add_marker(line, trimmed(content.substr(marker_start.size())));
      return;
    }
    if (content.find(marker_start) != content.npos) {
      error(line_, "a marker must have a line of its own");
    }
    (in_block_ ? block_.dropped : skeleton_.text) += line;
  }

  void add_marker(std::string_view line, std::string_view marker) {
    constexpr std::string_view begin = "begin";
    if (marker == "end") {
      end_block();
    } else if (marker == begin || marker.starts_with(std::string(begin) + " ")) {
      begin_block(line, trimmed(marker.substr(begin.size())));
    } else {
      error(line_, fmt::format("unknown marker '// lab: {}', expected 'begin <what to write>' or "
                               "'end'",
                               marker));
    }
  }

  void begin_block(std::string_view line, std::string_view task) {
    if (task.empty()) error(line_, "'// lab: begin' must say what to write");
    if (in_block_) {
      error(line_,
            fmt::format("a marked block inside the one that begins on line {}", block_.first_line));
    }
    block_ = {line_, line.substr(0, line.find(marker_start)), task,
              line.substr(line.find_last_not_of("\r\n") + 1), ""};
    in_block_ = any_block_ = true;
  }

  void end_block() {
    if (!in_block_) {
      error(line_, "'// lab: end' without a '// lab: begin' before it");
      return;
    }
    const int lines = count_code_lines(block_.dropped);
    skeleton_.text += fmt::format("{}// TODO(lab): {} ({} {}){}", block_.indentation, block_.task,
                                  lines, lines == 1 ? "line" : "lines", block_.line_ending);
    in_block_ = false;
  }

  void error(int line, std::string message) {
    skeleton_.errors.push_back({line, std::move(message)});
  }

  Skeleton skeleton_;
  Block block_;
  bool in_block_ = false;
  bool any_block_ = false;
  int line_ = 0;
};

}  // namespace

Skeleton skeleton_of(std::string_view solution) { return Writer().run(solution); }

std::set<int> given_lines(std::string_view source, std::string_view skeleton) {
  std::map<std::string_view, std::vector<int>> places;  // where each line occurs in the source
  for (int line = 1; !source.empty(); ++line) places[trimmed(take_line(source))].push_back(line);
  std::map<std::string_view, std::size_t> given;
  while (!skeleton.empty()) ++given[trimmed(take_line(skeleton))];
  std::set<int> lines;
  for (const auto& [words, times] : given) {
    const auto here = places.find(words);
    if (here == places.end() || here->second.size() != times) continue;
    lines.insert(here->second.begin(), here->second.end());
  }
  return lines;
}

namespace {

namespace fs = std::filesystem;

/// The .cu files in the subfolders of `folder`, as NN_topic/name.cu, sorted.
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
      std::error_code ignored;  // write() then fails and is reported
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
