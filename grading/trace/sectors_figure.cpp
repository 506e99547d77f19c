// One request of a warp to device memory: the sectors it moves, and what of them it asked for.

#include <fmt/format.h>

#include <bit>
#include <map>
#include <set>

#include "grading/trace/figure_parts.hpp"

namespace tilewise::grading {
namespace {

constexpr std::uint32_t sector_bytes = 32, word_bytes = 4;
constexpr int words_a_sector = 8, word_width = 9, sector_height = 22;
constexpr int sector_width = words_a_sector * word_width;
constexpr int sectors_a_row = 8, across = sector_width + 12, down = sector_height + 26;

/// Words by sector; a lane asks for one or several.
std::map<std::uint32_t, std::set<std::uint32_t>> words_by_sector(const TraceRequest& request) {
  std::map<std::uint32_t, std::set<std::uint32_t>> sectors;
  for (const std::uint32_t at : request.made.at) {
    for (std::uint32_t byte = at; byte < at + request.made.bytes; byte += word_bytes) {
      sectors[byte / sector_bytes].insert(byte / word_bytes);
    }
  }
  return sectors;
}

/// The element that a sector begins with.
std::string name_of_sector(const Trace& trace, const TraceMatrix& matrix, std::uint32_t sector) {
  const std::int64_t offset = std::int64_t{sector} * sector_bytes - matrix.place;
  if (offset < 0 || offset >= matrix.bytes()) return "outside of " + matrix.name;
  return name_of(trace.matrices,
                 matrix.first + static_cast<ElementNumber>(offset / matrix.element_bytes));
}

}  // namespace

std::string draw_sectors(const Trace& trace, const FigureChoice& choice) {
  const FoundRequest found = costliest_request(trace, choice, false);
  const TraceRequest& request = *found.request;
  const TraceMatrix& matrix = trace.matrices[static_cast<std::size_t>(request.matrix)];
  Svg svg;
  int y = draw_head(svg, trace.call, describe(found));
  svg.text(figure_margin, y + 4, "mono", source_of(trace, *found.kernel, request));
  const bool loads = request.made.action == simt::TracedRequest::Action::load;
  const std::uint32_t moved = request.made.cost * sector_bytes;
  const auto sectors = words_by_sector(request);
  svg.text(
      figure_margin, y + 28, "bold",
      fmt::format("{} lanes {} {} bytes of {}; {} sectors of 32 bytes move: {:.1f}% of {} "
                  "bytes are used.",
                  std::popcount(request.made.lanes), loads ? "load" : "store", request.made.detail,
                  matrix.name, request.made.cost, 100.0 * request.made.detail / moved, moved));
  y += 58;
  int nth = 0;
  for (const auto& [sector, words] : sectors) {
    const int x = figure_margin + nth % sectors_a_row * across;
    const int top = y + nth / sectors_a_row * down;
    svg.text(x, top - 4, "small soft", name_of_sector(trace, matrix, sector));
    for (int i = 0; i < words_a_sector; ++i) {
      const bool used = words.contains(sector * words_a_sector + static_cast<std::uint32_t>(i));
      svg.rect(x + i * word_width, top, word_width - 1, sector_height, used ? "t0" : "other");
    }
    svg.frame(x - 2, top - 1, sector_width + 2, sector_height + 2, "soft");
    ++nth;
  }
  y += (nth + sectors_a_row - 1) / sectors_a_row * down + 6;
  svg.rect(figure_margin, y, 13, 13, "t0");
  svg.text(figure_margin + 20, y + 11, "soft", "4 bytes that lanes asked for");
  svg.rect(figure_margin + 220, y, 13, 13, "other");
  svg.text(figure_margin + 240, y + 11, "soft", "4 bytes moved for nothing");
  return svg.finish(
      fmt::format("{}: {} sectors moved by one request", trace.call, request.made.cost));
}

}  // namespace tilewise::grading
