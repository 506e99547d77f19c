#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "grading/trace/touched.hpp"
#include "grading/trace/trace.hpp"

namespace tilewise::grading {

/// What a figure shows of a trace.
enum class FigureView {
  matrices,    ///< elements that chosen threads load, use and write
  sectors,     ///< one request of a warp to device memory
  banks,       ///< one request of a warp to shared memory
  partitions,  ///< what the first blocks move from and to each DRAM partition
};

/// What is left out is chosen: the first block; the first intervals in which the block loads and
/// uses elements; two threads; of requests the one that costs most.
struct FigureChoice {
  FigureView view = FigureView::matrices;
  std::optional<Intervals> intervals = std::nullopt;
  std::vector<std::array<unsigned, 2>> threads = {};  ///< x, y
};

/// The figure as SVG, readable on a white page and on a dark one. The same trace gives the same
/// bytes.
/// @throws CannotTrace where the trace has nothing of the kind
std::string draw_figure(const Trace& trace, const FigureChoice& choice);

}  // namespace tilewise::grading
