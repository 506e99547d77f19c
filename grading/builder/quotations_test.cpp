#include "grading/builder/quotations.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

Quotations quotations() {
  Quotations quotations;
  quotations.add("int a;\n\tzero<<<1, n>>>(D);\n#pragma unroll T\n",
                 "#line 1 \"x.cu\"\nint a;\n\tlaunch(1, n)(D);\n\n");
  return quotations;
}

TEST(Quotations, AreTheStudentsOwn) {
  const struct {
    const char* what;
    std::string_view message, restored;
  } cases[] = {
      {"a rewritten line, its tab expanded",
       "x.cu:2:3: error: no D\n        launch(1, n)(D);\n                     ^\n1 error.\n",
       "x.cu:2:3: error: no D\n\tzero<<<1, n>>>(D);\n1 error.\n"},
      {"a range under it", "launch(1, n)(D);\n  ~~~^\n", "\tzero<<<1, n>>>(D);\n"},
      {"no caret under it", "launch(1, n)(D);\nx.cu:2:3: note: x\n",
       "\tzero<<<1, n>>>(D);\nx.cu:2:3: note: x\n"},
      {"nothing under it", "launch(1, n)(D);", "\tzero<<<1, n>>>(D);\n"},
      {"a line as it was", "int a;\n    ^\n", "int a;\n    ^\n"},
      {"as g++ quotes", "    2 |  zero<<<1, n>>>(D);\n      |    ^\n",
       "    2 |  zero<<<1, n>>>(D);\n      |    ^\n"},
      {"a blank line", "error: a\n\nerror: b\n", "error: a\n\nerror: b\n"},
      {"nothing", "", ""},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(quotations().restore(expected.message), expected.restored) << expected.what;
  }
}

}  // namespace
}  // namespace tilewise::grading
