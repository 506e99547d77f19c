#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// How much room there is, and whether for colours.
struct Canvas {
  std::size_t columns = 80, rows = 24;
  bool colours = false;
};

/// A grading, compactly: how many tests passed, those that did not, and the first of them in full.
std::string result_view(const StageResult& stage, const std::string& device, const Canvas& canvas);

/// What a stage that has passed is followed by.
struct Passed {
  std::string differences;  ///< as compare_with_solution() gives them
  std::string notes;        ///< the beginning of the solution's notes, a paragraph a line
  std::string next;         ///< the stage that comes next; empty after the last one
};

/// A grading that passed: praise, the solution beside, and what comes next.
std::string passed_view(const StageResult& stage, const StageInfo& info, const Passed& passed,
                        const Canvas& canvas);

/// The screen: a stage's name and files, `body`, and at the bottom the progress of the course and
/// the keys.
std::string screen(const StageInfo& stage, const std::string& body,
                   const std::vector<StageInfo>& course, const Progress& progress,
                   const Canvas& canvas);

}  // namespace tilewise::grading
