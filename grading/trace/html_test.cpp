#include "grading/trace/html.hpp"

#include <gtest/gtest.h>


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

}  // namespace
}  // namespace tilewise::grading
