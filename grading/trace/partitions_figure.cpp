// What the first blocks of a launch move from and to each DRAM partition.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "grading/trace/cannot_trace.hpp"
#include "grading/trace/figure_parts.hpp"

namespace tilewise::grading {
namespace {

constexpr int partition_width = 26, block_height = 20;
constexpr std::size_t most_blocks = 16;

using OfPartitions = std::array<std::uint64_t, simt::dram_partitions>;

std::uint64_t sum_of(const OfPartitions& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

/// Loads or stores: a row for each block, and what all of them together want of each partition.
void draw_half(Svg& svg, int x, int y, const char* name,
               const std::vector<simt::PartitionBytes>& blocks,
               OfPartitions simt::PartitionBytes::*kind) {
  svg.text(x, y - 22, "bold", name);
  OfPartitions total = {};
  for (std::size_t p = 0; p < total.size(); ++p) {
    svg.text(x + static_cast<int>(p) * partition_width + partition_width / 2, y - 5,
             "small mid soft", std::to_string(p));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const OfPartitions& bytes = blocks[i].*kind;
    const std::uint64_t sum = std::max<std::uint64_t>(1, sum_of(bytes));
    for (std::size_t p = 0; p < bytes.size(); ++p) {
      total[p] += bytes[p];
      const int left = x + static_cast<int>(p) * partition_width,
                top = y + static_cast<int>(i) * block_height;
      svg.rect(left, top, partition_width - 2, block_height - 2, "cell");
      const int width = static_cast<int>((partition_width - 2) * bytes[p] / sum);
      if (width > 0) svg.rect(left, top, width, block_height - 2, fmt::format("p{}", p));
    }
  }
  const int below = y + static_cast<int>(blocks.size()) * block_height + 14;
  const std::uint64_t busiest = std::max<std::uint64_t>(1, *std::ranges::max_element(total));
  for (std::size_t p = 0; p < total.size(); ++p) {
    constexpr int highest = 70;
    const int left = x + static_cast<int>(p) * partition_width;
    const int height = static_cast<int>(highest * total[p] / busiest);
    svg.rect(left, below, partition_width - 2, highest, "cell");
    if (height > 0)
      svg.rect(left, below + highest - height, partition_width - 2, height, fmt::format("p{}", p));
  }
  const double busy = static_cast<double>(sum_of(total)) / static_cast<double>(busiest);
  svg.text(x, below + 70 + 18, busy < 4 ? "bad bold" : "bold",
           fmt::format("as fast as {:.1f} of 8 partitions", busy));
}

}  // namespace

std::string draw_partitions(const Trace& trace) {
  const auto kernel = std::ranges::find_if(
      trace.kernels, [](const TraceKernel& one) { return !one.partitions.empty(); });
  if (kernel == trace.kernels.end()) {
    throw CannotTrace(fmt::format(
        "{} spreads addresses over its memory in a way that is not known, or the grid of {} is too "
        "large; partitions are drawn with --gpu gtx280, for grids of at most {} blocks.",
        trace.gpu.name, trace.call, simt::most_block_runs));
  }
  std::vector<simt::PartitionBytes> blocks = kernel->partitions;
  blocks.resize(std::min(blocks.size(), most_blocks));

  Svg svg;
  int y = draw_head(svg, trace.call,
                    fmt::format("{}: bytes by DRAM partition, the first {} of {} blocks",
                                trace.gpu.name, blocks.size(), kernel->partitions.size())) +
          34;
  constexpr int names = 80, between = 70;
  const int loads = figure_margin + names;
  const int stores = loads + static_cast<int>(simt::dram_partitions) * partition_width + between;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    svg.text(loads - 12, y + static_cast<int>(i) * block_height + 13, "small end",
             fmt::format("block {}", i));
  }
  svg.text(loads - 12, y + static_cast<int>(blocks.size()) * block_height + 50, "small end soft",
           "together");
  draw_half(svg, loads, y, "loads from partition", blocks, &simt::PartitionBytes::loads);
  draw_half(svg, stores, y, "stores to partition", blocks, &simt::PartitionBytes::stores);
  return svg.finish(trace.call + ": bytes that the first blocks move from and to each partition");
}

}  // namespace tilewise::grading
