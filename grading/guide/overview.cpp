#include "grading/guide/overview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grading/guide/handout.hpp"
#include "grading/guide/points.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

std::string welcome(const StageInfo& first) {
  return fmt::format(R"(Welcome to Tilewise: CUDA matrix kernels, tile by tile.

Nothing is done yet. Begin so:
  1. read   labs/{0}/README.md: what to write, and what it is for
  2. edit   labs/{0}/{1}, where it says TODO(lab)
  3. run    ./lab watch: grades it each time you save, with keys for hints and the next stage
     or     ./lab grade {0}: grades it once

New to it?  docs/first-hour.md goes through stage 1 with you, in a quarter of an hour
Stuck?      ./lab hint
Your GPU?   none is needed: a simulator runs the kernels
All commands: ./lab help
)",
                     first.id, first.sources.front());
}

/// What went wrong last, as one line; empty if nothing did.
std::string last_failure(const StageInfo& stage, const StageProgress& progress) {
  if (!progress.last_failure) return "";
  const Failure& failure = *progress.last_failure;
  std::string place;
  if (!failure.file.empty() && failure.line > 0) {
    place = fmt::format(", labs/{}/{}:{}", stage.id, failure.file, failure.line);
  }
  return fmt::format("  failed  {}{}\n", printable(failure.test), printable(place));
}

}  // namespace

std::string after_the_course() {
  return "Every stage has passed: the course is done. Congratulations!\n"
         "What next?\n"
         "  ./lab bench     your kernels, the solutions and a library side by side, over sizes\n"
         "  ./lab report    a laboratory report on them, to fill in and print\n"
         "  a GPU           with the CUDA Toolkit: ./lab grade --backend cuda, and what the "
         "files\n"
         "                  leave for \"further on\"\n"
         "  ./lab status    your points and your best rates\n";
}

std::string progress_bar(const std::vector<StageInfo>& course, const Progress& progress,
                         std::size_t width) {
  const auto passed = static_cast<std::size_t>(count_passed(progress, course));
  const std::string label = fmt::format(" {} of {} stages", passed, course.size());
  const std::size_t room = width > label.size() + 2 ? width - label.size() - 2 : 0;
  if (room < course.size()) return label.substr(1);
  const std::size_t filled = room * passed / course.size();
  return fmt::format("[{:#<{}}{:-<{}}]{}", "", filled, "", room - filled, label);
}

std::string overview(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                     const Progress& progress) {
  if (progress.current.empty() && progress.stages.empty()) return welcome(course.front());
  const StageInfo& stage = current_stage(progress, course);
  const Points sum = points_of(progress, course);
  constexpr std::size_t bar_width = 60;
  std::string text =
      fmt::format("Tilewise  {}, {} of {} points\n\n", progress_bar(course, progress, bar_width),
                  sum.score, sum.max_score);
  if (count_passed(progress, course) == static_cast<int>(course.size())) {
    return text + after_the_course();
  }
  const StageProgress known = progress_of(progress, stage.id);
  const Points points = points_of(progress, stage);
  const std::string title = summary_of_handout(root, stage.id).title;
  text += fmt::format("You are at {} ({} of {} points)\n", title.empty() ? stage.id : title,
                      points.score, points.max_score);
  if (known.status == Status::passed) {
    return text + fmt::format(
                      "  passed; go on with  ./lab next\n"
                      "  what the solution does differently: solutions/{}/NOTES.md\n",
                      stage.id);
  }
  text += last_failure(stage, known);
  text += fmt::format("  read    labs/{}/README.md\n", stage.id);
  for (const std::string& source : stage.sources) {
    text += fmt::format("  edit    labs/{}/{}\n", stage.id, source);
  }
  text += fmt::format("  run     ./lab watch, or ./lab grade {}\n", stage.id);
  return text + "  stuck?  ./lab hint\n\nAll stages: ./lab status    All commands: ./lab help\n";
}

}  // namespace tilewise::grading
