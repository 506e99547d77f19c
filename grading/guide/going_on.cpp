#include "grading/guide/going_on.hpp"

#include <fmt/format.h>

#include "grading/guide/handout.hpp"
#include "grading/guide/overview.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {

std::string introduction(const std::filesystem::path& root, const StageInfo& stage) {
  const HandoutSummary handout = summary_of_handout(root, stage.id);
  std::string text = handout.title.empty() ? stage.id : handout.title;
  text += "\n\n";
  if (!handout.goal.empty()) text += handout.goal + "\n\n";
  text += fmt::format("  read  labs/{}/README.md\n", stage.id);
  for (const std::string& source : stage.sources) {
    text += fmt::format("  edit  labs/{}/{}\n", stage.id, source);
  }
  return text;
}

std::string go_on(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                  Progress& progress) {
  const StageInfo& current = current_stage(progress, course);
  const bool passed = has_passed(progress, current.id);
  const StageInfo* next = next_stage(progress, course, current.id);
  if (!next && passed) return after_the_course();
  if (!next) {
    return fmt::format("{} is the only stage that has not passed yet; ./lab hint helps with it.\n",
                       current.id);
  }
  std::string text;
  if (!passed) {
    text = fmt::format("{} has not passed yet; ./lab watch {} returns to it.\n\n", current.id,
                       current.id);
  }
  progress.current = next->id;
  return text + introduction(root, *next);
}

}  // namespace tilewise::grading
