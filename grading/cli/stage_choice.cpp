#include "grading/cli/stage_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

std::string_view without_leading_zeros(std::string_view number) {
  return number.substr(std::min(number.find_first_not_of('0'), number.size()));
}

bool means(const std::string& word, const std::string& id) {
  const std::size_t underscore = id.find('_');
  const std::string_view number = std::string_view(id).substr(0, underscore);
  const std::string_view topic = std::string_view(id).substr(underscore + 1);
  const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  return word == id || word == topic ||
         (is_number && without_leading_zeros(word) == without_leading_zeros(number));
}

}  // namespace

std::vector<StageInfo> choose_stages(const std::vector<std::string>& words,
                                     const std::vector<StageInfo>& known) {
  if (words.empty()) return known;
  std::vector<StageInfo> chosen;
  for (const std::string& word : words) {
    const auto stage = std::ranges::find_if(
        known, [&](const StageInfo& candidate) { return means(word, candidate.id); });
    if (stage == known.end()) {
      std::vector<std::string> ids;
      std::ranges::transform(known, std::back_inserter(ids), &StageInfo::id);
      throw CannotGrade(fmt::format("there is no stage '{}'; the stages are: {}", printable(word),
                                    fmt::join(ids, ", ")));
    }
    if (std::ranges::find(chosen, stage->id, &StageInfo::id) == chosen.end()) {
      chosen.push_back(*stage);
    }
  }
  return chosen;
}

}  // namespace tilewise::grading
