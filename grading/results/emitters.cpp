#include "grading/results/emitters.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "common/base/language.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

/// Returns the first line, escaped for an attribute, in which a parser would turn a line feed or a
/// tab into a space.
std::string attribute(std::string_view text) { return as_markup(text.substr(0, text.find('\n'))); }

template <typename Value>
std::string property(std::string_view name, const Value& value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", as_markup(name), value);
}

struct Tally {
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(const StageResult& stage) {
    for (const TestResult& test : stage.tests) {
      ++tests;
      failures += test.status == Status::failed;
      errors += test.status == Status::error;
      skipped += test.status == Status::skipped || test.status == Status::inconclusive;
    }
  }

  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  }
};

std::string verdict(const TestResult& test) {
  const std::string_view type = to_string(test.category);
  switch (test.status) {
    case Status::passed:
      return "";
    case Status::skipped:
      return fmt::format("      <skipped message=\"{}\"/>\n", attribute(test.finding.message));
    case Status::inconclusive:
      return fmt::format("      <skipped message=\"inconclusive: {}\"/>\n",
                         attribute(test.finding.message));
    case Status::failed:
    case Status::error:
      break;
  }
  const std::string_view element = test.status == Status::failed ? "failure" : "error";
  return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element,
                     attribute(test.finding.message), type, as_markup(feedback(test)));
}

std::string test_case(const StageResult& stage, const TestResult& test) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n{}    </testcase>\n",
                     as_markup(stage.id), attribute(test.name), verdict(test));
}

/// Returns the suite's properties for a test, since Jenkins' schema allows a case neither
/// properties nor a file and line.
std::string properties_of(const TestResult& test) {
  const auto named = [&](const char* name) { return test.name + " " + name; };
  std::string properties =
      property(named("score"), test.score) + property(named("max_score"), test.max_score);
  for (const auto& [name, value] : test.measurements) {
    properties += property(named(name.c_str()), value);
  }
  return properties;
}

std::string headline_property(const StageResult& stage) {
  const TestResult* test = nearest_cause(stage);
  if (test == nullptr || test->hidden) return "";
  return fmt::format("<property name=\"headline\" value=\"{}\"/>",
                     attribute(test->finding.message));
}

std::string suite(const StageResult& stage) {
  Tally tally;
  tally.add(stage);
  std::string properties = property("score", stage.score) + property("max_score", stage.max_score) +
                           headline_property(stage);
  for (const TestResult& test : stage.tests) properties += properties_of(test);
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" {} skipped=\"{}\">\n"
      "    <properties>{}</properties>\n",
      as_markup(stage.id), tally.attributes(), tally.skipped, properties);
  for (const TestResult& test : stage.tests) xml += test_case(stage, test);
  return xml + "  </testsuite>\n";
}

}  // namespace

std::string junit_file(const GradeResult& grade) {
  Tally tally;
  for (const StageResult& stage : grade.stages) tally.add(stage);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"tilewise on {}\" {}>\n",
      attribute(grade.device), tally.attributes());
  for (const StageResult& stage : grade.stages) xml += suite(stage);
  return xml + "</testsuites>\n";
}

namespace {

using Json = nlohmann::ordered_json;

Json test_document(const StageResult& stage, const TestResult& test) {
  Json document = {{"name", printable(fmt::format("{}: {}", stage.id, test.name))},
                   {"score", test.score},
                   {"max_score", test.max_score}};
  // Gradescope knows only passed and failed; without a status it goes by the points.
  if (test.max_score > 0) {
    document["status"] = test.status == Status::passed ? "passed" : "failed";
  }
  std::string output = feedback(test);
  if (test.status == Status::skipped || test.status == Status::inconclusive ||
      test.status == Status::error) {
    output = fmt::format("{}: {}", to_string(test.status), output);
  }
  document["output"] = printable(output);
  document["output_format"] = "text";
  document["tags"] = {to_string(test.category)};
  document["visibility"] = test.hidden ? "hidden" : "visible";
  return document;
}

/// Returns the headline, for readers who read no further. It is empty if all tests passed.
std::string first_of_all(const GradeResult& grade) {
  const auto headline = headline_of(grade);
  return headline ? in_lines(*headline) + "\n" : "";
}

}  // namespace

Json gradescope_document(const GradeResult& grade, double seconds) {
  Json tests = Json::array();
  for (const StageResult& stage : grade.stages) {
    for (const TestResult& test : stage.tests) tests.push_back(test_document(stage, test));
  }
  return {{"score", grade.score},
          {"execution_time", seconds},
          {"output", printable(first_of_all(grade) + fmt::format("Graded on {}.", grade.device))},
          {"output_format", "text"},
          {"visibility", "visible"},
          {"stdout_visibility", "hidden"},
          {"tests", tests}};
}

Json gradescope_document(const std::string& why) {
  return {{"score", 0},
          {"output", printable(why)},
          {"output_format", "text"},
          {"visibility", "visible"},
          {"stdout_visibility", "hidden"},
          {"tests", Json::array()}};
}

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string demanded(const char* name) {
  std::string value = variable(name);
  if (value.empty()) {
    throw std::runtime_error(fmt::format(
        "{} is not set: --classroom50 is for a runner of Classroom 50, which sets it", name));
  }
  return value;
}

}  // namespace

Classroom50Submission classroom50_submission() {
  Classroom50Submission submission;
  submission.classroom = demanded("CLASSROOM");
  submission.assignment = demanded("ASSIGNMENT");
  submission.tag = demanded("SUBMISSION_TAG");
  submission.commit = demanded("COMMIT_URL");
  submission.release = demanded("RELEASE_URL");
  submission.review = variable("REVIEW_URL");
  if (submission.review.empty()) submission.review = submission.commit;
  submission.datetime = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return submission;
}

nlohmann::ordered_json classroom50_document(const GradeResult& grade,
                                            const Classroom50Submission& submission) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::array();
  for (const StageResult& stage : without_hidden(grade).stages) {
    for (const TestResult& test : stage.tests) {
      tests.push_back({{"test-name", printable(fmt::format("{}: {}", stage.id, test.name))},
                       {"passed", test.status == Status::passed},
                       {"score", test.score},
                       {"max-score", test.max_score}});
    }
  }
  return {{"schema", "classroom50/result/v1"},
          {"classroom", submission.classroom},
          {"assignment", submission.assignment},
          {"submission", submission.tag},
          {"commit", submission.commit},
          {"release", submission.release},
          {"review", submission.review},
          {"datetime", submission.datetime},
          {"score", grade.score},
          {"max-score", grade.max_score},
          {"tests", tests}};
}

std::string autolab_lines(const GradeResult& grade) {
  using Json = nlohmann::ordered_json;
  Json presentation = {{"_presentation", "semantic"}, {"stages", Json::array()}};
  Json scores = Json::object();
  for (const StageResult& stage : without_hidden(grade).stages) {
    Json tests = Json::object();
    for (const TestResult& test : stage.tests) {
      if (test.status == Status::skipped) continue;  // Autolab can show only passed and failed
      Json& shown = tests[printable(test.name)] = {{"passed", test.status == Status::passed}};
      if (const std::string text = feedback(test); !text.empty()) shown["hint"] = printable(text);
    }
    presentation["stages"].push_back(stage.id);
    presentation[stage.id] = tests;
    scores[stage.id] = stage.score;
  }
  return to_line(presentation) + "\n" + to_line({{"scores", scores}}) + "\n";
}

namespace {

/// Escapes text so that Markdown and HTML show it unchanged.
std::string plain(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '\n') {
      escaped += ' ';
    } else if (std::string_view("\\`*_{}[]()#+-.!|~<>&@:").find(c) != std::string_view::npos) {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Returns a block of code whose fence is longer than any run of backquotes in it.
std::string fenced(std::string_view text) {
  const std::string shown = printable(text);
  std::size_t longest = 0, run = 0;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{0}text\n{1}{2}{0}\n", fence, shown, shown.ends_with('\n') ? "" : "\n");
}

std::string stage_row(const StageResult& stage) {
  const auto passed = std::ranges::count(stage.tests, Status::passed, &TestResult::status);
  const auto skipped = std::ranges::count(stage.tests, Status::skipped, &TestResult::status);
  return fmt::format("| {} | {} of {} | {}/{} | {} |\n", plain(stage.id), passed,
                     std::ssize(stage.tests) - skipped, stage.score, stage.max_score,
                     to_string(stage.status));
}

std::string details(const StageResult& stage) {
  std::string text;
  for (const Cause& cause : causes_of(stage)) {
    const TestResult& test = *cause.told;
    if (test.status == Status::skipped) continue;
    text +=
        fmt::format("\n<details{}><summary>{}: {} {}</summary>\n\n", text.empty() ? " open" : "",
                    plain(stage.id), plain(test.name), to_string(test.status));
    const std::string said = feedback(test) + follow_ups(cause);
    if (!said.empty()) text += fenced(said);
    text += "\n</details>\n";
  }
  return text;
}

}  // namespace

std::string step_summary(const GradeResult& grade) {
  const GradeResult shown = without_hidden(grade);
  std::string text = fmt::format("## {}/{} points\n\nGraded on {}, backend {}.\n\n", shown.score,
                                 shown.max_score, plain(shown.device), plain(shown.backend)) +
                     "| stage | tests | points | |\n| --- | --- | --- | --- |\n";
  for (const StageResult& stage : shown.stages) text += stage_row(stage);
  for (const StageResult& stage : shown.stages) text += details(stage);
  return text;
}

namespace {

std::string problem_line(const StageResult& stage, std::string_view file, int line,
                         std::string_view severity, std::string_view message) {
  std::string text = printable(message);
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("labs/{}/{}:{}: {}: {}\n", stage.id, printable(file), line, severity, text);
}

}  // namespace

std::string problem_lines(const GradeResult& grade) {
  std::string text;
  for (const StageResult& stage : without_hidden(grade).stages) {
    for (const Cause& cause : causes_of(stage)) {
      const Finding& found = cause.told->finding;
      if (found.line == 0) continue;
      text += problem_line(stage, found.file, found.line, "error", found.message);
      if (found.other_line == 0) continue;
      text += problem_line(stage, found.other_file, found.other_line, "note",
                           fmt::format("the other access of that {}", found.kind));
    }
  }
  return text;
}

std::span<const Emitter> emitters() {
  using enum Emitter::Goes;
  static constexpr Emitter table[] = {
      {"--json", marked("Write the result as JSON"), to_a_file,
       [](const GradeResult& grade, double) { return to_file(grade); }},
      {"--junit", marked("Write the result as JUnit XML"), to_a_file,
       [](const GradeResult& grade, double) { return junit_file(grade); }},
      {"--gradescope", marked("Write the result as Gradescope's results.json"), to_a_file,
       [](const GradeResult& grade, double seconds) {
         return to_file(gradescope_document(grade, seconds));
       },
       // Gradescope shows a student the reason only if a result contains it.
       [](const std::string& why) { return to_file(gradescope_document(why)); }},
      {"--classroom50", marked("Write the result as Classroom 50's result.json"), to_a_file,
       [](const GradeResult& grade, double) {
         return to_file(classroom50_document(grade, classroom50_submission()));
       },
       nullptr, [] { classroom50_submission(); }},
      {"--summary", marked("Add the result to a Markdown file: \"$GITHUB_STEP_SUMMARY\""),
       behind_a_file, [](const GradeResult& grade, double) { return step_summary(grade); }},
      {"--autolab", marked("Print last the lines that Autolab reads"), to_standard_output_last,
       [](const GradeResult& grade, double) { return autolab_lines(grade); }},
      {"--problems", marked("Print last what is wrong, line by line as compilers do, for editors"),
       to_standard_output_last,
       [](const GradeResult& grade, double) { return problem_lines(grade); }},
  };
  return table;
}

}  // namespace tilewise::grading
