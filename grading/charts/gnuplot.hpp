#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/charts/chart.hpp"

namespace tilewise::grading {

/// Finds out before the work rather than after it whether there is a gnuplot.
/// @throws std::runtime_error that says how to install it
void demand_gnuplot();

/// The chart as SVG, drawn by gnuplot. Points that are not finite, or not positive on a logarithmic
/// axis, are left out. Titles, labels and names may hold anything; they are shown as printable()
/// has them, long ones cut.
/// @throws std::invalid_argument where no point is left, std::runtime_error where gnuplot is
/// missing
///         or fails
std::string svg_of(const Chart& chart);

/// Writes FOLDER/NAME.svg for each chart; makes the folder where it is missing.
/// @throws as svg_of, and std::runtime_error naming a file that cannot be written
void write_charts(const std::filesystem::path& folder, const std::vector<NamedChart>& charts);

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
