#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "grading/cohort/gradebook.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* style = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  background: #fff; color: #1c1e21; }
a { color: #0b57d0; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .8rem; text-align: left; }
td { font-variant-numeric: tabular-nums; }
td.failed, td.error { background: #fde8e6; }
tr.ungraded td { background: #fff3cd; font-style: italic; }
tr.missing td { background: #e4e7eb; font-style: italic; }
th button { font: inherit; font-weight: 600; border: 0; padding: .3rem 0; background: none; color: inherit; cursor: pointer;
  text-align: left; white-space: nowrap; }
th button::after { content: " \2195"; } [aria-sort=ascending] button::after { content: " \2191"; }
[aria-sort=descending] button::after { content: " \2193"; }
.bar { display: inline-block; height: .8em; width: calc(var(--part) * min(20em, 30vw)); background: #3b6ea8; }
.scroll { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; }
  td.failed, td.error { background: #4a2320; } tr.ungraded td { background: #453a14; }
  tr.missing td { background: #343a43; } th, td { border-color: #555; } .bar { background: #8ab4f8; }
}
)";

// Without scripts a heading is plain text. With them it sorts by its column's content: by number if
// there are numbers, with the rows that have none last.
constexpr const char* script = R"(<script>
for (const table of document.querySelectorAll("table.sorted")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((one) => one.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const of = (row) => row.cells[column]?.dataset.key ?? row.cells[column]?.textContent ?? "";
      const number = (text) => (/^-?\d/.test(text) && column > 0 ? parseFloat(text) : NaN);
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const [x, y] = [number(of(a)), number(of(b))];
        if (column > 0 && isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
        const order = isNaN(x) ? of(a).localeCompare(of(b)) : x - y;
        return down ? -order : order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
</script>
)";

/// Returns a name encoded as part of a relative address.
std::string in_address(const std::string& name) {
  std::string address;
  for (const unsigned char c : name) {
    const bool plain = std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    address += plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return address;
}

/// Makes wide tables scroll by themselves, with the keyboard, too.
std::string scrolling(const std::string& label, const std::string& table) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{}</div>\n",
      as_markup(label), table);
}

std::string points(double score, int max_score) {
  return fmt::format("{}/{}", points_in_words(score), max_score);
}

/// Returns a student's row. Students who handed in together each have one.
std::string gradebook_row(const Mark& mark, const std::vector<std::string>& stages) {
  const bool has_feedback = mark.state() != Mark::State::missing || !mark.remarks.empty();
  const std::string name =
      has_feedback ? fmt::format("<a href=\"feedback/{}.txt\">{}</a>",
                                 in_address(file_name_of(mark.name)), as_markup(mark.name))
                   : as_markup(mark.name);
  std::vector<PageCell> cells;
  const std::string status(to_string(mark.state()));
  if (!mark.has_points()) {
    cells.push_back(
        {mark.submission.empty()
             ? status
             : fmt::format("{}: {}", status, as_markup(first_line(mark.graded.problem)))});
    cells.resize(stages.size() + 3);
    return row_of(name, cells, mark.submission.empty() ? "missing" : "ungraded");
  }
  cells.push_back({status});
  cells.push_back({points(mark.points, mark.max_points)});
  for (const std::string& id : stages) {
    const StageMark* stage = mark.stage(id);
    cells.push_back({stage == nullptr ? "" : points(stage->points, stage->max_points)});
    const bool is_whole = stage == nullptr || stage->points >= stage->max_points;
    if (!is_whole) cells.back().style = "failed";
  }
  std::string remarks = as_markup(time_in_words(mark));
  for (const Remark& remark : mark.remarks) {
    remarks += fmt::format(
        "{}{}{}", remarks.empty() ? "" : "<br>",
        remark.points ? fmt::format("by hand {}{}{}: ", as_markup(remark.stage),
                                    remark.test.empty() ? " " : " " + as_markup(remark.test) + " ",
                                    points_in_words(*remark.points))
                      : "",
        as_markup(remark.comment));
  }
  cells.push_back({remarks, "", std::to_string(mark.late_days())});
  return row_of(name, cells, "");
}

std::string table_of_tests(const std::vector<Mark>& marks) {
  const std::vector<TestStatistics> tests = statistics_of(marks);
  std::vector<std::string> headings = {"Name"}, rows;
  for (const TestStatistics& test : tests) headings.push_back(test.stage + ": " + test.test);
  for (const Mark& mark : marks) {
    if (!mark.graded.result) continue;
    std::vector<PageCell> cells;
    for (const TestStatistics& test : tests) {
      const TestResult* result = result_of(mark, test);
      cells.emplace_back();
      if (result == nullptr) continue;
      const double reached = points_of(mark, test.stage, *result);
      cells.back().markup =
          fmt::format("{} {}", points(reached, result->max_score), to_string(result->status));
      if (result->status == Status::failed) cells.back().style = "failed";
    }
    rows.push_back(row_of(as_markup(mark.name), cells, ""));
  }
  return rows.empty() ? "" : sorted_table("Points of each test", headings, rows);
}

std::string table_of_statistics(const std::vector<Mark>& marks) {
  std::vector<TestStatistics> tests = statistics_of(marks);
  std::ranges::stable_sort(tests, {}, &TestStatistics::passed_pct);
  std::vector<std::string> rows;
  for (const TestStatistics& test : tests) {
    rows.push_back(row_of(as_markup(test.stage + ": " + test.test),
                          {{std::string(to_string(test.category))},
                           {fmt::format("{} ({:.0f}%)", test.passed, test.passed_pct())},
                           {std::to_string(test.failed)},
                           {std::to_string(test.others)}},
                          ""));
  }
  return sorted_table("Tests", {"Test", "Category", "Passed", "Failed", "Others"}, rows);
}

}  // namespace

std::string row_of(const std::string& heading_markup, const std::vector<PageCell>& cells,
                   const std::string& style) {
  const auto attribute = [](const char* name, const std::string& value) {
    return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, value);
  };
  std::string row =
      fmt::format("<tr{}><th scope=\"row\">{}</th>", attribute("class", style), heading_markup);
  for (const PageCell& cell : cells) {
    row += fmt::format("<td{}{}>{}</td>", attribute("class", cell.style),
                       attribute("data-key", cell.key), cell.markup);
  }
  return row + "</tr>\n";
}

std::string sorted_table(const std::string& caption, const std::vector<std::string>& headings,
                         const std::vector<std::string>& rows) {
  std::string table =
      fmt::format("<table class=\"sorted\"><caption>{}</caption><thead><tr>", as_markup(caption));
  for (const std::string& heading : headings) {
    table += fmt::format("<th scope=\"col\">{}</th>", as_markup(heading));
  }
  table += "</tr></thead><tbody>\n";
  for (const std::string& row : rows) table += row;
  return scrolling(caption, table + "</tbody></table>");
}

std::string page_of(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}</title><style>{1}</style></head><body><main>\n<h1>{0}</h1>\n{2}</main>\n{3}"
      "</body></html>\n",
      as_markup(title), style, body, script);
}

std::string distribution(const std::string& counts, const std::vector<PointsOf>& all) {
  if (all.empty()) return fmt::format("<p>{}</p>\n", as_markup(counts));
  constexpr int classes = 10;
  std::array<int, classes> in_class = {};
  std::vector<double> sorted;
  double sum = 0, most = 0;
  for (const PointsOf& one : all) {
    sorted.push_back(one.points);
    sum += one.points;
    most = std::max(most, one.max_points);
    const double part = one.max_points > 0 ? one.points / one.max_points : 0;
    ++in_class[std::clamp(static_cast<int>(classes * part), 0, classes - 1)];
  }
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  const double median =
      sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  std::string text = fmt::format(
      "<p>{} Mean of the graded: {:.1f} of {} points, median {:.1f}.</p>\n"
      "<table><caption>How many have how much</caption><thead><tr><th scope=\"col\">Points</th>"
      "<th scope=\"col\">Students</th></tr></thead><tbody>\n",
      as_markup(counts), sum / static_cast<double>(all.size()), points_in_words(most), median);
  for (int i = classes - 1; i >= 0; --i) {
    text += fmt::format(
        "<tr><th scope=\"row\">{} to {}{}%</th><td><span class=\"bar\" style=\"--part: "
        "{:.2f}\"></span> {}</td></tr>\n",
        100 / classes * i, i == classes - 1 ? "" : "under ", 100 / classes * (i + 1),
        1.0 * in_class[i] / static_cast<double>(all.size()), in_class[i]);
  }
  return text + "</tbody></table>\n";
}

std::string gradebook_html(const std::vector<Mark>& marks, const std::vector<std::string>& stages,
                           const std::string& title, const std::string& settings) {
  std::map<Mark::State, int> states;
  std::vector<PointsOf> all;
  for (const Mark& mark : marks) {
    ++states[mark.state()];
    if (mark.has_points()) all.push_back({mark.points, double(mark.max_points)});
  }
  std::string counts = fmt::format("{} students:", marks.size());
  for (const auto& [state, count] : states) {
    counts += fmt::format("{} {} {}", counts.ends_with(':') ? "" : ",", count, to_string(state));
  }
  std::vector<std::string> headings = {"Name", "Status", "Points"}, rows;
  headings.insert(headings.end(), stages.begin(), stages.end());
  headings.emplace_back("Remarks");
  for (const Mark& mark : marks) rows.push_back(gradebook_row(mark, stages));
  std::string body =
      fmt::format("<p>{}</p>\n{}", as_markup(settings), distribution(counts + ".", all));
  body += sorted_table("Students", headings, rows);
  body += table_of_statistics(marks);
  body += table_of_tests(marks);
  return page_of(title, body);
}

}  // namespace tilewise::grading
