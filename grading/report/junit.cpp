#include "grading/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "grading/report/feedback.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// The first line, for attributes, in which a parser would turn a line feed or a tab into a space.
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
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures,
                       errors, skipped);
  }
};

std::string outcome(const TestResult& test) {
  const std::string_view type = to_string(test.category);
  switch (test.status) {
    case Status::passed:
      return "";
    case Status::skipped:
      return fmt::format("      <skipped message=\"{}\"/>\n", attribute(test.message));
    case Status::inconclusive:
      return fmt::format("      <skipped message=\"inconclusive: {}\"/>\n",
                         attribute(test.message));
    case Status::failed:
    case Status::error:
      break;
  }
  const std::string_view element = test.status == Status::failed ? "failure" : "error";
  return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element,
                     attribute(test.message), type, as_markup(feedback(test)));
}

std::string test_case(const StageResult& stage, const TestResult& test) {
  std::string place;
  if (!test.file.empty()) {
    place = fmt::format(" file=\"{}\" line=\"{}\"", attribute(test.file), test.line);
  }
  std::string properties = property("score", test.score) + property("max_score", test.max_score);
  for (const auto& [name, value] : test.measurements) properties += property(name, value);
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\"{}>\n"
      "      <properties>{}</properties>\n{}"
      "    </testcase>\n",
      as_markup(stage.id), attribute(test.name), place, properties, outcome(test));
}

std::string suite(const StageResult& stage) {
  Tally tally;
  tally.add(stage);
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" {}>\n"
      "    <properties>{}{}</properties>\n",
      as_markup(stage.id), tally.attributes(), property("score", stage.score),
      property("max_score", stage.max_score));
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

}  // namespace tilewise::grading
