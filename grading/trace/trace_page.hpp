#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grading/trace/trace.hpp"

namespace tilewise::grading {

/// Returns a trace in the schema tilewise/trace/v1, which tools/page reads:
///
///     schema    "tilewise/trace/v1"
///     stage, call
///     gpu       {id, name, compute: "6.1", banks, half_warps, partitions: 0 or 8}
///     matrices  [{name, rows, cols, ld, element_bytes, read_only, place}]
///               place: position of the first element in device memory, in bytes
///     sources   [{file, lines: [text]}]
///     findings  [{kind, message, file, line, other_file, other_line}]
///     launches  number of launches of the call; kernels may have fewer
///     kernels   [{name, file, line, grid: [x, y, z], block: [x, y, z],
///                 sites: [{file, line}],
///                 arrays: [{name, start, element_bytes, extents: [...]}],
///                 partitions: null or, by block, [[8 for loads, 8 for stores]] in bytes,
///                 blocks: [{index: [x, y, z], intervals, cut, requests: [request]}]}]
///
/// A request is a list:
///
///      0 action: 0 load, 1 store, 2 atomic       1 shared memory: 0 or 1
///      2 interval: number of barriers passed      3 step within the interval
///      4 warp                                     5 index into sites
///      6 bytes of each lane's access              7 lanes that take part, as bits
///      8 sectors moved, or shared wavefronts      9 distinct bytes, or wavefronts of conflicts
///     10 index into matrices, or -1; some lanes may touch another matrix, found by its place
///     11 runs: position of each lane's access, in bytes from the matrix's first element; in shared
///        memory, and in memory of no matrix, from the beginning of that memory
///     12 runs: the element that each word of shared memory came from, or -1; 0 for other memory
///     13 lanes outside of all matrices, as bits   14 lanes in a race, as bits
///
/// Runs are [first, step, count, first, step, count, ...]: first, first + step, ..., count of them.
/// Elements of all matrices are counted row after row, matrix after matrix, with the gaps between
/// rows.
nlohmann::ordered_json trace_document(const Trace& trace);

/// Returns the trace as one self-contained HTML file.
/// @param course  its root, which contains tools/page/trace.html
/// @throws std::runtime_error if that file is missing or damaged
std::string trace_page(const Trace& trace, const std::filesystem::path& course);

/// Says what a figure shows. Parts that are not given are chosen automatically: the first block;
/// the first intervals in which the block loads and uses elements; two threads; the most expensive
/// request.
struct FigureChoice {
  /// "matrices": the elements that chosen threads load, use and write; "sectors" and "banks": one
  /// request of a warp to device and to shared memory; "partitions": what the first blocks move
  /// from and to each DRAM partition
  std::string view = "matrices";
  /// The first and the last interval between barriers.
  std::optional<std::array<unsigned, 2>> intervals = std::nullopt;
  std::vector<std::array<unsigned, 2>> threads = {};  ///< x, y
};

/// Returns the figure as SVG, readable on a white page and on a dark one. The same trace gives the
/// same bytes.
/// @throws CannotDraw if the trace has nothing to show in this view
std::string draw_figure(const Trace& trace, const FigureChoice& choice);

}  // namespace tilewise::grading
