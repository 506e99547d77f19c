#include "grading/charts/gnuplot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/programs.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) {
    throw std::runtime_error(
        fmt::format("cannot write {}: {}", printable(file.string()), std::strerror(errno)));
  }
}

void demand_plain(const std::string& name) {
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (name.empty() || name.find_first_not_of(allowed) != name.npos) {
    throw std::invalid_argument(printable(name) + " is no name for a chart's file");
  }
}

}  // namespace

void demand_gnuplot() {
  if (!find_program("gnuplot").empty()) return;
  throw std::runtime_error(
      "charts are drawn by gnuplot, which is not installed: sudo apt-get install gnuplot-nox");
}

std::string svg_of(const Chart& chart) {
  demand_gnuplot();
  const ScratchDirectory scratch;
  constexpr const char* script_file = "chart.gp";
  write(scratch.path() / script_file, gnuplot_script(chart));
  Command command;
  // Without the settings that the user keeps for his own charts.
  command.arguments = {"gnuplot", "--default-settings", script_file};
  command.working_directory = scratch.path();
  // Numbers with a point, whatever the user's language.
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.time_limit_s = 60;
  const CommandResult result = run_command(command);
  std::ostringstream text;
  text << std::ifstream(scratch.path() / chart_file, std::ios::binary).rdbuf();
  if (!result.succeeded() || text.str().find("</svg>") == std::string::npos) {
    throw std::runtime_error(fmt::format("gnuplot {} on the chart '{}': {}",
                                         describe_ending(result), printable(chart.title),
                                         printable(result.output)));
  }
  return text.str();
}

void write_charts(const fs::path& folder, const std::vector<NamedChart>& charts) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot make the folder {}: {}", printable(folder.string()), error.message()));
  }
  for (const auto& [name, chart] : charts) {
    demand_plain(name);
    write(folder / (name + ".svg"), svg_of(chart));
  }
}

namespace {

/// How lines differ, in print without colours, too. Colours: Okabe and Ito's, which those see apart
/// who see red and green alike; the yellow is left out, because it is lost on white paper. The
/// shapes, by gnuplot's numbers: filled ones first, then outlines.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                   "#56B4E9", "#E69F00", "#000000"};
constexpr const char* dashes[] = {"1", "(8,4)", "(3,3)", "(8,3,2,3)"};
constexpr int shapes[] = {7, 5, 9, 13, 11, 4, 6, 8, 12, 10};

/// Characters across half a page. A name that is longer gnuplot would leave out altogether.
constexpr std::size_t room_for_title = 64;
constexpr std::size_t room_for_name = 34;

template <class T, std::size_t size>
T in_turn(const T (&choices)[size], std::size_t i) {
  return choices[i % size];
}

/// With at most so many characters.
std::string shortened(const std::string& text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++characters > most) return text.substr(0, i) + "...";
  }
  return text;
}

bool can_be_drawn(const Point& point, const Chart& chart) {
  return std::isfinite(point.x) && std::isfinite(point.y) &&
         (!chart.x.logarithmic || point.x > 0) && (!chart.y.logarithmic || point.y > 0);
}

/// Without the points that cannot be drawn and the lines that have no others.
std::vector<Series> drawn(const Chart& chart) {
  std::vector<Series> lines;
  for (const Series& series : chart.series) {
    Series line{series.name, {}};
    std::ranges::copy_if(series.points, std::back_inserter(line.points),
                         [&](const Point& point) { return can_be_drawn(point, chart); });
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  if (lines.empty()) throw std::invalid_argument("the chart '" + chart.title + "' has no points");
  return lines;
}

std::vector<double> places_of(const std::vector<Series>& lines) {
  std::vector<double> places;
  for (const Series& line : lines) {
    for (const Point& point : line.points) places.push_back(point.x);
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::string marks_of(const std::vector<double>& places, bool logarithmic) {
  std::string marks;
  for (const double place : marks_at(places, logarithmic)) {
    marks += fmt::format("{}'{:.0f}' {}", marks.empty() ? "" : ", ", place, place);
  }
  return marks;
}

/// With room beyond the first and the last point.
std::string range_of(const std::vector<double>& places, bool logarithmic) {
  const double first = places.front(), last = places.back();
  if (logarithmic) return fmt::format("[{}:{}]", first / 1.15, last * 1.15);
  const double margin =
      first == last ? std::max(1.0, 0.1 * std::abs(first)) : 0.05 * (last - first);
  return fmt::format("[{}:{}]", first - margin, last + margin);
}

/// Size of the picture, and where the names of the lines stand. Below they take room as they need,
/// so that the lines themselves always have the same.
std::string layout_of(const Chart& chart, const std::vector<Series>& lines) {
  int width = 960, height = 400;
  std::string key = "outside right top vertical";
  if (chart.size == ChartSize::half) {
    constexpr std::size_t room_of_a_column = 18;
    constexpr int row_height = 19;
    const bool all_short = std::ranges::all_of(
        lines, [](const Series& line) { return line.name.size() <= room_of_a_column; });
    const int columns = all_short ? 2 : 1;
    const int rows = (static_cast<int>(lines.size()) + columns - 1) / columns;
    width = 480;
    height = 290 + rows * row_height;
    key = fmt::format("outside below center horizontal maxcols {}", columns);
  }
  return fmt::format(
      "set terminal svg noenhanced size {},{} font 'Helvetica,Arial,sans-serif,14' "
      "background '#ffffff'\nset key {} Left reverse samplen 3\n",
      width, height, key);
}

}  // namespace

std::string gnuplot_string(std::string_view text, std::size_t room) {
  std::string quoted = "\"";
  for (const char c : shortened(printable(text), room)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t') {
      quoted += ' ';
    } else if (byte >= 0x80 || std::isalnum(byte) || c == ' ') {
      quoted += c;
    } else {
      quoted += fmt::format("\\{:03o}", byte);
    }
  }
  return quoted + "\"";
}

std::vector<double> marks_at(const std::vector<double>& places, bool logarithmic) {
  const auto on_paper = [&](double place) { return logarithmic ? std::log(place) : place; };
  const double width = on_paper(places.back()) - on_paper(places.front());
  constexpr double room = 0.1;  // of the axis, for a number of five digits
  std::vector<double> marks;
  // From the right, since the largest order is the one that is talked about.
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    if (marks.empty() || on_paper(marks.back()) - on_paper(*place) >= room * width) {
      marks.push_back(*place);
    }
  }
  std::ranges::reverse(marks);
  return marks;
}

std::string gnuplot_script(const Chart& chart) {
  const std::vector<Series> lines = drawn(chart);
  const std::vector<double> places = places_of(lines);
  std::string script = layout_of(chart, lines);
  script += fmt::format("set encoding utf8\nset output '{}'\n", chart_file);
  if (!chart.title.empty()) {
    script += fmt::format("set title {}\n", gnuplot_string(chart.title, room_for_title));
  }
  script +=
      fmt::format("set xlabel {} offset 0,0.5\n", gnuplot_string(chart.x.label, room_for_title));
  script += fmt::format("set ylabel {}\n", gnuplot_string(chart.y.label, room_for_title));
  script += "set border 3\nset tics out nomirror\n";
  script += "set grid ytics linecolor rgb '#d0d0d0' linewidth 1 dashtype 1\n";
  if (chart.x.logarithmic) script += "set logscale x\n";
  script += fmt::format("set xrange {}\n", range_of(places, chart.x.logarithmic));
  script += fmt::format("set xtics ({})\n", marks_of(places, chart.x.logarithmic));
  script += "set format y '%g'\n";
  if (chart.y.logarithmic) {
    script += "set logscale y\n";
  } else {
    script += "set yrange [0:*]\n";  // heights that start elsewhere exaggerate
  }
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    script += fmt::format("$line{} << END\n", i);
    for (const Point& point : lines[i].points) script += fmt::format("{} {}\n", point.x, point.y);
    script += "END\n";
    plots.push_back(
        fmt::format("$line{} using 1:2 with linespoints linecolor rgb '{}' linewidth 2 dashtype {} "
                    "pointtype {} pointsize 0.7 title {}",
                    i, in_turn(colours, i), in_turn(dashes, i), in_turn(shapes, i),
                    gnuplot_string(lines[i].name, room_for_name)));
  }
  return script + fmt::format("plot {}\n", fmt::join(plots, ", \\\n     "));
}

}  // namespace tilewise::grading
