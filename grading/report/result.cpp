#include "grading/report/result.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tilewise::grading {
namespace {

template <typename Enum, std::size_t Count>
using Words = std::array<std::pair<Enum, std::string_view>, Count>;

constexpr Words<Category, 4> category_words{{{Category::correctness, "correctness"},
                                             {Category::safety, "safety"},
                                             {Category::memory, "memory"},
                                             {Category::performance, "performance"}}};

constexpr Words<Status, 5> status_words{{{Status::passed, "passed"},
                                         {Status::failed, "failed"},
                                         {Status::skipped, "skipped"},
                                         {Status::inconclusive, "inconclusive"},
                                         {Status::error, "error"}}};

template <typename Enum, std::size_t Count>
std::string_view word_of(const Words<Enum, Count>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  throw std::invalid_argument("a value outside its enumeration");
}

template <typename Enum, std::size_t Count>
Enum value_of(const Words<Enum, Count>& words, std::string_view wanted, const char* what) {
  for (const auto& [value, word] : words) {
    if (word == wanted) return value;
  }
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(wanted) + "'");
}

bool spoils_the_stage(const TestResult& test) {
  const bool failed = test.status == Status::failed || test.status == Status::error;
  return failed || (test.max_score > 0 && test.status != Status::passed);
}

}  // namespace

std::string_view to_string(Category category) { return word_of(category_words, category); }
std::string_view to_string(Status status) { return word_of(status_words, status); }

Category category_from_string(std::string_view word) {
  return value_of(category_words, word, "category");
}

Status status_from_string(std::string_view word) { return value_of(status_words, word, "status"); }

bool all_passed(const StageResult& stage) {
  return !stage.tests.empty() && std::ranges::none_of(stage.tests, spoils_the_stage);
}

bool all_passed(const GradeResult& grade) {
  return !grade.stages.empty() && std::ranges::all_of(grade.stages, [](const StageResult& stage) {
    return stage.status == Status::passed;
  });
}

void add_up(StageResult& stage) {
  stage.score = 0;
  stage.max_score = 0;
  for (const TestResult& test : stage.tests) {
    stage.score += test.score;
    stage.max_score += test.max_score;
  }
  stage.status = all_passed(stage) ? Status::passed : Status::failed;
}

void add_up(GradeResult& grade) {
  grade.score = 0;
  grade.max_score = 0;
  for (const StageResult& stage : grade.stages) {
    grade.score += stage.score;
    grade.max_score += stage.max_score;
  }
}

}  // namespace tilewise::grading
