#include "grading/examiner/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tilewise::grading {
namespace {

// Smallest rectangle around the wrong elements, ends included.
struct Box {
  int first_row, last_row, first_col, last_col;
};

Box box_around(const std::vector<bool>& is_wrong, int rows, int cols) {
  Box box{rows, -1, cols, -1};
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (!is_wrong[std::size_t(row) * cols + col]) continue;
      box.first_row = std::min(box.first_row, row);
      box.last_row = std::max(box.last_row, row);
      box.first_col = std::min(box.first_col, col);
      box.last_col = std::max(box.last_col, col);
    }
  }
  return box;
}

template <typename Predicate>
bool wrong_exactly_where(const std::vector<bool>& is_wrong, int rows, int cols,
                         Predicate predicate) {
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (is_wrong[std::size_t(row) * cols + col] != predicate(row, col)) return false;
    }
  }
  return true;
}

template <typename Predicate>
bool wrong_only_where(const std::vector<bool>& is_wrong, int rows, int cols, Predicate predicate) {
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (is_wrong[std::size_t(row) * cols + col] && !predicate(row, col)) return false;
    }
  }
  return true;
}

// What the elements of one part of C have in common.
enum class Part { right, wrong, mixed };

Part judge_part(const std::vector<bool>& is_wrong, int n, TileShape part, int first_row,
                int first_col) {
  const int end_row = std::min(first_row + part.height, n);
  const int end_col = std::min(first_col + part.width, n);
  int wrong = 0;
  for (int row = first_row; row < end_row; ++row) {
    for (int col = first_col; col < end_col; ++col) wrong += is_wrong[std::size_t(row) * n + col];
  }
  if (wrong == 0) return Part::right;
  return wrong == (end_row - first_row) * (end_col - first_col) ? Part::wrong : Part::mixed;
}

std::string span(const char* one, const char* many, int first, int last) {
  return first == last ? fmt::format("{} {}", one, first)
                       : fmt::format("{} {} to {}", many, first, last);
}

}  // namespace

std::optional<Diagnosis> recognise_region(const std::vector<bool>& is_wrong, int rows, int cols,
                                          TileShape tile, bool unwritten,
                                          const RegionWords& words) {
  const int whole_rows = rows - rows % tile.height;
  const int whole_cols = cols - cols % tile.width;
  const bool has_inside = whole_rows > 0 && whole_cols > 0;
  const bool has_edge = whole_rows < rows || whole_cols < cols;
  const auto is_last = [&](int row, int col) { return row == rows - 1 || col == cols - 1; };
  const bool last_is_a_partial_tile = whole_rows == rows - 1 || whole_cols == cols - 1;
  if (rows > 2 && cols > 2 && !last_is_a_partial_tile &&
      wrong_exactly_where(is_wrong, rows, cols, is_last)) {
    return Diagnosis{
        unwritten ? Pattern::part_unwritten : Pattern::region,
        fmt::format("only the last row and the last column are {}",
                    unwritten ? "missing" : "wrong"),
        fmt::format("Look for what does not come out even: half of an odd number has to be rounded "
                    "up, and of several results of a thread each needs its own test against {}.",
                    words.bounds)};
  }

  const auto in_edge = [&](int row, int col) { return row >= whole_rows || col >= whole_cols; };
  if (has_inside && has_edge && wrong_only_where(is_wrong, rows, cols, in_edge)) {
    return Diagnosis{
        Pattern::edges_only,
        fmt::format("only the partial {}x{} tiles at the right and lower edge are {}", tile.width,
                    tile.height, unwritten ? "missing" : "wrong"),
        fmt::format("Round the number of tiles up, and let each thread test its own row and column "
                    "against {}: a whole block must not give up because a part of it hangs over "
                    "the edge.",
                    words.bounds)};
  }

  const auto behind_first_tile = [&](int row, int col) {
    return row >= tile.height || col >= tile.width;
  };
  const bool has_more_tiles = rows > tile.height || cols > tile.width;
  if (has_more_tiles && wrong_exactly_where(is_wrong, rows, cols, behind_first_tile)) {
    return Diagnosis{Pattern::first_tile_only,
                     fmt::format("only the first {}x{} tile is right", tile.width, tile.height),
                     fmt::format("Check that the other tiles are reached: by the block's walk over "
                                 "{}, or by blockIdx in row and col and by the size of the grid.",
                                 words.matrix)};
  }

  const Box box = box_around(is_wrong, rows, cols);
  const bool everywhere = box.first_row == 0 && box.first_col == 0 && box.last_row == rows - 1 &&
                          box.last_col == cols - 1;
  if (everywhere && !unwritten) return std::nullopt;
  const std::string where =
      everywhere
          ? fmt::format("they lie all over {}", words.matrix)
          : fmt::format("all of them in {}, {}", span("row", "rows", box.first_row, box.last_row),
                        span("column", "columns", box.first_col, box.last_col));
  if (unwritten) {
    return Diagnosis{Pattern::part_unwritten, "none of them was ever written; " + where,
                     "Find the thread that should write the first of them, and follow its row and "
                     "col."};
  }
  return Diagnosis{
      Pattern::region, where,
      "Ask what is special about that part: a partial tile, the last block, one row of "
      "threads."};
}

std::optional<Diagnosis> recognise_parts(const std::vector<bool>& is_wrong, int n, TileShape part) {
  if (part.width == 1 || part.height == 1) return std::nullopt;  // any region is made of these
  int parts = 0, wrong = 0;
  std::string map;
  for (int row = 0; row < n; row += part.height) {
    map += ' ';
    for (int col = 0; col < n; col += part.width) {
      const Part judged = judge_part(is_wrong, n, part, row, col);
      if (judged == Part::mixed) return std::nullopt;
      ++parts;
      wrong += judged == Part::wrong;
      map += judged == Part::wrong ? 'x' : '.';
    }
  }
  if (wrong == 0 || wrong == parts) return std::nullopt;
  return Diagnosis{
      Pattern::whole_parts,
      fmt::format("of the {} parts of C, {}x{} elements each, {} wrong altogether (x) and the "
                  "others right (.), row by row:{}",
                  parts, part.width, part.height,
                  wrong == 1 ? "one is" : fmt::format("{} are", wrong), map),
      "Result (i, j) of a thread lies in row i and column j of the parts: follow the offsets with "
      "which its row of A and its column of B are fetched, and that with which it is stored."};
}

}  // namespace tilewise::grading
