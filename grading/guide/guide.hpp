#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// What the beginning of a stage's handout says, as plain text. Empty where it lacks that.
struct HandoutSummary {
  std::string title;  ///< "Stage 3: tiles in shared memory"
  std::string goal;   ///< the first paragraph below "## Goal", one line
};

/// @param root  of the course
HandoutSummary summary_of_handout(const std::filesystem::path& root, const std::string& stage);

/// The first section of a stage's NOTES.md, a paragraph or an item of a list a line; empty where
/// there is none.
std::string first_notes(const std::filesystem::path& root, const std::string& stage);

/// Markdown without the marks of links, code and emphasis: "[a](b), `c` and **d**" is "a, c and d".
std::string without_markup(std::string_view markdown);

struct Points {
  int score = 0, max_score = 0;
};

/// Points of one stage, and of the whole course; a stage that was not graded yet is worth what the
/// rubric gives each stage.
Points points_of(const Progress& progress, const StageInfo& stage);
Points points_of(const Progress& progress, const std::vector<StageInfo>& course);

/// How many stages have passed.
int count_passed(const Progress& progress, const std::vector<StageInfo>& course);

/// What `lab` alone says: where the learner is and what to do next, in at most 15 lines; a welcome
/// where nothing was done yet.
/// @param root  of the course
std::string overview(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                     const Progress& progress);

/// What there is after the last stage.
std::string after_the_course();

/// "[=====>----]  3 of 9 stages": how much of the course has passed, in about `width` columns.
std::string progress_bar(const std::vector<StageInfo>& course, const Progress& progress,
                         std::size_t width);

/// What a stage is about and how to begin: its title, its goal, and the files to read and to edit.
/// @param root  of the course
std::string introduction(const std::filesystem::path& root, const StageInfo& stage);

/// Makes the next stage that has not passed the current one, and introduces it. Says so where the
/// one before has not passed; after the last one congratulates.
std::string go_on(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                  Progress& progress);

/// What `lab status` says: points, status and best rates of each stage, and the total.
std::string status_table(const std::vector<StageInfo>& course, const Progress& progress);

/// "passed", "failed", "does not compile" or "not graded yet".
std::string status_word(const StageProgress& stage);

/// What became of a file of a stage.
struct ResetFile {
  std::string file;    ///< "labs/03_shared_memory/matmul_shared.cu"
  std::string backup;  ///< where it was kept; empty: it was the skeleton already, or not there
  bool written = false;
};

/// Writes the skeletons of a stage, as its solutions give them, over the student's files. What
/// these held is kept beside each, in FILE.backup-YYYYMMDD-HHMMSS.
/// @param root  of the course
/// @throws CannotGrade where a file cannot be read or written; nothing is lost then
std::vector<ResetFile> reset_stage(const std::filesystem::path& root, const StageInfo& stage,
                                   std::time_t when);

}  // namespace tilewise::grading
