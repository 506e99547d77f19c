#include "grading/report/autolab.hpp"

#include "grading/report/feedback.hpp"
#include "grading/report/json.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {

std::string autolab_lines(const GradeResult& grade) {
  using Json = nlohmann::ordered_json;
  Json presentation = {{"_presentation", "semantic"}, {"stages", Json::array()}};
  Json scores = Json::object();
  for (const StageResult& stage : without_hidden(grade).stages) {
    Json tests = Json::object();
    for (const TestResult& test : stage.tests) {
      if (test.status == Status::skipped) continue;  // it can only show passed and failed
      Json& shown = tests[printable(test.name)] = {{"passed", test.status == Status::passed}};
      if (const std::string text = feedback(test); !text.empty()) shown["hint"] = printable(text);
    }
    presentation["stages"].push_back(stage.id);
    presentation[stage.id] = tests;
    scores[stage.id] = stage.score;
  }
  return to_line(presentation) + "\n" + to_line({{"scores", scores}}) + "\n";
}

}  // namespace tilewise::grading
