#include "grading/skeleton/skeleton.hpp"

#include <fmt/format.h>

#include <utility>

#include "grading/skeleton/code_lines.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view marker_start = "// lab:";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The next line with its ending, which is taken off the text.
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

}  // namespace tilewise::grading
