#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/results/result.hpp"

/// Shows whose kernels are fastest, among those who want to be shown.
namespace tilewise::grading {

/// Returns the name under which a student wants to be on the leaderboard of a stage: the text after
/// "// leaderboard:", on a line of its own in a kernel file. Empty if the student does not want to
/// be shown.
std::string name_on_leaderboard(std::string_view source);

/// The result that a student who wants to be shown has reached in a stage.
struct Entrant {
  std::string name;
  StageResult stage;
};

/// The places by one rate of one test.
struct Leaderboard {
  std::string stage;        ///< "03_shared_memory"
  std::string test;         ///< "MatmulShared.ReachesMinimumGflops"
  std::string measurement;  ///< "gflops"
  struct Place {
    int rank = 1;  ///< students with the same rate share it
    std::string name;
    double value = 0;
    bool operator==(const Place&) const = default;
  };
  std::vector<Place> places;  ///< the fastest first
};

/// Returns the boards in the order of stages and tests. Only students who have passed all of a
/// stage have a place, because a kernel with a race may well be fast. Hidden tests have no board.
std::vector<Leaderboard> leaderboards_of(const std::vector<Entrant>& entrants);

/// Prints the boards of a graded cohort, and writes them as a page unless `page` is empty.
/// @param graded  the folder that was --out of lab cohort grade
/// @throws CannotGrade if nothing was graded there, or its files were damaged
void show_leaderboard(const std::filesystem::path& graded, const std::filesystem::path& page);

}  // namespace tilewise::grading
