#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"

namespace tilewise::grading {

using core::Finding;
using core::ThreadOfGrid;

/// What a test checks.
enum class Category { correctness, safety, memory, performance };

/// How a test ended. Only `passed` scores. `skipped`: the test did not apply here (no GPU);
/// `inconclusive`: it ran, but the measurement cannot be trusted; `error`: it could not be judged.
enum class Status { passed, failed, skipped, inconclusive, error };

/// Returns the word used in result files and on the terminal.
std::string_view to_string(Category category);
std::string_view to_string(Status status);

/// Returns the word for a person, in the user's language.
std::string in_words(Status status);

/// Returns the value of a word of to_string(). Throws std::invalid_argument naming an unknown word.
Category category_from_string(std::string_view word);
Status status_from_string(std::string_view word);

/// One test of a stage, as judged. Points are whole numbers.
struct TestResult {
  std::string name;  ///< suite and test: "MatmulShared.IsRightAtRaggedEdges"
  Category category = Category::correctness;
  Status status = Status::error;
  int score = 0;
  int max_score = 0;  ///< 0 for a skipped test, so that it costs nothing
  Finding finding;    ///< what the test found; usually nothing if it passed
  std::map<std::string, double> measurements;  ///< for example {"gflops": 994.0}
  /// Hidden from students until their instructor shows it.
  bool hidden = false;

  bool operator==(const TestResult&) const = default;
};

/// The tests of one stage and their total points.
struct StageResult {
  std::string id;  ///< "03_shared_memory"
  int score = 0;
  int max_score = 0;
  Status status = Status::error;
  std::vector<TestResult> tests;

  bool operator==(const StageResult&) const = default;
};

/// The result of one `lab grade`.
struct GradeResult {
  std::string backend;  ///< "simt" or "cuda"
  std::string device;   ///< "gtx1080 (modelled)" or the card's name
  int score = 0;
  int max_score = 0;
  std::vector<StageResult> stages;

  bool operator==(const GradeResult&) const = default;
};

/// Whether every test that counts (max_score above 0) passed, and no other test failed.
bool all_passed(const StageResult& stage);
bool all_passed(const GradeResult& grade);

/// Sets score, max_score and status of a stage from its tests: passed if all_passed(), else failed.
void add_up(StageResult& stage);

/// Sets score and max_score of a grade from its stages' sums.
void add_up(GradeResult& grade);

/// Conversions between results and the schema tilewise/result/v1, found by nlohmann::json:
/// `nlohmann::ordered_json document = test;` and `document.get<TestResult>()`. Reading throws
/// nlohmann::json::exception for a missing or mistyped field and std::invalid_argument for an
/// unknown word or schema. A measurement that is not finite is left out.
void to_json(nlohmann::ordered_json& document, const TestResult& test);
void to_json(nlohmann::ordered_json& document, const StageResult& stage);
void to_json(nlohmann::ordered_json& document, const GradeResult& grade);
void from_json(const nlohmann::ordered_json& document, TestResult& test);
void from_json(const nlohmann::ordered_json& document, StageResult& stage);
void from_json(const nlohmann::ordered_json& document, GradeResult& grade);

/// Returns a document as text on one line. Bytes that are not UTF-8 (a student may have printed
/// them) become U+FFFD rather than an error.
std::string to_line(const nlohmann::ordered_json& document);

/// Returns a document as text for a file: indented, with a final newline, otherwise like to_line().
std::string to_file(const nlohmann::ordered_json& document);

}  // namespace tilewise::grading
