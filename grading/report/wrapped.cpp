#include "grading/report/wrapped.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace tilewise::grading {

std::size_t columns_of_standard_output() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return readable_width;
  return std::min<std::size_t>(size.ws_col, readable_width);
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  const std::size_t room = width > indent.size() ? width - indent.size() : 1;
  std::string lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (line.size() > room && !line.starts_with(' ')) {
      std::size_t at = line.rfind(' ', room);
      if (at == line.npos) at = line.find(' ');
      if (at == line.npos) break;
      lines += fmt::format("{}{}\n", indent, line.substr(0, at));
      line.remove_prefix(at + 1);
    }
    lines += line.empty() ? "\n" : fmt::format("{}{}\n", indent, line);
  }
  return lines;
}

}  // namespace tilewise::grading
