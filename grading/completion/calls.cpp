#include "grading/completion/calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grading/completion/quoting.hpp"

namespace tilewise::grading {
namespace {

std::string words(const std::vector<std::string>& calls) {
  return shell_word(fmt::format("{}", fmt::join(calls, " ")));
}

}  // namespace

std::vector<std::string> names_of_stage(const std::string& id) {
  const std::size_t underscore = id.find('_');
  const std::string number = id.substr(0, underscore);
  std::vector<std::string> names = {id, id.substr(underscore + 1), number};
  if (number.starts_with('0')) names.push_back(number.substr(1));
  return names;
}

std::string calls_by_stage(const Vocabulary& names) {
  std::string cases;
  std::vector<std::string> all;
  for (const auto& [stage, calls] : names.calls) {
    cases +=
        fmt::format("    {}) echo {} ;;\n", fmt::join(names_of_stage(stage), " | "), words(calls));
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return fmt::format("_lab_calls() {{\n  case $1 in\n{}    *) echo {} ;;\n  esac\n}}\n", cases,
                     words(all));
}

}  // namespace tilewise::grading
