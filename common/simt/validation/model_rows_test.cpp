// That common/theory/testdata/model_counters.csv is what the simulator counts: a few of its rows,
// of each GPU and kind of kernel, anew.

#include "common/simt/validation/model_rows.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "common/core/files.hpp"

namespace tilewise::simt {
namespace {

std::vector<std::string> recorded_lines() {
  std::ifstream file(core::project_root() / "common/theory/testdata/model_counters.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(ModelRows, AreWhatTheSimulatorCounts) {
  const auto rows = theory::reference_table("model_measurements.csv");
  const std::vector<std::string> recorded = recorded_lines();
  ASSERT_EQ(recorded.size(), rows.size() + 1);
  EXPECT_EQ(recorded[0], model_counters_header());
  // The smallest order of each function on each GPU takes a second or less.
  constexpr int largest = 1024;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].integer("n") > largest && rows[i].text("document") != "put2025") continue;
    const std::string kind = rows[i].text("gpu") + " " + rows[i].text("function");
    if (!seen.insert(kind).second) continue;
    EXPECT_EQ(model_counters_line(rows[i]), recorded[i + 1]) << rows[i].place();
  }
  EXPECT_GE(seen.size(), 18u);
}

}  // namespace
}  // namespace tilewise::simt
