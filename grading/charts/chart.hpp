#pragma once

#include <string>
#include <vector>

namespace tilewise::grading {

struct Point {
  double x = 0;
  double y = 0;
};

/// One line of a chart.
struct Series {
  std::string name;
  std::vector<Point> points;  ///< by x
};

struct Axis {
  std::string label;  ///< with its unit: "time (ms)"
  bool logarithmic = false;
};

/// How much room a chart has on a page: half its width, with the names of the lines below, or all
/// of it, with the names beside.
enum class ChartSize { half, whole };

/// Lines over one horizontal axis, whose marks stand at the points' own places.
struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  ChartSize size = ChartSize::half;
};

/// A chart and what its file is called, without ".svg": letters, digits, "_", "-" and ".".
struct NamedChart {
  std::string name;
  Chart chart;
};

}  // namespace tilewise::grading
