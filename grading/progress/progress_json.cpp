#include "grading/progress/progress_json.hpp"

#include <string>

#include "grading/report/json.hpp"

namespace tilewise::grading {

using Json = nlohmann::ordered_json;

void to_json(Json& document, const Failure& failure) {
  document = Json{{"test", failure.test},
                  {"category", to_string(failure.category)},
                  {"status", to_string(failure.status)},
                  {"message", failure.message},
                  {"hint", failure.hint},
                  {"file", failure.file},
                  {"line", failure.line},
                  {"seed", failure.seed},
                  {"backend", failure.backend},
                  {"gpu", failure.gpu}};
  if (!failure.place.call.empty()) document["place"] = failure.place;
}

void from_json(const Json& document, Failure& failure) {
  document.at("test").get_to(failure.test);
  failure.category = category_from_string(document.at("category").get<std::string>());
  failure.status = status_from_string(document.at("status").get<std::string>());
  document.at("message").get_to(failure.message);
  document.at("hint").get_to(failure.hint);
  document.at("file").get_to(failure.file);
  document.at("line").get_to(failure.line);
  document.at("seed").get_to(failure.seed);
  document.at("backend").get_to(failure.backend);
  document.at("gpu").get_to(failure.gpu);
  if (document.contains("place")) document.at("place").get_to(failure.place);
}

void to_json(Json& document, const Rate& rate) { document = Json{{rate.unit, rate.value}}; }

void from_json(const Json& document, Rate& rate) {
  const auto entry = document.get<std::map<std::string, double>>();
  if (entry.size() != 1) throw std::invalid_argument("a best rate must have one unit");
  rate = {entry.begin()->first, entry.begin()->second};
}

void to_json(Json& document, const StageProgress& stage) {
  document = Json{{"status", stage.status ? Json(to_string(*stage.status)) : Json("new")},
                  {"score", stage.score},
                  {"max_score", stage.max_score},
                  {"first_passed", stage.first_passed},
                  {"best", stage.best},
                  {"hints", {{"aimed_at", stage.hints.aimed_at}, {"tiers", stage.hints.tiers}}}};
  if (stage.last_failure) document["last_failure"] = *stage.last_failure;
}

void from_json(const Json& document, StageProgress& stage) {
  const auto status = document.at("status").get<std::string>();
  if (status != "new") stage.status = status_from_string(status);
  document.at("score").get_to(stage.score);
  document.at("max_score").get_to(stage.max_score);
  document.at("first_passed").get_to(stage.first_passed);
  document.at("best").get_to(stage.best);
  document.at("hints").at("aimed_at").get_to(stage.hints.aimed_at);
  document.at("hints").at("tiers").get_to(stage.hints.tiers);
  if (document.contains("last_failure")) {
    stage.last_failure = document.at("last_failure").get<Failure>();
  }
}

void to_json(Json& document, const Progress& progress) {
  document =
      Json{{"schema", progress_schema}, {"current", progress.current}, {"stages", progress.stages}};
}

void from_json(const Json& document, Progress& progress) {
  document.at("current").get_to(progress.current);
  document.at("stages").get_to(progress.stages);
}

}  // namespace tilewise::grading
