#include "grading/trace/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

// A card of its own, so that it can be read on any page around it.
constexpr const char* styles =
    "svg{--bg:#fff;--ink:#1b2430;--soft:#586473;--line:#d3dae3;--cell:#f4f6f9;--other:#ccd5e0;"
    "--bad:#c62f2f;--t0:#2563eb;--t1:#d9480f;--t2:#0b7f57;--t3:#8b35c9;"
    "--p0:#2563eb;--p1:#d9480f;--p2:#0b7f57;--p3:#8b35c9;--p4:#a16207;--p5:#be185d;--p6:#0e7490;"
    "--p7:#4d7c0f;font-family:system-ui,'Segoe UI','Noto Sans',Helvetica,Arial,sans-serif;"
    "font-size:13px}"
    "@media(prefers-color-scheme:dark){svg{--bg:#12171f;--ink:#e8edf4;--soft:#9dabbd;"
    "--line:#2f3a48;--cell:#1a212c;--other:#3d4a5c;--bad:#ff8078;--t0:#6ea8fe;--t1:#ff9d5c;"
    "--t2:#4fd1a1;--t3:#c79bff;--p0:#6ea8fe;--p1:#ff9d5c;--p2:#4fd1a1;--p3:#c79bff;--p4:#e3b341;"
    "--p5:#ff7eb6;--p6:#56d4dd;--p7:#a3d45c}}"
    "text{fill:var(--ink)}.big{font-size:16px;font-weight:600}.small{font-size:11px}"
    ".tiny{font-size:9px}"
    ".mono{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    ".mid{text-anchor:middle}.end{text-anchor:end}.soft{fill:var(--soft)}.bad{fill:var(--bad)}"
    ".bold{font-weight:600}.on{fill:var(--bg)}";

std::string colour(std::string_view name) { return fmt::format("var(--{})", name); }

}  // namespace

void Svg::reach(int x, int y) {
  width_ = std::max(width_, x);
  height_ = std::max(height_, y);
}

void Svg::rect(int x, int y, int width, int height, std::string_view fill, std::string_view more) {
  reach(x + width, y + height);
  Attributes attributes = {{"x", std::to_string(x)},
                           {"y", std::to_string(y)},
                           {"width", std::to_string(width)},
                           {"height", std::to_string(height)},
                           {"fill", colour(fill)}};
  if (!more.empty()) attributes.emplace_back("opacity", std::string(more));
  parts_ += element("rect", attributes, {}) + Html::markup("\n");
}

void Svg::frame(int x, int y, int width, int height, std::string_view stroke, int stroke_width) {
  reach(x + width, y + height);
  parts_ += element("rect",
                    {{"x", std::to_string(x)},
                     {"y", std::to_string(y)},
                     {"width", std::to_string(width)},
                     {"height", std::to_string(height)},
                     {"fill", "none"},
                     {"stroke", colour(stroke)},
                     {"stroke-width", std::to_string(stroke_width)}},
                    {}) +
            Html::markup("\n");
}

void Svg::dot(double x, double y, double radius, std::string_view fill) {
  parts_ += element("circle",
                    {{"cx", fmt::format("{:.1f}", x)},
                     {"cy", fmt::format("{:.1f}", y)},
                     {"r", fmt::format("{:.1f}", radius)},
                     {"fill", colour(fill)},
                     {"stroke", "var(--bg)"},
                     {"stroke-width", fmt::format("{:.1f}", radius / 5)}},
                    {}) +
            Html::markup("\n");
}

void Svg::text(int x, int y, std::string_view style, std::string_view words) {
  // Fonts differ from page to page; this is what a wide one takes.
  const bool centred = style.find("mid") != style.npos, ends = style.find("end") != style.npos;
  const int wide = style.find("big") != style.npos                                        ? 10
                   : style.find("small") != style.npos                                    ? 7
                   : style.find("bold") != style.npos || style.find("mono") != style.npos ? 8
                                                                                          : 7;
  const int width = wide * static_cast<int>(words.size());
  reach(ends ? x : centred ? x + width / 2 : x + width, y + 4);
  parts_ +=
      element("text",
              {{"x", std::to_string(x)}, {"y", std::to_string(y)}, {"class", std::string(style)}},
              printable(words)) +
      Html::markup("\n");
}

void Svg::line(int x1, int y1, int x2, int y2, std::string_view stroke) {
  reach(std::max(x1, x2), std::max(y1, y2));
  parts_ += element("line",
                    {{"x1", std::to_string(x1)},
                     {"y1", std::to_string(y1)},
                     {"x2", std::to_string(x2)},
                     {"y2", std::to_string(y2)},
                     {"stroke", colour(stroke)}},
                    {}) +
            Html::markup("\n");
}

std::string Svg::finish(std::string_view title) const {
  constexpr int margin = 20;
  const int width = width_ + margin, height = height_ + margin;
  const Html card = element("rect",
                            {{"x", "0.5"},
                             {"y", "0.5"},
                             {"width", std::to_string(width - 1)},
                             {"height", std::to_string(height - 1)},
                             {"rx", "10"},
                             {"fill", "var(--bg)"},
                             {"stroke", "var(--line)"}},
                            {}) +
                    Html::markup("\n");
  return element("svg",
                 {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"width", std::to_string(width)},
                  {"height", std::to_string(height)},
                  {"viewBox", fmt::format("0 0 {} {}", width, height)},
                  {"role", "img"}},
                 Html::markup("\n") + element("title", printable(title)) + Html::markup("\n") +
                     element("style", Html::markup(styles)) + Html::markup("\n") + card + parts_)
             .text() +
         "\n";
}

}  // namespace tilewise::grading
