#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/charts/chart.hpp"
#include "grading/labreport/html.hpp"

namespace tilewise::grading {

/// Draws a chart as SVG: svg_of().
using Draw = std::function<std::string(const Chart&)>;

std::string base64(std::string_view bytes);

/// The charts, side by side where they are half as wide as the page. Each is an image of its own
/// inside the page, with its title and the last point of every line in words for those who cannot
/// see it.
Html figures_of(const std::vector<NamedChart>& charts, const Draw& draw);

}  // namespace tilewise::grading
