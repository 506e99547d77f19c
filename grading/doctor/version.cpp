#include "grading/doctor/version.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace tilewise::grading {

std::string version_in(std::string_view text) {
  static const std::regex number(R"(\d+(\.\d+)+)");
  std::cmatch match;
  const bool found = std::regex_search(text.data(), text.data() + text.size(), match, number);
  return found ? match.str() : "";
}

std::vector<int> parts_of(std::string_view version) {
  std::vector<int> parts;
  while (!version.empty()) {
    const std::size_t dot = std::min(version.find('.'), version.size());
    parts.push_back(std::atoi(std::string(version.substr(0, dot)).c_str()));
    version.remove_prefix(std::min(dot + 1, version.size()));
  }
  return parts;
}

}  // namespace tilewise::grading
