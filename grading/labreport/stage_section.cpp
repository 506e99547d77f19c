#include <fmt/format.h>

#include <algorithm>

#include "grading/bench/bench_charts.hpp"
#include "grading/labreport/sections.hpp"

namespace tilewise::grading {
namespace {

Html formulas(const StageNotes& notes) {
  Html items;
  for (const std::string& formula : notes.accesses) items += element("li", formula);
  return element("p", "Elements of global memory, by pencil and paper:") +
         element("ul", {{"class", "formulas"}}, items);
}

Html group_part(const LineGroup& group, const BenchReport& report, const Draw& draw) {
  Html part;
  if (!group.function.empty()) part += element("h3", element("code", group.function));
  part += occupancy_table(group);
  part += access_table(group);
  part += result_tables(group, report);
  part += figures_of(charts_of(group, where_taken(report)), draw);
  return part;
}

}  // namespace

Html conclusions(const std::string& id, const std::vector<std::string>& questions) {
  Html boxes;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string question_id = fmt::format("{}-question-{}", id, i + 1);
    boxes += element("div", {{"class", "answer"}},
                     element("p", {{"id", question_id}}, questions[i]) +
                         element("div",
                                 {{"class", "lines"},
                                  {"contenteditable", "true"},
                                  {"role", "textbox"},
                                  {"aria-multiline", "true"},
                                  {"aria-labelledby", question_id}},
                                 ""));
  }
  return boxes;
}

Html stage_section(const StageNotes& notes, const BenchReport& report, const Draw& draw) {
  Html section = element("h2", {{"id", "stage-" + notes.id}}, notes.title) +
                 element("p", {{"class", "purpose"}}, notes.purpose) + remarks(notes.id, report);
  bool any = false;
  Html groups;
  for (const LineGroup& group : groups_of(report)) {
    if (group.stage != notes.id) continue;
    groups += group_part(group, report, draw);
    any = true;
  }
  section += any ? formulas(notes) + groups
                 : element("p", {{"class", "missing"}}, "There are no figures of this stage.");
  section += element("h3", "Conclusions") + conclusions(notes.id, notes.questions);
  return element("section", {{"class", "new-page"}}, section);
}

}  // namespace tilewise::grading
