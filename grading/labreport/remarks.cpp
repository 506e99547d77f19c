#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "grading/labreport/sections.hpp"

namespace tilewise::grading {
namespace {

std::string whose(Contender contender) {
  if (contender == Contender::student) return "Your ";
  if (contender == Contender::solution) return "The solution's ";
  if (contender == Contender::previous_stage) return "The previous stage's kernel, beside ";
  return fmt::format("{}, beside ", to_string(contender));
}

/// Functions that lack figures for the same reason.
struct Lack {
  Contender contender;
  bool not_written;
  std::string problem;
  std::vector<std::string> functions;

  bool has_reason_of(const BenchRow& row) const {
    return std::tie(contender, not_written, problem) ==
           std::tie(row.contender, row.not_written, row.problem);
  }
};

/// What keeps whole functions from being called.
std::vector<Lack> lacks_in(const std::vector<const BenchRow*>& rows) {
  std::vector<Lack> lacks;
  for (const BenchRow* row : rows) {
    if (row->problem.empty() || row->n > 0) continue;
    auto lack =
        std::ranges::find_if(lacks, [&](const Lack& known) { return known.has_reason_of(*row); });
    if (lack == lacks.end()) {
      lack = lacks.insert(lack, {row->contender, row->not_written, row->problem, {}});
    }
    lack->functions.push_back(row->function);
  }
  return lacks;
}

Html in_words(const Lack& lack) {
  const std::string functions =
      whose(lack.contender) + fmt::format("{}", fmt::join(lack.functions, ", "));
  if (lack.not_written) {
    return element("li", fmt::format("{}: not written yet, so there are no figures.", functions));
  }
  return element("li", {{"class", "wrong"}},
                 fmt::format("{}: no figures. {}", functions, lack.problem));
}

/// What is wrong with one call; empty where nothing is.
Html in_words(const BenchRow& row, const std::string& stage) {
  if (row.n == 0) return {};
  const std::string call = whose(row.contender) + row.call;
  if (!row.problem.empty()) {
    return element("li", {{"class", "wrong"}},
                   fmt::format("{}: no figures. {}", call, row.problem));
  }
  if (row.right != false) return {};
  return element("li", {{"class", "wrong"}},
                 fmt::format("{}: the result is wrong, so how fast it came is not shown. "
                             "./lab grade {} says what is wrong with it.",
                             call, stage));
}

}  // namespace

Html remarks(const std::string& stage, const BenchReport& report) {
  std::vector<const BenchRow*> rows;
  for (const BenchRow& row : report.rows) {
    if (row.stage == stage) rows.push_back(&row);
  }
  Html items;
  for (const Lack& lack : lacks_in(rows)) items += in_words(lack);
  for (const BenchRow* row : rows) items += in_words(*row, stage);
  const Contender subject = subject_of(report);
  const bool any_unchecked = std::ranges::any_of(rows, [&](const BenchRow* row) {
    return row->contender == subject && has_figures(*row) && !row->right;
  });
  if (any_unchecked) {
    items += element("li",
                     "Not all of the results behind these figures were compared with the CPU's; "
                     "./lab grade compares them.");
  }
  return items.empty() ? Html() : element("ul", {{"class", "remarks"}}, items);
}

}  // namespace tilewise::grading
