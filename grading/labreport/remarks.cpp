#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grading/labreport/sections.hpp"

namespace tilewise::grading {
namespace {

std::string whose(Contender contender) {
  if (contender == Contender::student) return "Your ";
  if (contender == Contender::solution) return "The solution's ";
  if (contender == Contender::previous_stage) return "The previous stage's kernel, beside ";
  return fmt::format("{}, beside ", to_string(contender));
}

/// Rows that lack figures for the same reason: whole functions, or orders of one block.
struct Lack {
  const BenchRow* first;
  std::vector<std::string> functions;
  std::vector<int> orders;

  bool includes(const BenchRow& row) const {
    const bool same_reason = first->contender == row.contender && first->problem == row.problem &&
                             first->right == row.right && (first->n > 0) == (row.n > 0);
    return same_reason &&
           (row.n == 0 || (first->function == row.function && first->block == row.block));
  }
};

std::vector<Lack> lacks_in(const std::vector<const BenchRow*>& rows) {
  std::vector<Lack> lacks;
  for (const BenchRow* row : rows) {
    if (has_figures(*row)) continue;
    auto lack =
        std::ranges::find_if(lacks, [&](const Lack& known) { return known.includes(*row); });
    if (lack == lacks.end()) lack = lacks.insert(lack, {row, {}, {}});
    if (std::ranges::find(lack->functions, row->function) == lack->functions.end()) {
      lack->functions.push_back(row->function);
    }
    if (row->n > 0) lack->orders.push_back(row->n);
  }
  return lacks;
}

Html in_words(const Lack& lack) {
  const BenchRow& row = *lack.first;
  std::string what = whose(row.contender) + fmt::format("{}", fmt::join(lack.functions, ", "));
  if (row.not_written) {
    return element("li", fmt::format("{}: not written yet, so there are no figures.", what));
  }
  if (!row.block.empty()) what += ", " + row.block;
  if (!lack.orders.empty()) what += fmt::format(", n = {}", fmt::join(lack.orders, ", "));
  const std::string why =
      row.problem.empty()
          ? fmt::format(
                "the result is wrong, so how fast it came is not shown. ./lab grade {} "
                "says what is wrong with it.",
                row.stage)
          : "no figures. " + row.problem;
  return element("li", {{"class", "wrong"}}, what + ": " + why);
}

}  // namespace

Html remarks(const std::string& stage, const BenchReport& report) {
  std::vector<const BenchRow*> rows;
  for (const BenchRow& row : report.rows) {
    if (row.stage == stage) rows.push_back(&row);
  }
  Html items;
  for (const Lack& lack : lacks_in(rows)) items += in_words(lack);
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
