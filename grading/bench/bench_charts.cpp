#include "grading/bench/bench_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "grading/bench/bench_views.hpp"

namespace tilewise::grading {
namespace {

/// What a chart shows of a row; nothing where the row has none.
using Figure = std::function<std::optional<double>(const BenchRow&)>;

struct Quantity {
  std::string name;  ///< of the file, and in the title
  Axis axis;
  Figure figure;
  bool of_others = true;  ///< of cuBLAS and the like, too
};

std::vector<Quantity> quantities(const std::string& unit) {
  return {{"rate", {unit}, [](const BenchRow& row) { return std::optional(row.rate); }},
          {"time", {"time (ms)", true}, [](const BenchRow& row) { return std::optional(row.ms); }},
          {"cgma",
           {"CGMA (operations an element)"},
           [](const BenchRow& row) { return row.cgma; },
           false}};
}

/// More lines than that nobody can follow, nor, in half a page's width, more than six.
constexpr std::size_t most_blocks = 8;
constexpr std::size_t most_in_half_width = 6;

ChartSize size_for(std::size_t lines) {
  return lines > most_in_half_width ? ChartSize::whole : ChartSize::half;
}

constexpr std::pair<Contender, const char*> others[] = {
    {Contender::solution, "solution"}, {Contender::previous_stage, "previous stage"},
    {Contender::cublas, "cuBLAS"},     {Contender::openblas, "OpenBLAS, CPU"},
    {Contender::copy, "a copy"},
};

/// Points of the rows that `row_of` finds for the orders.
template <class RowOf>
Series line(std::string name, const std::vector<int>& orders, const Figure& figure,
            const RowOf& row_of) {
  Series series{std::move(name), {}};
  for (const int n : orders) {
    const BenchRow* row = row_of(n);
    if (row == nullptr || !has_figures(*row)) continue;
    if (const auto value = figure(*row)) series.points.push_back({double(n), *value});
  }
  return series;
}

Series line_of_block(const Version& version, Contender subject, const std::string& block,
                     const std::string& name, const Figure& figure) {
  return line(name, orders_of(version), figure,
              [&](int n) { return row_at(version, subject, block, n); });
}

Series line_of_best(const Version& version, Contender contender, const std::string& name,
                    const Figure& figure) {
  return line(name, orders_of(version), figure,
              [&](int n) { return best_at(version, contender, n); });
}

std::vector<Series> lines_of_others(const Version& version, Contender subject,
                                    const Quantity& quantity) {
  std::vector<Series> lines;
  for (const auto& [contender, name] : others) {
    if (contender == subject || !quantity.of_others) continue;
    lines.push_back(line_of_best(version, contender, name, quantity.figure));
  }
  return lines;
}

/// Orders that double want an axis on which doubling is a step.
bool spans(const std::vector<Series>& lines, double Point::*coordinate, double times) {
  double least = 0, most = 0;
  for (const Series& series : lines) {
    for (const Point& point : series.points) {
      const double value = point.*coordinate;
      least = least == 0 ? value : std::min(least, value);
      most = std::max(most, value);
    }
  }
  return least > 0 && most >= times * least;
}

bool has_points(const std::vector<Series>& lines) {
  return std::ranges::any_of(lines, [](const Series& series) { return !series.points.empty(); });
}

std::string unit_of(const Version& version, Contender subject) {
  for (const BenchRow* row : version.rows) {
    if (row->contender == subject && !row->unit.empty()) return row->unit;
  }
  return "GFLOPS";
}

/// Draws lines of one unit; `own` are the subject's, without which there is nothing to show.
class Drawing {
 public:
  explicit Drawing(const BenchReport& report) : where_(where_taken(report)) {}

  void add(const std::string& name, const std::string& what, const Quantity& quantity,
           std::vector<Series> own, std::vector<Series> further, ChartSize size) {
    if (!has_points(own)) return;
    std::ranges::move(further, std::back_inserter(own));
    std::erase_if(own, [](const Series& series) { return series.points.empty(); });
    Chart chart{fmt::format("{}, {}", what, where_),
                {"order n", spans(own, &Point::x, 4)},
                quantity.axis,
                std::move(own),
                size};

    charts_.push_back({name, std::move(chart)});
  }

  std::vector<NamedChart> take() { return std::move(charts_); }

 private:
  std::string where_;
  std::vector<NamedChart> charts_;
};

std::string title_of(const std::string& what, const Quantity& quantity) {
  if (quantity.name == "rate") return fmt::format("{}: {}", what, quantity.axis.label);
  return fmt::format("{}: {}", what, quantity.name == "cgma" ? "CGMA" : quantity.name);
}

void draw_blocks(const Version& version, Contender subject, Drawing& drawing) {
  std::vector<std::string> fastest = blocks_by_rate(version, subject);
  std::string what = version.function;
  if (fastest.size() > most_blocks) {
    what += fmt::format(", {} fastest of {}", most_blocks, fastest.size());
    fastest.resize(most_blocks);
  }
  for (const Quantity& quantity : quantities(unit_of(version, subject))) {
    std::vector<Series> own;
    for (const std::string& block : blocks_of(version, subject)) {
      if (std::ranges::find(fastest, block) == fastest.end()) continue;
      own.push_back(line_of_block(version, subject, block, block, quantity.figure));
    }
    drawing.add(chart_prefix(version.stage) + version.function + "-" + quantity.name,
                title_of(what, quantity), quantity, own,
                lines_of_others(version, subject, quantity), size_for(own.size()));
  }
}

/// Functions of one stage that leave no choice, together.
void draw_functions(const std::vector<Version>& versions, Contender subject, Drawing& drawing) {
  if (versions.empty()) return;
  const Version& last = versions.back();
  for (const Quantity& quantity : quantities(unit_of(last, subject))) {
    std::vector<Series> own;
    for (const Version& version : versions) {
      own.push_back(line_of_best(version, subject, version.function, quantity.figure));
    }
    const std::string what = versions.size() == 1 ? last.function : "stage " + last.stage;
    drawing.add(chart_prefix(last.stage) + quantity.name, title_of(what, quantity), quantity, own,
                lines_of_others(last, subject, quantity), ChartSize::half);
  }
}

std::string name_with_block(const Version& version, Contender subject) {
  const std::vector<std::string> blocks = blocks_by_rate(version, subject);
  if (blocks.empty() || blocks.front().empty()) return version.function;
  return fmt::format("{} {}", version.function, blocks.front());
}

void draw_comparison(const std::string& problem, const std::vector<Version>& versions,
                     Contender subject, Drawing& drawing) {
  if (versions.size() < 2) return;
  Quantity rate = quantities(unit_of(versions.back(), subject)).front();
  std::vector<Series> own;
  for (const Version& version : versions) {
    const std::vector<std::string> blocks = blocks_by_rate(version, subject);
    if (blocks.empty()) continue;
    own.push_back(line_of_block(version, subject, blocks.front(), name_with_block(version, subject),
                                rate.figure));
  }
  std::vector<Series> libraries;
  for (const Contender library : {Contender::cublas, Contender::copy}) {
    const auto with = std::ranges::find_if(versions, [&](const Version& version) {
      return !blocks_by_rate(version, library).empty();
    });
    if (with == versions.end()) continue;
    const auto* const name =
        std::ranges::find(others, library, [](const auto& other) { return other.first; })->second;
    libraries.push_back(line_of_best(*with, library, name, rate.figure));
  }
  // From one block to thousands of GFLOPS: else the slower versions would lie on the ground.
  rate.axis.logarithmic = spans(own, &Point::y, 20);
  drawing.add(comparison_prefix + problem, "All versions, each with its fastest block", rate, own,
              libraries, ChartSize::whole);
}

/// Splits what comes in order into runs of the same key.
template <class Key>
std::vector<std::vector<Version>> groups(const std::vector<Version>& versions, const Key& key) {
  std::vector<std::pair<std::string, std::vector<Version>>> groups;
  for (const Version& version : versions) {
    const std::string of_this = key(version);
    auto group = std::ranges::find(groups, of_this, [](const auto& known) { return known.first; });
    if (group == groups.end()) group = groups.insert(group, {of_this, {}});
    group->second.push_back(version);
  }
  std::vector<std::vector<Version>> members;
  for (auto& [name, group] : groups) members.push_back(std::move(group));
  return members;
}

}  // namespace

std::string chart_prefix(const std::string& stage) { return stage + "-"; }

std::string problem_of(const std::string& function) {
  return function.substr(0, function.find('_'));
}

std::vector<NamedChart> charts_of(const BenchReport& report) {
  const Contender subject = subject_of(report);
  const std::vector<Version> versions = versions_of(report);
  Drawing drawing(report);
  for (const auto& stage : groups(versions, [](const Version& version) { return version.stage; })) {
    std::vector<Version> without_choice;
    for (const Version& version : stage) {
      if (blocks_of(version, subject).size() > 1) {
        draw_blocks(version, subject, drawing);
      } else {
        without_choice.push_back(version);
      }
    }
    draw_functions(without_choice, subject, drawing);
  }
  for (const auto& problem :
       groups(versions, [](const Version& version) { return problem_of(version.function); })) {
    draw_comparison(problem_of(problem.front().function), problem, subject, drawing);
  }
  return drawing.take();
}

}  // namespace tilewise::grading
