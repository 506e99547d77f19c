#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/results/result.hpp"

/// Whose kernels are fastest, of those who want to be shown.
namespace tilewise::grading {

/// What a student who wants to be on the leaderboard of a stage wants to be called there: what
/// stands in a kernel file behind "// leaderboard:", on a line of its own. Empty: the student does
/// not want to be shown.
std::string name_on_leaderboard(std::string_view source);

/// What a student who wants to be shown has reached in a stage.
struct Entrant {
  std::string name;
  StageResult stage;
};

/// One rate of one test.
struct Leaderboard {
  std::string stage;        ///< "03_shared_memory"
  std::string test;         ///< "MatmulShared.ReachesMinimumGflops"
  std::string measurement;  ///< "gflops"
  struct Place {
    int rank = 1;  ///< those who share a rate share it
    std::string name;
    double value = 0;
    bool operator==(const Place&) const = default;
  };
  std::vector<Place> places;  ///< the fastest first
};

/// In the order of stages and tests. Only who has passed all of a stage has a place: a kernel with
/// a race may well be fast. Hidden tests have no board.
std::vector<Leaderboard> leaderboards_of(const std::vector<Entrant>& entrants);

/// Prints the boards of a graded cohort, and writes them as a page unless `page` is empty.
/// @param graded  what was --out of lab cohort grade
/// @throws CannotGrade where nothing was graded there, or its files were damaged
void show_leaderboard(const std::filesystem::path& graded, const std::filesystem::path& page);

}  // namespace tilewise::grading
