#include "grading/labreport/html.hpp"

#include <gtest/gtest.h>

#include "grading/labreport/figures.hpp"
#include "grading/labreport/number_text.hpp"
#include "grading/labreport/table.hpp"

namespace tilewise::grading {
namespace {

TEST(Html, EscapesAllText) {
  const struct {
    const char* text;
    const char* markup;
  } cases[] = {
      {"plain", "plain"},
      {"<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"},
      {"a & b &lt;", "a &amp; b &amp;lt;"},
      {"\" onload=\"x", "&quot; onload=&quot;x"},
      {"\033[31m\x01", "\\x1b[31m\\x01"},
      {"\xff", "\\xff"},
      {"\xe2\x80\xae", "\\u{202e}"},
      {"n\xc2\xb2", "n\xc2\xb2"},
      {"", ""},
  };
  for (const auto& [text, markup] : cases) {
    EXPECT_EQ(Html(text).text(), markup);
    EXPECT_EQ(element("td", text).text(), std::string("<td>") + markup + "</td>");
    EXPECT_EQ(void_element("img", {{"alt", text}}).text(),
              std::string("<img alt=\"") + markup + "\">");
  }
}

TEST(Html, KeepsMarkupAsItIs) {
  const Html cell = element("td", element("strong", "1 < 2") + " & more");
  EXPECT_EQ(cell.text(), "<td><strong>1 &lt; 2</strong> &amp; more</td>");
}

TEST(Html, BreaksNamesBetweenTheirWords) {
  EXPECT_EQ(breakable("two_rows<").text(), "two_<wbr>rows&lt;");
}

TEST(HtmlTable, HasACaptionAndHeadingsThatSayWhatTheyHead) {
  const Table table{"A <caption>",
                    {{"block", true}, {"counted", false, "loads"}, {"ratio", false, "loads"}},
                    {{{"tile 8"}, {"1", Cell::Mark::best}, {"wrong", Cell::Mark::wrong}}}};
  EXPECT_EQ(html_of(table).text(),
            "<div class=\"table\"><table><caption>A &lt;caption&gt;</caption>\n"
            "<thead><tr><th class=\"text\" scope=\"col\" rowspan=\"2\">block</th>"
            "<th class=\"group\" scope=\"colgroup\" colspan=\"2\">loads</th></tr>\n"
            "<tr><th scope=\"col\">counted</th><th scope=\"col\">ratio</th></tr>\n</thead>\n"
            "<tbody><tr><th class=\"text\" scope=\"row\">tile 8</th>"
            "<td><strong>1</strong></td><td><span class=\"wrong\">wrong</span></td></tr>\n"
            "</tbody>\n</table>\n</div>\n");
}

TEST(HtmlTable, DropsColumnsWithNothingToShow) {
  Table table{
      "", {{"a"}, {"b"}, {"c"}}, {{{"1"}, {no_figure}, {no_figure}}, {{"2"}, {no_figure}, {"3"}}}};
  drop_empty_columns(table);
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[1].heading.text(), "c");
  EXPECT_EQ(table.rows[1][1].content.text(), "3");
}

TEST(Base64, EncodesAnyLength) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(base64(bytes), text);
}

TEST(NumberText, HasFourDigitsThatCount) {
  const std::pair<double, const char*> cases[] = {{0, "0"},
                                                  {0.012345, "0.01235"},
                                                  {1.0, "1.000"},
                                                  {12.345, "12.35"},
                                                  {999.94, "999.9"},
                                                  {1234.5, "1,235"},
                                                  {1234567, "1,234,567"},
                                                  {INFINITY, "?"},
                                                  {NAN, "?"},
                                                  {1e18, "1,000,000,000,000,000,000"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(significant(value), text) << value;
}

}  // namespace
}  // namespace tilewise::grading
