#pragma once

#include <filesystem>
#include <string>
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

}  // namespace tilewise::grading
