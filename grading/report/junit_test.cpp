#include "grading/report/junit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grading/report/example_grade.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;

/// What keeps a document from being well-formed, as far as JUnit files go: open and close tags pair
/// up, attributes are quoted, and `<`, `&` stand only where markup begins. Empty if well-formed.
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
  hostile.stages[0].tests[1].message = std::string("\0\xff\xef\xbf\xbf</failure><!--", 20);
  hostile.stages[0].tests[1].file = "\"><x";
  hostile.stages[0].tests[0].measurements = {{"\"<", 1.0}};
  EXPECT_EQ(malformation(junit_file(hostile)), "");
}

TEST(Junit, CountsAndExplains) {
  const std::string xml = junit_file(example_grade());
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"tilewise on gtx1080 (modelled)\" tests=\"5\" "
                             "failures=\"1\" errors=\"1\" skipped=\"2\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"03_shared_memory\" tests=\"5\""));
  EXPECT_THAT(xml, HasSubstr("<property name=\"score\" value=\"3\"/>"
                             "<property name=\"max_score\" value=\"8\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"gflops\" value=\"994.25\"/>"));
  EXPECT_THAT(xml, HasSubstr("name=\"MatmulShared.Fails\" file=\"matmul_shared.cu\" line=\"31\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"C[3][5] is &quot;1.25&quot; &amp; &lt;wrong&gt;\" "
                             "type=\"safety\">matmul_shared.cu:31\n"
                             "C[3][5] is &quot;1.25&quot; &amp; &lt;wrong&gt;\nblock (0, 0)\n"
                             "Hint: look at the \\x1b[31medges\n</failure>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"needs a GPU\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"inconclusive: the card was throttled\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error message=\"]]&gt; no worker\" type=\"memory\">"));
}

}  // namespace
}  // namespace tilewise::grading
