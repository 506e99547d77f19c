#include "grading/results/result.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/base/json.hpp"
#include "common/base/language.hpp"
#include "grading/results/causes.hpp"

namespace tilewise::grading {
namespace {

template <typename Enum, std::size_t Count>
using Words = std::array<std::pair<Enum, std::string_view>, Count>;

constexpr Words<Category, 4> category_words{{{Category::correctness, "correctness"},
                                             {Category::safety, "safety"},
                                             {Category::memory, "memory"},
                                             {Category::performance, "performance"}}};

constexpr Words<Status, 5> status_words{{{Status::passed, marked("passed")},
                                         {Status::failed, marked("failed")},
                                         {Status::skipped, marked("skipped")},
                                         {Status::inconclusive, marked("inconclusive")},
                                         {Status::error, marked("error")}}};

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
std::string in_words(Status status) { return core::in_language(to_string(status)); }

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

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* result_schema = "tilewise/result/v1";

}  // namespace

void to_json(Json& document, const TestResult& test) {
  Json measurements = Json::object();
  for (const auto& [name, value] : test.measurements) {
    if (std::isfinite(value)) measurements[name] = value;
  }
  document = Json{{"name", test.name},
                  {"category", to_string(test.category)},
                  {"status", to_string(test.status)},
                  {"score", test.score},
                  {"max_score", test.max_score},
                  {"message", test.finding.message},
                  {"hint", test.finding.hint},
                  {"file", test.finding.file},
                  {"line", test.finding.line},
                  {"measurements", measurements}};
  if (!test.finding.kind.empty()) document["kind"] = test.finding.kind;
  if (test.hidden) document["hidden"] = true;
}

void to_json(Json& document, const StageResult& stage) {
  document = Json{{"id", stage.id},
                  {"score", stage.score},
                  {"max_score", stage.max_score},
                  {"status", to_string(stage.status)},
                  {"tests", stage.tests}};
}

void to_json(Json& document, const GradeResult& grade) {
  Json first;  // null if all tests passed
  if (const auto headline = headline_of(grade)) {
    first = {{"stage", headline->stage}, {"kind", headline->kind}, {"message", headline->message},
             {"file", headline->file},   {"line", headline->line}, {"next", headline->next}};
  }
  document =
      Json{{"schema", result_schema}, {"backend", grade.backend},     {"device", grade.device},
           {"score", grade.score},    {"max_score", grade.max_score}, {"headline", first},
           {"stages", grade.stages}};
}

void from_json(const Json& document, TestResult& test) {
  document.at("name").get_to(test.name);
  test.category = category_from_string(document.at("category").get<std::string>());
  test.status = status_from_string(document.at("status").get<std::string>());
  document.at("score").get_to(test.score);
  document.at("max_score").get_to(test.max_score);
  document.at("message").get_to(test.finding.message);
  document.at("hint").get_to(test.finding.hint);
  document.at("file").get_to(test.finding.file);
  document.at("line").get_to(test.finding.line);
  test.finding.kind = document.value("kind", "");
  document.at("measurements").get_to(test.measurements);
  test.hidden = document.value("hidden", false);
}

void from_json(const Json& document, StageResult& stage) {
  document.at("id").get_to(stage.id);
  document.at("score").get_to(stage.score);
  document.at("max_score").get_to(stage.max_score);
  stage.status = status_from_string(document.at("status").get<std::string>());
  document.at("tests").get_to(stage.tests);
}

void from_json(const Json& document, GradeResult& grade) {
  const std::string schema = document.at("schema").get<std::string>();
  if (schema != result_schema) {
    throw std::invalid_argument("the result's schema is '" + schema + "', expected '" +
                                result_schema + "'");
  }
  document.at("backend").get_to(grade.backend);
  document.at("device").get_to(grade.device);
  document.at("score").get_to(grade.score);
  document.at("max_score").get_to(grade.max_score);
  document.at("stages").get_to(grade.stages);
}

std::string to_line(const Json& document) { return core::json_text(document); }

std::string to_file(const Json& document) {
  constexpr int indentation = 2;
  return core::json_text(document, indentation) + "\n";
}

}  // namespace tilewise::grading
