#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// What is asked of a submission's speed.
struct SpeedMinimum {
  double of_reference = 0;  ///< fraction of the reference solution's speed, on the same card
  double of_peak = 0;       ///< fraction of the card's peak, where there is no reference
  /// Fraction of the reference solution's rate where both are modelled; 0: of_reference is used.
  /// The model separates two kernels more closely than two cards of one kind do.
  double of_model = 0;

  double modelled_fraction() const { return of_model > 0 ? of_model : of_reference; }
};

/// What one test is worth, and what it asks.
struct RubricEntry {
  std::string test;  ///< suite and test: "MatmulShared.IsRightAtRaggedEdges"
  Category category = Category::correctness;
  int points = 0;
  bool hidden = false;                                 ///< from students, who see only its points
  std::optional<SpeedMinimum> minimum = std::nullopt;  ///< for a test of speed
};

/// The tests of each stage in the order they run, by stage id.
using Rubric = std::map<std::string, std::vector<RubricEntry>>;

/// Reads the "tests" of every stage.json.
/// @param root  folder of the course
/// @throws std::runtime_error naming the file and the test, for an unknown category, points that
/// are not a positive whole number, a minimum that is not a fraction, an entry with another name, a
/// test listed twice, or a stage without tests.
Rubric load_rubric(const std::filesystem::path& root);

/// Returns the tests of one stage.
/// @throws std::runtime_error naming a stage that the course does not have
const std::vector<RubricEntry>& rubric_of(const Rubric& rubric, const std::string& stage);

/// Returns a running test's name as students see it.
std::string_view shown_name(const std::vector<RubricEntry>& tests, std::string_view test);

}  // namespace tilewise::grading
