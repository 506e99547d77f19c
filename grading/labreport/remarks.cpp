#include <fmt/format.h>

#include <set>

#include "grading/labreport/sections.hpp"

namespace tilewise::grading {
namespace {

/// "Your matmul_shared", "The solution's matmul_shared".
std::string whose(const BenchRow& row) {
  const std::string what = row.function.empty() ? "kernels" : row.function;
  switch (row.contender) {
    case Contender::student:
      return "Your " + what;
    case Contender::solution:
      return "The solution's " + what;
    case Contender::previous_stage:
      return "The previous stage's kernel beside " + what;
    default:
      return fmt::format("{} beside {}", to_string(row.contender), what);
  }
}

std::string call_of(const BenchRow& row) {
  return row.call.empty() ? "" : ", called as " + row.call;
}

}  // namespace

Html remarks(const std::string& stage, const BenchReport& report) {
  Html items;
  std::set<std::string> said;
  bool any_unchecked = false;
  for (const BenchRow& row : report.rows) {
    if (row.stage != stage) continue;
    const auto say = [&](const char* kind, const std::string& sentence) {
      if (!said.insert(sentence).second) return;
      items += element("li", {{"class", kind}}, sentence);
    };
    if (!row.problem.empty()) {
      say("wrong", fmt::format("{}{}: no figures. {}", whose(row), call_of(row), row.problem));
    } else if (row.right == false) {
      say("wrong", fmt::format("{}{}: the result is wrong, so how fast it came is not shown. "
                               "./lab grade {} says what is wrong with it.",
                               whose(row), call_of(row), stage));
    } else if (!row.right && row.contender == subject_of(report)) {
      any_unchecked = true;
    }
  }
  if (any_unchecked) {
    items += element("li",
                     "Not all of the results behind these figures were compared with the "
                     "CPU's; ./lab grade compares them.");
  }
  return items.empty() ? Html() : element("ul", {{"class", "remarks"}}, items);
}

}  // namespace tilewise::grading
