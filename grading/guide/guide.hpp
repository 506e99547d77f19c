#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// The beginning of a stage's handout as plain text; a member is empty if the handout lacks that
/// part.
struct HandoutSummary {
  std::string title;  ///< "Stage 3: tiles in shared memory"
  std::string goal;   ///< the first paragraph below "## Goal", as one line
};

/// @param root  of the course
HandoutSummary summary_of_handout(const std::filesystem::path& root, const std::string& stage);

/// The first section of a stage's NOTES.md, with one line for each paragraph and each item of a
/// list; empty if there is none.
std::string first_notes(const std::filesystem::path& root, const std::string& stage);

/// Removes Markdown's marks of links, code and emphasis: "[a](b), `c` and **d**" becomes "a, c and
/// d".
std::string without_markup(std::string_view markdown);

struct Points {
  int score = 0, max_score = 0;
};

/// The points of one stage, and of the whole course. A stage that was not graded yet counts with
/// the maximum that the rubric gives it.
Points points_of(const Progress& progress, const StageInfo& stage);
Points points_of(const Progress& progress, const std::vector<StageInfo>& course);

/// The number of stages that have passed.
int count_passed(const Progress& progress, const std::vector<StageInfo>& course);

/// The text that `lab` alone prints: where the learner is and what to do next, in at most 15 lines;
/// a welcome if nothing was done yet.
/// @param root  of the course
std::string overview(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                     const Progress& progress);

/// The text that is shown after the last stage.
std::string after_the_course();

/// A bar such as "[=====>----]  3 of 9 stages", about `width` columns wide, that shows how much of
/// the course has passed.
std::string progress_bar(const std::vector<StageInfo>& course, const Progress& progress,
                         std::size_t width);

/// Introduces a stage: its title, its goal, and the files to read and to edit.
/// @param root  of the course
std::string introduction(const std::filesystem::path& root, const StageInfo& stage);

/// Makes the next stage that has not passed the current one, and introduces it. Says so if the
/// previous one has not passed; congratulates after the last one.
std::string go_on(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                  Progress& progress);

/// The text that `lab status` prints: points, status and best rates of each stage, and the total.
std::string status_table(const std::vector<StageInfo>& course, const Progress& progress);

/// "passed", "failed", "does not compile" or "not graded yet".
std::string status_word(const StageProgress& stage);

/// What happened to one file of a stage.
struct ResetFile {
  std::string file;    ///< "labs/03_shared_memory/matmul_shared.cu"
  std::string backup;  ///< where the old file was kept; empty if it was already the skeleton, or
                       ///< was missing
  bool written = false;
};

/// Writes the skeletons that a stage's solutions yield over the student's files. The old text of
/// each file is kept beside it, in FILE.backup-YYYYMMDD-HHMMSS.
/// @param root  of the course
/// @throws CannotGrade if a file cannot be read or written; nothing is lost then
std::vector<ResetFile> reset_stage(const std::filesystem::path& root, const StageInfo& stage,
                                   std::time_t when);

}  // namespace tilewise::grading
