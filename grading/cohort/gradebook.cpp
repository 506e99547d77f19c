#include "grading/cohort/gradebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

/// Ids of the stages that any submission was graded on.
std::vector<std::string> stages_of(const std::vector<GradebookRow>& rows) {
  std::vector<std::string> ids;
  for (const GradebookRow& row : rows) {
    if (!row.graded.result) continue;
    for (const StageResult& stage : row.graded.result->stages) {
      if (std::ranges::find(ids, stage.id) == ids.end()) ids.push_back(stage.id);
    }
  }
  return ids;
}

const StageResult* stage_of(const GradebookRow& row, const std::string& id) {
  if (!row.graded.result) return nullptr;
  const auto& stages = row.graded.result->stages;
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
  if (!row.graded.result) {
    return fmt::format("<tr class=\"ungraded\">{}<td colspan=\"{}\">not graded: {}</td></tr>\n",
                       cells, stages.size() + 1, as_markup(first_line(row.graded.problem)));
  }
  cells +=
      fmt::format("<td>{}</td>", points(row.graded.result->score, row.graded.result->max_score));
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
tr.ungraded td { background: #fff3cd; }
th button { font: inherit; font-weight: 600; border: 0; padding: 0; background: none; color: inherit; cursor: pointer; }
th button::after { content: " \2195"; } [aria-sort=ascending] button::after { content: " \2191"; }
[aria-sort=descending] button::after { content: " \2193"; }
.bar { display: inline-block; height: .8em; background: #3b6ea8; }
.scroll { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; }
  td.failed, td.error { background: #4a2320; } tr.ungraded td { background: #453a14; } th, td { border-color: #444; }
}
)";

// A heading sorts by what its column says: by numbers where it has some, those without last.
constexpr const char* script = R"(<script>
for (const table of document.querySelectorAll("table.sorted")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => heading.firstChild.addEventListener("click", () => {
    const down = heading.ariaSort === "ascending";
    headings.forEach((one) => one.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const of = (row) => row.cells[column]?.textContent ?? "";
    const number = (text) => (/^\d/.test(text) && column > 0 ? parseFloat(text) : NaN);
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [number(of(a)), number(of(b))];
      if (column > 0 && isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
      const order = isNaN(x) ? of(a).localeCompare(of(b)) : x - y;
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  }));
}
</script>
)";

std::string heading_that_sorts(const std::string& markup) {
  return fmt::format("<th scope=\"col\"><button type=\"button\">{}</button></th>", markup);
}

/// Their mean, and how many have which tenth of all points.
std::string distribution(const std::vector<GradebookRow>& rows) {
  constexpr int classes = 10;
  std::array<int, classes> counts = {};
  int graded = 0, score = 0, max_score = 0;
  for (const GradebookRow& row : rows) {
    if (!row.graded.result) continue;
    ++graded;
    score += row.graded.result->score;
    max_score += row.graded.result->max_score;
    const int most = std::max(1, row.graded.result->max_score);
    ++counts[std::min(classes - 1, classes * row.graded.result->score / most)];
  }
  std::string text = fmt::format("<p>{} submissions: {} graded, {} not.", rows.size(), graded,
                                 std::ssize(rows) - graded);
  if (max_score == 0) return text + "</p>\n";
  text += fmt::format(
      " Mean of the graded: {:.1f} of {:.1f} points.</p>\n"
      "<table><caption>How many have how much</caption><thead><tr><th scope=\"col\">Points</th>"
      "<th scope=\"col\">Submissions</th></tr></thead><tbody>\n",
      double(score) / graded, double(max_score) / graded);
  for (int i = classes - 1; i >= 0; --i) {
    text += fmt::format(
        "<tr><th scope=\"row\">{} to {}{}%</th><td><span class=\"bar\" style=\"width: "
        "{:.0f}em\"></span> {}</td></tr>\n",
        100 / classes * i, i == classes - 1 ? "" : "under ", 100 / classes * (i + 1),
        20.0 * counts[i] / graded, counts[i]);
  }
  return text + "</tbody></table>\n";
}

}  // namespace

double TestStatistics::passed_pct() const {
  const int judged = passed + failed;
  return judged == 0 ? 0 : 100.0 * passed / judged;
}

std::vector<TestStatistics> statistics_of(const std::vector<GradebookRow>& rows) {
  std::vector<TestStatistics> all;
  for (const GradebookRow& row : rows) {
    if (!row.graded.result) continue;
    for (const StageResult& stage : row.graded.result->stages) {
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
    const auto& result = row.graded.result;
    csv +=
        result ? fmt::format(",graded,{},{}", result->score, result->max_score) : ",not graded,,";
    for (const std::string& id : stages) {
      const StageResult* stage = stage_of(row, id);
      csv += stage == nullptr ? "," : fmt::format(",{}", stage->score);
    }
    csv += "," + csv_cell(first_line(row.graded.problem)) + "\r\n";
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

std::string gradebook_html(const std::vector<GradebookRow>& rows, const std::string& title,
                           const std::string& settings) {
  const std::vector<std::string> stages = stages_of(rows);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      as_markup(title), style);
  page += fmt::format("<p>{}</p>\n{}", as_markup(settings), distribution(rows));
  page += "<div class=\"scroll\"><table class=\"sorted\"><caption>Submissions</caption><thead><tr>";
  page += heading_that_sorts("Name") + heading_that_sorts("Points");
  for (const std::string& id : stages) page += heading_that_sorts(as_markup(id));
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
  return page + "</tbody></table></div>\n" + script + "</body></html>\n";
}

}  // namespace tilewise::grading
