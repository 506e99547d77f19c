#include "grading/cohort/gradebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// Ids of the stages that any submission was graded on.
std::vector<std::string> stages_of(const std::vector<GradebookRow>& rows) {
  std::vector<std::string> ids;
  for (const GradebookRow& row : rows) {
    if (!row.outcome.result) continue;
    for (const StageResult& stage : row.outcome.result->stages) {
      if (std::ranges::find(ids, stage.id) == ids.end()) ids.push_back(stage.id);
    }
  }
  return ids;
}

const StageResult* stage_of(const GradebookRow& row, const std::string& id) {
  if (!row.outcome.result) return nullptr;
  const auto& stages = row.outcome.result->stages;
  const auto found = std::ranges::find(stages, id, &StageResult::id);
  return found == stages.end() ? nullptr : &*found;
}

/// A name as part of a relative address.
std::string in_address(const std::string& name) {
  std::string address;
  for (const unsigned char c : name) {
    const bool plain = std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    address += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return address;
}

std::string points(int score, int max_score) { return fmt::format("{}/{}", score, max_score); }

std::string html_row(const GradebookRow& row, const std::vector<std::string>& stages) {
  std::string cells = fmt::format("<th scope=\"row\"><a href=\"feedback/{}.txt\">{}</a></th>",
                                  in_address(file_name_of(row.name)), as_markup(row.name));
  if (!row.outcome.result) {
    return fmt::format("<tr>{}<td colspan=\"{}\">not graded: {}</td></tr>\n", cells,
                       stages.size() + 1, as_markup(first_line(row.outcome.problem)));
  }
  cells +=
      fmt::format("<td>{}</td>", points(row.outcome.result->score, row.outcome.result->max_score));
  for (const std::string& id : stages) {
    const StageResult* stage = stage_of(row, id);
    cells += stage == nullptr ? "<td></td>"
                              : fmt::format("<td class=\"{}\">{}</td>", to_string(stage->status),
                                            points(stage->score, stage->max_score));
  }
  return fmt::format("<tr>{}</tr>\n", cells);
}

constexpr const char* style = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .8rem; text-align: left; }
td { font-variant-numeric: tabular-nums; }
td.failed, td.error { background: #fde8e6; }
.scroll { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; }
  td.failed, td.error { background: #4a2320; } th, td { border-color: #444; }
}
)";

}  // namespace

double TestStatistics::passed_pct() const {
  const int judged = passed + failed;
  return judged == 0 ? 0 : 100.0 * passed / judged;
}

std::vector<TestStatistics> statistics_of(const std::vector<GradebookRow>& rows) {
  std::vector<TestStatistics> all;
  for (const GradebookRow& row : rows) {
    if (!row.outcome.result) continue;
    for (const StageResult& stage : row.outcome.result->stages) {
      for (const TestResult& test : stage.tests) {
        auto found = std::ranges::find_if(all, [&](const TestStatistics& known) {
          return known.stage == stage.id && known.test == test.name;
        });
        if (found == all.end()) {
          found = all.insert(all.end(), {stage.id, test.name, test.category, 0, 0, 0});
        }
        found->passed += test.status == Status::passed;
        found->failed += test.status == Status::failed;
        found->others += test.status != Status::passed && test.status != Status::failed;
      }
    }
  }
  return all;
}

std::string gradebook_csv(const std::vector<GradebookRow>& rows) {
  const std::vector<std::string> stages = stages_of(rows);
  std::string csv = "name,status,score,max_score";
  for (const std::string& id : stages) csv += "," + csv_cell(id);
  csv += ",problem\r\n";
  for (const GradebookRow& row : rows) {
    csv += csv_cell(row.name);
    const auto& result = row.outcome.result;
    csv +=
        result ? fmt::format(",graded,{},{}", result->score, result->max_score) : ",not graded,0,";
    for (const std::string& id : stages) {
      const StageResult* stage = stage_of(row, id);
      csv += stage == nullptr ? "," : fmt::format(",{}", stage->score);
    }
    csv += "," + csv_cell(first_line(row.outcome.problem)) + "\r\n";
  }
  return csv;
}

std::string statistics_csv(const std::vector<GradebookRow>& rows) {
  std::string csv = "stage,test,category,passed,failed,others,passed_pct\r\n";
  for (const TestStatistics& test : statistics_of(rows)) {
    csv += fmt::format("{},{},{},{},{},{},{:.1f}\r\n", csv_cell(test.stage), csv_cell(test.test),
                       to_string(test.category), test.passed, test.failed, test.others,
                       test.passed_pct());
  }
  return csv;
}

std::string gradebook_html(const std::vector<GradebookRow>& rows, const std::string& title) {
  const std::vector<std::string> stages = stages_of(rows);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      as_markup(title), style);
  page +=
      "<div class=\"scroll\"><table><caption>Submissions</caption><thead><tr>"
      "<th scope=\"col\">Name</th><th scope=\"col\">Points</th>";
  for (const std::string& id : stages)
    page += fmt::format("<th scope=\"col\">{}</th>", as_markup(id));
  page += "</tr></thead><tbody>\n";
  for (const GradebookRow& row : rows) page += html_row(row, stages);
  page +=
      "</tbody></table></div>\n<div class=\"scroll\"><table><caption>Tests</caption><thead><tr>"
      "<th scope=\"col\">Test</th><th scope=\"col\">Category</th><th scope=\"col\">Passed</th>"
      "<th scope=\"col\">Failed</th><th scope=\"col\">Others</th></tr></thead><tbody>\n";
  std::vector<TestStatistics> tests = statistics_of(rows);
  std::ranges::stable_sort(tests, {}, &TestStatistics::passed_pct);
  for (const TestStatistics& test : tests) {
    page += fmt::format(
        "<tr><th scope=\"row\">{}: {}</th><td>{}</td><td>{} ({:.0f}%)</td><td>{}</td><td>{}</td>"
        "</tr>\n",
        as_markup(test.stage), as_markup(test.test), to_string(test.category), test.passed,
        test.passed_pct(), test.failed, test.others);
  }
  return page + "</tbody></table></div>\n</body></html>\n";
}

}  // namespace tilewise::grading
