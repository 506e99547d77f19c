#include "common/base/test/matches.hpp"

#include <regex>

namespace tilewise::core {

std::vector<std::vector<std::string>> matches_of(const std::string& text,
                                                 const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::vector<std::string>> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
       ++match) {
    found.emplace_back(match->begin(), match->end());
  }
  return found;
}

}  // namespace tilewise::core
