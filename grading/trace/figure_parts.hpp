/// \file
/// What the figures have in common.
#pragma once

#include <string>

#include "grading/trace/figure.hpp"
#include "grading/trace/svg.hpp"
#include "grading/trace/trace.hpp"

namespace tilewise::grading {

inline constexpr int figure_margin = 20;

std::string draw_matrices(const Trace& trace, const FigureChoice& choice);
std::string draw_sectors(const Trace& trace, const FigureChoice& choice);
std::string draw_banks(const Trace& trace, const FigureChoice& choice);
std::string draw_partitions(const Trace& trace);

/// "(1, 2)", or "(1, 2, 3)" where the third is not 0.
std::string describe(const ThreadIndex& index);

/// The line of source that a request comes from, without the blanks around it.
std::string source_of(const Trace& trace, const TraceKernel& kernel, const TraceRequest& request);

/// "matmul_grid.cu:22".
std::string place_of(const TraceKernel& kernel, const TraceRequest& request);

/// "B[3][0]".
std::string name_of(const std::vector<TraceMatrix>& matrices, ElementNumber element);

/// A request, and where it was found.
struct FoundRequest {
  const TraceKernel* kernel = nullptr;
  const TraceBlock* block = nullptr;
  const TraceRequest* request = nullptr;
};

/// The request to device or shared memory that costs most, in the first kernel that makes any; of
/// several the first. With intervals in the choice one of those.
/// @throws CannotTrace where there is none
FoundRequest costliest_request(const Trace& trace, const FigureChoice& choice, bool shared);

/// Two lines at the head: what is shown, and where. @return where to go on
int draw_head(Svg& svg, const std::string& title, const std::string& where);

/// "warp 0 of block (0, 0), interval 1, line 33 of matmul_shared.cu".
std::string describe(const FoundRequest& found);

}  // namespace tilewise::grading
