#include "grading/progress/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tilewise::grading {

StageProgress progress_of(const Progress& progress, const std::string& stage) {
  const auto found = progress.stages.find(stage);
  return found == progress.stages.end() ? StageProgress{} : found->second;
}

bool has_passed(const Progress& progress, const std::string& stage) {
  return progress_of(progress, stage).status == Status::passed;
}

const StageInfo& current_stage(const Progress& progress, const std::vector<StageInfo>& course) {
  auto stage = std::ranges::find(course, progress.current, &StageInfo::id);
  if (stage != course.end()) return *stage;
  stage = std::ranges::find_if(
      course, [&](const StageInfo& candidate) { return !has_passed(progress, candidate.id); });
  return stage != course.end() ? *stage : course.back();
}

const StageInfo* next_stage(const Progress& progress, const std::vector<StageInfo>& course,
                            const std::string& from) {
  const auto at = std::ranges::find(course, from, &StageInfo::id) - course.begin();
  const auto count = static_cast<std::ptrdiff_t>(course.size());
  for (std::ptrdiff_t step = 1; step <= count; ++step) {
    const StageInfo& candidate = course[static_cast<std::size_t>((at + step) % count)];
    if (candidate.id != from && !has_passed(progress, candidate.id)) return &candidate;
  }
  return nullptr;
}

std::string key_of(const Failure& failure) {
  std::string words = failure.message;
  std::erase_if(words, [](unsigned char c) { return !std::isalpha(c); });
  return fmt::format("{} {}:{} {}", failure.test, failure.file, failure.line, words.substr(0, 60));
}

}  // namespace tilewise::grading
