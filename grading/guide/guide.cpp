#include "grading/guide/guide.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/cli/submission.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/rates.hpp"
#include "grading/skeleton/skeleton.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// The path of a text of the course: its translation into the language in use, if there is one.
std::string shown(const fs::path& root, const fs::path& english) {
  return core::text_in_language(root / english).lexically_relative(root).string();
}

std::string shown_handout(const fs::path& root, const std::string& stage) {
  return shown(root, fs::path("labs") / stage / "README.md");
}

/// Takes the next paragraph off the text, up to a blank line or a heading, and joins its lines.
std::string paragraph(std::string_view& text) {
  std::string joined;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty() && joined.empty()) continue;
    if (line.empty() || line.starts_with('#')) break;
    joined += joined.empty() ? "" : " ";
    joined += line;
  }
  return joined;
}

}  // namespace

std::string without_markup(std::string_view markdown) {
  std::string text =
      std::regex_replace(std::string(markdown), std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1");
  std::erase(text, '`');
  return std::regex_replace(text, std::regex(R"(\*\*)"), "");
}

HandoutSummary summary_of_handout(const fs::path& root, const std::string& stage) {
  const std::string page = text_of(core::text_in_language(root / "labs" / stage / "README.md"));
  HandoutSummary summary;
  std::string_view rest = page;
  while (!rest.empty() && summary.goal.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("# ") && summary.title.empty()) {
      summary.title = without_markup(line.substr(2));
    } else if (core::is_heading(line, marked("Goal"))) {
      summary.goal = without_markup(paragraph(rest));
    }
  }
  return summary;
}

std::string first_notes(const fs::path& root, const std::string& stage) {
  const std::string page = text_of(root / "solutions" / stage / "NOTES.md");
  std::string_view rest = page;
  while (!rest.empty() && !rest.starts_with("## ")) take_line(rest);
  take_line(rest);
  std::string notes;
  while (!rest.empty() && !rest.starts_with('#')) {
    const std::string_view line = take_line(rest);
    if (line.empty()) continue;
    notes += without_markup(line) + "\n";
  }
  return notes;
}

Points points_of(const Progress& progress, const StageInfo& stage) {
  const StageProgress known = progress_of(progress, stage.id);
  if (!known.status) return {0, stage.points};
  return {std::max(known.best_score, known.score), known.max_score};
}

Points points_of(const Progress& progress, const std::vector<StageInfo>& course) {
  Points sum;
  for (const StageInfo& stage : course) {
    const Points points = points_of(progress, stage);
    sum.score += points.score;
    sum.max_score += points.max_score;
  }
  return sum;
}

int count_passed(const Progress& progress, const std::vector<StageInfo>& course) {
  return static_cast<int>(std::ranges::count_if(
      course, [&](const StageInfo& stage) { return has_passed(progress, stage.id); }));
}

namespace {

std::string welcome(const fs::path& root, const StageInfo& first) {
  return tr(R"(Welcome to Tilewise: CUDA matrix kernels, tile by tile.

Nothing is done yet. Begin so:
  1. read   {2}: what to write, and what it is for
  2. edit   labs/{0}/{1}, where it says TODO(lab)
  3. run    ./lab watch: grades it each time you save, with keys for hints and the next stage
     or     ./lab grade {0}: grades it once

New to it?  {3} goes through stage 1 with you, in a quarter of an hour
Stuck?      ./lab hint
Your GPU?   none is needed: a simulator runs the kernels
All commands: ./lab help
)",
            first.id, first.sources.front(), shown_handout(root, first.id),
            shown(root, "docs/first-hour.md"));
}

/// The last failure as one line; empty if there was none.
std::string last_failure(const StageInfo& stage, const StageProgress& progress) {
  if (!progress.last_failure) return "";
  const Failure& failure = *progress.last_failure;
  std::string place;
  if (!failure.finding.file.empty() && failure.finding.line > 0) {
    place = fmt::format(", labs/{}/{}:{}", stage.id, failure.finding.file, failure.finding.line);
  }
  return tr("  failed  {}{}\n", printable(failure.test), printable(place));
}

}  // namespace

std::string after_the_course() {
  return tr(
      "Every stage has passed: the course is done. Congratulations!\n"
      "What next?\n"
      "  ./lab bench     your kernels, the solutions and a library side by side, over sizes\n"
      "  ./lab report    a laboratory report on them, to fill in and print\n"
      "  a GPU           with the CUDA Toolkit: ./lab grade --backend cuda, and what the "
      "files\n"
      "                  leave for \"further on\"\n"
      "  ./lab status    your points and your best rates\n");
}

std::string progress_bar(const std::vector<StageInfo>& course, const Progress& progress,
                         std::size_t width) {
  const auto passed = static_cast<std::size_t>(count_passed(progress, course));
  const std::string label = tr(" {} of {} stages", passed, course.size());
  const std::size_t room = width > label.size() + 2 ? width - label.size() - 2 : 0;
  if (room < course.size()) return label.substr(1);
  const std::size_t filled = room * passed / course.size();
  return fmt::format("[{:#<{}}{:-<{}}]{}", "", filled, "", room - filled, label);
}

std::string overview(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                     const Progress& progress) {
  if (progress.current.empty() && progress.stages.empty()) return welcome(root, course.front());
  const StageInfo& stage = current_stage(progress, course);
  const Points sum = points_of(progress, course);
  constexpr std::size_t bar_width = 60;
  std::string text = tr("Tilewise  {}, {} of {} points\n\n",
                        progress_bar(course, progress, bar_width), sum.score, sum.max_score);
  if (count_passed(progress, course) == static_cast<int>(course.size())) {
    return text + after_the_course();
  }
  const StageProgress known = progress_of(progress, stage.id);
  const Points points = points_of(progress, stage);
  const std::string title = summary_of_handout(root, stage.id).title;
  text += tr("You are at {} ({} of {} points)\n", title.empty() ? stage.id : title, points.score,
             points.max_score);
  if (known.status == Status::passed) {
    return text + tr("  passed; go on with  ./lab next\n"
                     "  what the solution does differently: solutions/{}/NOTES.md\n",
                     stage.id);
  }
  if (has_passed(progress, stage.id)) {
    text += tr("  passed, which stands; the latest try has {} of {} points\n", known.score,
               known.max_score);
  }
  text += last_failure(stage, known);
  text += tr("  read    {}\n", shown_handout(root, stage.id));
  for (const std::string& source : stage.sources) {
    text += tr("  edit    labs/{}/{}\n", stage.id, source);
  }
  text += tr("  run     ./lab watch, or ./lab grade {}\n", stage.id);
  return text +
         tr("  stuck?  ./lab hint\n\nAll stages: ./lab status    All commands: ./lab help\n");
}

std::string introduction(const std::filesystem::path& root, const StageInfo& stage) {
  const HandoutSummary handout = summary_of_handout(root, stage.id);
  std::string text = handout.title.empty() ? stage.id : handout.title;
  text += "\n\n";
  if (!handout.goal.empty()) text += handout.goal + "\n\n";
  text += tr("  read  {}\n", shown_handout(root, stage.id));
  for (const std::string& source : stage.sources) {
    text += tr("  edit  labs/{}/{}\n", stage.id, source);
  }
  return text;
}

std::string go_on(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                  Progress& progress) {
  const StageInfo& current = current_stage(progress, course);
  const StageInfo* next = next_stage(progress, course, current.id);
  if (!next && has_passed(progress, current.id)) return after_the_course();
  if (!next) {
    return tr("{} is the only stage that has not passed yet; ./lab hint helps with it.\n",
              current.id);
  }
  std::string text;
  for (const StageInfo& stage : course) {
    const bool was_tried = progress_of(progress, stage.id).status.has_value();
    const bool is_left = stage.id == current.id || was_tried;
    if (stage.id == next->id || !is_left || has_passed(progress, stage.id)) continue;
    text += tr("{0} has not passed yet; ./lab watch {0} returns to it.\n", stage.id);
  }
  if (!text.empty()) text += "\n";
  progress.current = next->id;
  return text + introduction(root, *next);
}

namespace {

/// The best rate on each device, as "994.0 GFLOPS on gtx1080 (modelled)".
std::vector<std::string> best_rates(const StageProgress& stage) {
  std::vector<std::string> lines;
  for (const auto& [device, by_test] : stage.best) {
    const auto best =
        std::ranges::max_element(by_test, {}, [](const auto& entry) { return entry.second.value; });
    if (best == by_test.end()) continue;
    const Rate& rate = best->second;
    lines.push_back(
        tr("{} {} on {}", significant(rate.value), unit_of(rate.unit), printable(device)));
  }
  return lines;
}

}  // namespace

std::string status_word(const StageProgress& stage) {
  if (!stage.status) return tr("not graded yet");
  const bool was_better = stage.best_score > stage.score || !stage.first_passed.empty();
  if (stage.status != Status::passed && was_better) {
    return stage.first_passed.empty() ? tr("failed, now {}", stage.score)
                                      : tr("passed, now {}", stage.score);
  }
  return *stage.status == Status::error ? tr("no verdict") : in_words(*stage.status);
}

std::string status_table(const std::vector<StageInfo>& course, const Progress& progress) {
  std::size_t width = tr("Stage").size();
  for (const StageInfo& stage : course) width = std::max(width, stage.id.size());
  const auto row = [&](std::string_view mark, std::string_view name, std::string_view points,
                       std::string_view status, std::string_view best) {
    std::string line =
        fmt::format("{:1} {:<{}}  {:>7}  {:<14}  {}", mark, name, width, points, status, best);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  const auto score = [](const Points& points) {
    return fmt::format("{}/{}", points.score, points.max_score);
  };

  std::string table = row("", tr("Stage"), tr("Points"), tr("Status"), tr("Best so far"));
  const StageInfo& current = current_stage(progress, course);
  for (const StageInfo& stage : course) {
    const StageProgress known = progress_of(progress, stage.id);
    const std::vector<std::string> best = best_rates(known);
    table += row(stage.id == current.id ? ">" : "", stage.id, score(points_of(progress, stage)),
                 status_word(known), best.empty() ? "" : best.front());
    for (std::size_t i = 1; i < best.size(); ++i) table += row("", "", "", "", best[i]);
  }
  table += row("", tr("Total"), score(points_of(progress, course)),
               tr("{} of {} passed", count_passed(progress, course), course.size()), "");
  return table;
}

namespace {

namespace fs = std::filesystem;

std::string skeleton_from(const fs::path& solution) {
  const Skeleton skeleton = skeleton_of(text_of(solution));
  if (!skeleton.errors.empty()) {
    throw CannotGrade(fmt::format("{}: {}", printable(solution.string()),
                                  fs::exists(solution)
                                      ? skeleton.errors.front().message
                                      : tr("is missing; this course is incomplete")));
  }
  return skeleton.text;
}

/// Copies a file to a name that no other backup has.
fs::path keep(const fs::path& file, std::time_t when) {
  const std::string name =
      fmt::format("{}.backup-{:%Y%m%d-%H%M%S}", file.string(), fmt::localtime(when));
  fs::path backup = name;
  for (int number = 2; fs::exists(fs::symlink_status(backup)); ++number) {
    backup = fmt::format("{}-{}", name, number);
  }
  std::error_code error;
  if (!fs::copy_file(file, backup, error)) {
    throw CannotGrade(tr("cannot keep {} as {}: {}; it was left as it is", printable(file.string()),
                         printable(backup.string()), error.message()));
  }
  return backup;
}

}  // namespace

std::vector<ResetFile> reset_stage(const fs::path& root, const StageInfo& stage, std::time_t when) {
  std::vector<ResetFile> files;
  for (const std::string& source : stage.sources) {
    const fs::path place = fs::path("labs") / stage.id / source;
    const std::string skeleton = skeleton_from(root / "solutions" / stage.id / source);
    ResetFile& file = files.emplace_back(ResetFile{place.string(), "", false});
    const bool exists = fs::exists(root / place);
    if (exists && text_of(root / place) == skeleton) continue;
    if (exists) file.backup = keep(root / place, when).lexically_relative(root).string();
    write_whole(root / place, skeleton);
    file.written = true;
  }
  return files;
}

}  // namespace tilewise::grading
