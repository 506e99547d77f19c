#include "grading/labreport/figures.hpp"

#include <fmt/format.h>

#include "grading/labreport/number_text.hpp"

namespace tilewise::grading {
namespace {

std::string in_words(const Chart& chart) {
  std::string text = fmt::format("Chart of {} against {}.", chart.y.label, chart.x.label);
  for (const Series& series : chart.series) {
    if (series.points.empty()) continue;
    const Point& last = series.points.back();
    text += fmt::format(" {}: {} at {}.", series.name, significant(last.y), last.x);
  }
  return text;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u;
    };
    const unsigned group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += digits[group >> 18];
    text += digits[group >> 12 & 63];
    text += i + 1 < bytes.size() ? digits[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? digits[group & 63] : '=';
  }
  return text;
}

Html figures_of(const std::vector<NamedChart>& charts, const Draw& draw) {
  Html figures;
  for (const auto& [name, chart] : charts) {
    Chart untitled = chart;  // the caption says it
    untitled.title.clear();
    const Html image = void_element(
        "img",
        {{"src", "data:image/svg+xml;base64," + base64(draw(untitled))}, {"alt", in_words(chart)}});
    figures += element("figure", {{"class", chart.size == ChartSize::half ? "half" : "whole"}},
                       image + element("figcaption", chart.title));
  }
  return charts.empty() ? Html() : element("div", {{"class", "figures"}}, figures);
}

}  // namespace tilewise::grading
