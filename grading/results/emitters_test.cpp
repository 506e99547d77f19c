#include "grading/results/emitters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/base/test/matches.hpp"
#include "grading/results/result.hpp"
#include "grading/results/test/example_grade.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;

/// Returns why a document is not well-formed, or nothing if it is. It checks what JUnit files need:
/// open and close tags pair up, attributes are quoted, and `<` and `&` stand only where markup
/// begins.
std::string malformation(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const std::string entity = xml.substr(i, xml.find(';', i) - i + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;" &&
          entity != "&#39;") {
        return "unknown entity " + entity;
      }
    }
    if (static_cast<unsigned char>(xml[i]) < 0x20 && xml[i] != '\n' && xml[i] != '\t') {
      return "control character";
    }
    if (xml[i] != '<') continue;
    std::size_t end = i + 1;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return "a tag inside a tag";
    }
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    i = end;
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return "unexpected <" + tag + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "unclosed <" + open.back() + ">";
}

TEST(Junit, MalformationsAreSeen) {
  EXPECT_EQ(malformation("<a x=\"1\"><b/></a>"), "");
  EXPECT_NE(malformation("<a><b></a></b>"), "");
  EXPECT_NE(malformation("<a>1 & 2</a>"), "");
  EXPECT_NE(malformation("<a x=\"<\"/>"), "");
  EXPECT_NE(malformation("<a>"), "");
}

TEST(Junit, IsWellFormedWhateverTheTexts) {
  EXPECT_EQ(malformation(junit_file(example_grade())), "");
  GradeResult hostile = example_grade();
  hostile.device = "<\"&'>\n\033";
  hostile.stages[0].id = "</testsuite>";
  hostile.stages[0].tests[1].finding.message = std::string("\0\xff\xef\xbf\xbf</failure><!--", 20);
  hostile.stages[0].tests[1].finding.file = "\"><x";
  hostile.stages[0].tests[0].measurements = {{"\"<", 1.0}};
  EXPECT_EQ(malformation(junit_file(hostile)), "");
}

/// An element as defined by junit-10.xsd of Jenkins' xUnit plugin
/// (src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd), in its strictest edition: the
/// latest ones allow more.
struct Element {
  std::set<std::string> required, optional;  ///< attributes
  std::set<std::string> children;
};

const std::map<std::string, Element> elements_of_jenkins = {
    {"testsuites", {{}, {"name", "time", "tests", "failures", "errors"}, {"testsuite"}}},
    {"testsuite",
     {{"name", "tests", "failures", "errors"},
      {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
      {"testsuite", "properties", "testcase", "system-out", "system-err"}}},
    {"properties", {{}, {}, {"property"}}},
    {"property", {{"name", "value"}, {}, {}}},
    {"testcase",
     {{"name"},
      {"time", "classname", "group"},
      {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
       "system-out", "system-err"}}},
    {"failure", {{}, {"type", "message"}, {}}},
    {"error", {{}, {"type", "message"}, {}}},
    {"skipped", {{}, {"type", "message"}, {}}},
};

/// Returns what Jenkins would refuse in a well-formed file, or nothing.
std::string refusal_of_jenkins(const std::string& xml) {
  const std::string tag = R"re(<(/?)([a-z]+)((?: [a-z_]+="[^"]*")*)(/?)>)re";
  std::vector<std::string> open;
  for (const auto& found : core::matches_of(xml, tag)) {
    const std::string &name = found[2], &attributes = found[3];
    if (!found[1].empty()) {
      open.pop_back();
      continue;
    }
    const auto element = elements_of_jenkins.find(name);
    if (element == elements_of_jenkins.end()) return "unknown <" + name + ">";
    if (!open.empty() && !elements_of_jenkins.at(open.back()).children.contains(name)) {
      return "<" + name + "> in <" + open.back() + ">";
    }
    std::set<std::string> missing = element->second.required;
    for (const auto& attribute : core::matches_of(attributes, R"re( ([a-z_]+)=")re")) {
      const std::string& key = attribute[1];
      if (missing.erase(key) == 0 && !element->second.optional.contains(key)) {
        return name + " has no " + key;
      }
    }
    if (!missing.empty()) return name + " needs " + *missing.begin();
    if (found[4].empty()) open.push_back(name);
  }
  return "";
}

TEST(Junit, PassesTheSchemaOfJenkins) {
  EXPECT_EQ(refusal_of_jenkins(junit_file(example_grade())), "");
  EXPECT_EQ(refusal_of_jenkins("<testsuites skipped=\"1\"/>"), "testsuites has no skipped");
  EXPECT_EQ(refusal_of_jenkins("<testsuite name=\"x\" tests=\"1\" failures=\"0\"/>"),
            "testsuite needs errors");
  EXPECT_EQ(refusal_of_jenkins("<testcase name=\"x\"><properties/></testcase>"),
            "<properties> in <testcase>");
}

TEST(Junit, CountsAndExplains) {
  const std::string xml = junit_file(example_grade());
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"tilewise on gtx1080 (modelled)\" tests=\"5\" "
                             "failures=\"1\" errors=\"1\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"03_shared_memory\" tests=\"5\" failures=\"1\" "
                             "errors=\"1\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"score\" value=\"3\"/>"
                             "<property name=\"max_score\" value=\"8\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"MatmulShared.Passes score\" value=\"3\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"MatmulShared.Passes gflops\" value=\"994.25\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"C[3][5] is &quot;1.25&quot; &amp; &lt;wrong&gt;\" "
                             "type=\"safety\">matmul_shared.cu:31\n"
                             "C[3][5] is &quot;1.25&quot; &amp; &lt;wrong&gt;\nblock (0, 0)\n"
                             "Hint: look at the \\x1b[31medges\n</failure>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"needs a GPU\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"inconclusive: the card was throttled\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error message=\"]]&gt; no worker\" type=\"memory\">"));
}

using Json = nlohmann::ordered_json;

Json recorded() {
  return Json::parse(R"({
  "score": 3, "execution_time": 12.5, "output": "03_shared_memory, matmul_shared.cu\n]]> no worker\n\nGraded on gtx1080 (modelled).",
  "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden",
  "tests": [
    {"name": "03_shared_memory: MatmulShared.Passes", "score": 3, "max_score": 3,
     "status": "passed", "output": "", "output_format": "text", "tags": ["correctness"],
     "visibility": "visible"},
    {"name": "03_shared_memory: MatmulShared.Fails", "score": 0, "max_score": 2,
     "status": "failed", "output": "matmul_shared.cu:31\nC[3][5] is \"1.25\" & <wrong>\nblock (0, 0)\nHint: look at the \\x1b[31medges\n",
     "output_format": "text", "tags": ["safety"], "visibility": "hidden"},
    {"name": "03_shared_memory: MatmulShared.IsSkipped", "score": 0, "max_score": 0,
     "output": "skipped: needs a GPU\n", "output_format": "text", "tags": ["performance"],
     "visibility": "visible"},
    {"name": "03_shared_memory: MatmulShared.IsInconclusive", "score": 0, "max_score": 2,
     "status": "failed", "output": "inconclusive: the card was throttled\nHint: try again\n",
     "output_format": "text", "tags": ["performance"], "visibility": "visible"},
    {"name": "03_shared_memory: MatmulShared.CannotBeJudged", "score": 0, "max_score": 1,
     "status": "failed", "output": "error: matmul_shared.cu\n]]> no worker\n",
     "output_format": "text", "tags": ["memory"], "visibility": "visible"}
  ]})");
}

TEST(Gradescope, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].hidden = true;
  EXPECT_EQ(gradescope_document(grade, 12.5).dump(1), recorded().dump(1));
}

TEST(Gradescope, SaysWhyThereIsNoGrade) {
  const Json expected = Json::parse(R"({
  "score": 0, "output": "no file \\x1b here", "output_format": "text", "visibility": "visible",
  "stdout_visibility": "hidden", "tests": []})");
  EXPECT_EQ(gradescope_document("no file \x1b here").dump(1), expected.dump(1));
}

TEST(Gradescope, HoldsNothingThatItsSpecificationDoesNotAllow) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].finding.message = std::string("\0\xff\x1b", 3);
  const Json document = gradescope_document(grade, 1);
  EXPECT_NO_THROW(document.dump()) << "valid UTF-8";
  for (const Json& test : document["tests"]) {
    EXPECT_LE(test["score"], test["max_score"]);
    if (test.contains("status")) {
      EXPECT_TRUE(test["status"] == "passed" || test["status"] == "failed") << test["status"];
    }
  }
}

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::ThrowsMessage;

const Classroom50Submission submission{"gpu26",
                                       "shared-memory",
                                       "submit/2026-11-21T07-30-00Z-abc1234",
                                       "https://example.org/commit",
                                       "https://example.org/release",
                                       "https://example.org/review",
                                       "2026-11-21T07:30:00Z"};

TEST(Classroom50, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].hidden = true;
  const Json recorded = Json::parse(R"({
  "schema": "classroom50/result/v1", "classroom": "gpu26", "assignment": "shared-memory",
  "submission": "submit/2026-11-21T07-30-00Z-abc1234", "commit": "https://example.org/commit",
  "release": "https://example.org/release", "review": "https://example.org/review",
  "datetime": "2026-11-21T07:30:00Z", "score": 3, "max-score": 8,
  "tests": [
    {"test-name": "03_shared_memory: MatmulShared.Passes", "passed": true, "score": 3, "max-score": 3},
    {"test-name": "03_shared_memory: Hidden test 1", "passed": false, "score": 0, "max-score": 2},
    {"test-name": "03_shared_memory: MatmulShared.IsSkipped", "passed": false, "score": 0, "max-score": 0},
    {"test-name": "03_shared_memory: MatmulShared.IsInconclusive", "passed": false, "score": 0, "max-score": 2},
    {"test-name": "03_shared_memory: MatmulShared.CannotBeJudged", "passed": false, "score": 0, "max-score": 1}
  ]})");
  EXPECT_EQ(classroom50_document(grade, submission).dump(1), recorded.dump(1));
}

TEST(Classroom50, AddsUp) {
  const Json document = classroom50_document(example_grade(), submission);
  int score = 0, max_score = 0;
  for (const Json& test : document["tests"]) {
    score += test["score"].get<int>();
    max_score += test["max-score"].get<int>();
  }
  EXPECT_EQ(document["score"], score);
  EXPECT_EQ(document["max-score"], max_score);
}

class Classroom50Environment : public testing::Test {
 protected:
  static constexpr const char* names[] = {"CLASSROOM",  "ASSIGNMENT",  "SUBMISSION_TAG",
                                          "COMMIT_URL", "RELEASE_URL", "REVIEW_URL"};
  void SetUp() override {
    for (const char* name : names) setenv(name, (std::string("the ") + name).c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : names) unsetenv(name);
  }
};

TEST_F(Classroom50Environment, TellsOfTheSubmission) {
  const Classroom50Submission found = classroom50_submission();
  EXPECT_EQ(found.classroom, "the CLASSROOM");
  EXPECT_EQ(found.assignment, "the ASSIGNMENT");
  EXPECT_EQ(found.tag, "the SUBMISSION_TAG");
  EXPECT_EQ(found.commit, "the COMMIT_URL");
  EXPECT_EQ(found.release, "the RELEASE_URL");
  EXPECT_EQ(found.review, "the REVIEW_URL");
  EXPECT_THAT(found.datetime, MatchesRegex("20..-..-..T..:..:..Z"));
  unsetenv("REVIEW_URL");
  EXPECT_EQ(classroom50_submission().review, "the COMMIT_URL");
}

TEST_F(Classroom50Environment, MustBeThere) {
  for (const char* name :
       {"CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"}) {
    SetUp();
    unsetenv(name);
    EXPECT_THAT([] { classroom50_submission(); },
                ThrowsMessage<std::runtime_error>(HasSubstr(std::string(name) + " is not set")));
  }
}

using Json = nlohmann::ordered_json;

TEST(Autolab, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[4].hidden = true;
  const std::string lines = autolab_lines(grade);
  const auto end = lines.find('\n');
  const Json feedback = Json::parse(R"({
    "_presentation": "semantic", "stages": ["03_shared_memory"],
    "03_shared_memory": {
      "MatmulShared.Passes": {"passed": true},
      "MatmulShared.Fails": {"passed": false, "hint": "matmul_shared.cu:31\nC[3][5] is \"1.25\" & <wrong>\nblock (0, 0)\nHint: look at the \\x1b[31medges\n"},
      "MatmulShared.IsInconclusive": {"passed": false, "hint": "the card was throttled\nHint: try again\n"},
      "Hidden test 1": {"passed": false}}})");
  EXPECT_EQ(Json::parse(lines.substr(0, end)).dump(1), feedback.dump(1));
  EXPECT_EQ(lines.substr(end + 1), "{\"scores\":{\"03_shared_memory\":3}}\n")
      << "Autolab reads the last line, a problem's name and its points";
}

TEST(Autolab, IsTwoLinesWhateverTheTexts) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].finding.message = "{\"scores\": {\"03_shared_memory\": 99}}\n\r\n\xff";
  const std::string lines = autolab_lines(grade);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

TEST(Problems, AreLinesThatEditorsTakeForACompilers) {
  GradeResult grade = example_grade();
  std::vector<TestResult>& tests = grade.stages[0].tests;
  EXPECT_EQ(problem_lines(grade),
            "labs/03_shared_memory/matmul_shared.cu:31: error: C[3][5] is \"1.25\" & <wrong> block "
            "(0, 0)\n")
      << "what has no line is not there";
  Finding& race = tests[4].finding;
  race = {.kind = "race", .message = "two threads", .file = "matmul_shared.cu", .line = 7};
  race.other_file = race.file;
  race.other_line = 9;
  EXPECT_EQ(problem_lines(grade).substr(0, problem_lines(grade).find("C[3]")),
            "labs/03_shared_memory/matmul_shared.cu:7: error: two threads\n"
            "labs/03_shared_memory/matmul_shared.cu:9: note: the other access of that race\n"
            "labs/03_shared_memory/matmul_shared.cu:31: error: ");
  for (TestResult& test : tests) test.hidden = true;
  EXPECT_EQ(problem_lines(grade), "");
}

using testing::HasSubstr;
using testing::Not;

TEST(StepSummary, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[4].hidden = true;
  EXPECT_EQ(step_summary(grade), R"(## 3/8 points

Graded on gtx1080 &#40;modelled&#41;, backend simt.

| stage | tests | points | |
| --- | --- | --- | --- |
| 03&#95;shared&#95;memory | 1 of 4 | 3/8 | failed |

<details open><summary>03&#95;shared&#95;memory: MatmulShared&#46;Fails failed</summary>

```text
matmul_shared.cu:31
C[3][5] is "1.25" & <wrong>
block (0, 0)
Hint: look at the \x1b[31medges
```

</details>

<details><summary>03&#95;shared&#95;memory: MatmulShared&#46;IsInconclusive inconclusive</summary>

```text
the card was throttled
Hint: try again
```

</details>

<details><summary>03&#95;shared&#95;memory: Hidden test 1 error</summary>


</details>
)");
}

TEST(StepSummary, KeepsTextsFromBecomingMarkup) {
  GradeResult grade = example_grade();
  TestResult& test = grade.stages[0].tests[1];
  test.finding.message = "````\n</details><script>@somebody [link](https://example.org)";
  test.name = "A.B</summary> | <img src=x> @somebody";
  const std::string summary = step_summary(grade);
  EXPECT_THAT(summary, HasSubstr("`````text\n")) << "a fence that the message cannot close";
  EXPECT_THAT(summary, Not(HasSubstr("<img")));
  EXPECT_THAT(summary, Not(HasSubstr("B</summary>")));
}

}  // namespace
}  // namespace tilewise::grading
