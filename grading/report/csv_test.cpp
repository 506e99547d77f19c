#include "grading/report/csv.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

TEST(Csv, QuotesWhatNeedsIt) {
  const struct {
    const char* text;
    const char* cell;
  } cases[] = {{"anna", "anna"},
               {"", ""},
               {"Lovelace, Ada", "\"Lovelace, Ada\""},
               {"the \"best\"", "\"the \"\"best\"\"\""},
               {"two\nlines", "\"two\nlines\""},
               {"=1+1", "'=1+1"},
               {"@cmd", "'@cmd"},
               {"-anna", "'-anna"},
               {"+1,2", "\"'+1,2\""},
               {"\033[31mred", "\\x1b[31mred"}};
  for (const auto& [text, cell] : cases) EXPECT_EQ(csv_cell(text), cell);
}

}  // namespace
}  // namespace tilewise::grading
