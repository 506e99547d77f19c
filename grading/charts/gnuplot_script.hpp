#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grading/charts/chart.hpp"

namespace tilewise::grading {

/// A string for gnuplot that stands for the text and cannot run anything: all that could mean
/// something to gnuplot (quotes, `commands`, macros, escapes) is written as its octal code. Control
/// characters are shown, line feeds become spaces, and what is longer than `room` characters is
/// cut.
std::string gnuplot_string(std::string_view text, std::size_t room);

/// Where marks of the axis stand: at the points' own places, as far as their numbers have room
/// beside each other. `places`: sorted, each once.
std::vector<double> marks_at(const std::vector<double>& places, bool logarithmic);

/// Where a script's chart goes, in the folder that gnuplot runs in.
constexpr const char* chart_file = "chart.svg";

/// What makes gnuplot write `chart` as SVG to `chart_file`; the data are part of it.
/// @throws std::invalid_argument where no point can be drawn
std::string gnuplot_script(const Chart& chart);

}  // namespace tilewise::grading
