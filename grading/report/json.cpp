#include "grading/report/json.hpp"

#include <cmath>
#include <stdexcept>

#include "common/core/json.hpp"

namespace tilewise::grading {

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
  document =
      Json{{"schema", result_schema}, {"backend", grade.backend},     {"device", grade.device},
           {"score", grade.score},    {"max_score", grade.max_score}, {"stages", grade.stages}};
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
