// Recognises mistakes from the places of wrong elements, where nothing is known of their values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"

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

std::string span_of_rows(int first, int last) {
  return first == last ? tr("row {}", first) : tr("rows {} to {}", first, last);
}

std::string span_of_columns(int first, int last) {
  return first == last ? tr("column {}", first) : tr("columns {} to {}", first, last);
}

// What repeats along a side: of every `period` rows or columns, those with these numbers have wrong
// elements, and no others.
struct Period {
  int period = 0;  // 0: nothing repeats
  std::vector<int> wrong = {};
};

Period period_of(const std::vector<bool>& is_wrong) {
  const int side = static_cast<int>(is_wrong.size());
  for (const int period : {2, 4, 8, 16, 32}) {
    if (side < 2 * period) break;
    Period found{period};
    for (int i = 0; i < period; ++i) {
      if (is_wrong[i]) found.wrong.push_back(i);
    }
    bool repeats = !found.wrong.empty() && found.wrong.size() < std::size_t(period);
    for (int i = period; repeats && i < side; ++i) repeats = is_wrong[i] == is_wrong[i - period];
    if (repeats) return found;
  }
  return {};
}

// Writes ", where col % 4 = 1 to 3"; empty where nothing repeats.
std::string in_words(const Period& of_rows, const Period& of_cols) {
  std::string words;
  for (const auto& [name, of] : {std::pair{"row", &of_rows}, std::pair{"col", &of_cols}}) {
    if (of->period == 0) continue;
    const std::string rest = fmt::format("{} % {} = {}", name, of->period, in_runs(of->wrong));
    words += words.empty() ? tr(", where {}", rest) : tr(" and {}", rest);
  }
  return words;
}

}  // namespace

std::string what_repeats(const std::vector<bool>& is_wrong, int rows, int cols) {
  std::vector<bool> row_is_wrong(rows), col_is_wrong(cols);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (!is_wrong[std::size_t(row) * cols + col]) continue;
      row_is_wrong[row] = true;
      col_is_wrong[col] = true;
    }
  }
  return in_words(period_of(row_is_wrong), period_of(col_is_wrong));
}

namespace {

// Writes "rows 24 to 27, 52 to 55"; empty where there are none, or too many to list.
std::string spans_of(const std::vector<bool>& is_in, const char* one, const char* several) {
  constexpr std::size_t most = 4;
  std::vector<std::string> spans;
  const int side = static_cast<int>(is_in.size());
  bool is_one = true;
  for (int i = 0; i < side; ++i) {
    if (!is_in[i]) continue;
    const int first = i;
    while (i + 1 < side && is_in[i + 1]) ++i;
    is_one = is_one && spans.empty() && first == i;
    spans.push_back(first == i ? fmt::format("{}", first) : tr("{} to {}", first, i));
  }
  if (spans.empty() || spans.size() > most) return "";
  return fmt::format("{} {}", core::in_language(is_one ? one : several), fmt::join(spans, ", "));
}

// Names the rows and columns that are wrong in all elements, if no other elements are wrong;
// otherwise empty.
std::string what_they_fill(const std::vector<bool>& is_wrong, int rows, int cols) {
  std::vector<bool> of_rows(rows, true), of_cols(cols, true);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      if (is_wrong[std::size_t(row) * cols + col]) continue;
      of_rows[row] = false;
      of_cols[col] = false;
    }
  }
  if (std::ranges::find(of_rows, false) == of_rows.end()) return "";  // all is wrong
  const auto is_filled = [&](int row, int col) { return of_rows[row] || of_cols[col]; };
  if (!wrong_exactly_where(is_wrong, rows, cols, is_filled)) return "";
  const std::string in_rows = spans_of(of_rows, marked("row"), marked("rows"));
  const std::string in_cols = spans_of(of_cols, marked("column"), marked("columns"));
  const bool untold = (in_rows.empty() && std::ranges::find(of_rows, true) != of_rows.end()) ||
                      (in_cols.empty() && std::ranges::find(of_cols, true) != of_cols.end());
  if (untold || (in_rows.empty() && in_cols.empty())) return "";
  if (in_rows.empty() || in_cols.empty()) return tr("they fill {}", in_rows + in_cols);
  return tr("they fill {} and {}", in_rows, in_cols);
}

}  // namespace

std::optional<Diagnosis> recognise_location(const std::vector<bool>& is_wrong, int rows, int cols,
                                            TileShape tile, bool unwritten,
                                            const MatrixWords& words) {
  const int whole_rows = rows - rows % tile.height;
  const int whole_cols = cols - cols % tile.width;
  const bool has_inside = whole_rows > 0 && whole_cols > 0;
  const bool has_edge = whole_rows < rows || whole_cols < cols;
  const auto is_last = [&](int row, int col) { return row == rows - 1 || col == cols - 1; };
  const bool last_is_a_partial_tile = whole_rows == rows - 1 || whole_cols == cols - 1;
  if (rows > 2 && cols > 2 && !last_is_a_partial_tile &&
      wrong_exactly_where(is_wrong, rows, cols, is_last)) {
    return Diagnosis{
        unwritten ? Pattern::part_unwritten : Pattern::submatrix,
        unwritten ? tr("only the last row and the last column are missing")
                  : tr("only the last row and the last column are wrong"),
        tr("Look for what does not come out even: half of an odd number has to be rounded "
           "up, and of several results of a thread each needs its own test against {}.",
           core::in_language(words.bounds))};
  }

  const auto in_edge = [&](int row, int col) { return row >= whole_rows || col >= whole_cols; };
  if (has_inside && has_edge && wrong_only_where(is_wrong, rows, cols, in_edge)) {
    return Diagnosis{
        Pattern::edges_only,
        unwritten ? tr("only the partial {}x{} tiles at the right and lower edge are missing",
                       tile.width, tile.height)
                  : tr("only the partial {}x{} tiles at the right and lower edge are wrong",
                       tile.width, tile.height),
        tr("Round the number of tiles up, and let each thread test its own row and column "
           "against {}: a whole block must not give up because a part of it hangs over "
           "the edge.",
           core::in_language(words.bounds))};
  }

  const auto behind_first_tile = [&](int row, int col) {
    return row >= tile.height || col >= tile.width;
  };
  const bool has_more_tiles = rows > tile.height || cols > tile.width;
  if (has_more_tiles && wrong_exactly_where(is_wrong, rows, cols, behind_first_tile)) {
    return Diagnosis{Pattern::first_tile_only,
                     tr("only the first {}x{} tile is right", tile.width, tile.height),
                     tr("Check that the other tiles are reached: by the block's walk over "
                        "{}, or by blockIdx in row and col and by the size of the grid.",
                        words.matrix)};
  }

  const Box box = box_around(is_wrong, rows, cols);
  const bool everywhere = box.first_row == 0 && box.first_col == 0 && box.last_row == rows - 1 &&
                          box.last_col == cols - 1;
  const std::string repeats = what_repeats(is_wrong, rows, cols);
  const std::string filled = repeats.empty() ? what_they_fill(is_wrong, rows, cols) : "";
  if (everywhere && !unwritten && repeats.empty() && filled.empty()) return std::nullopt;
  const std::string where =
      (everywhere ? filled.empty() ? tr("they lie all over {}", words.matrix) : filled
                  : tr("all of them in {}, {}", span_of_rows(box.first_row, box.last_row),
                       span_of_columns(box.first_col, box.last_col))) +
      repeats;
  if (unwritten) {
    return Diagnosis{
        Pattern::part_unwritten, tr("none of them was ever written; ") + where,
        tile.width * tile.height > 1 && box.first_row % tile.height == 0 &&
                box.first_col % tile.width == 0 && rows > tile.height && cols > tile.width
            ? tr("Find the thread that should write the first of them, and follow its row and col: "
                 "from one tile to the next it is {} columns and {} rows.",
                 tile.width, tile.height)
            : tr("Find the thread that should write the first of them, and follow its row and "
                 "col.")};
  }
  if (!repeats.empty()) {
    return Diagnosis{
        Pattern::repeating, where,
        tr("Ask which of a thread's elements these are: of a vector, of a copy of several, of the "
           "values that an instruction gives it, of its results in a loop. One of them is treated "
           "unlike the others.")};
  }
  return Diagnosis{
      Pattern::submatrix, where,
      tr("Ask what is special about that part: a partial tile, the last block, one row of "
         "threads.")};
}

std::optional<Diagnosis> recognise_parts(const std::vector<bool>& is_wrong, int n, TileShape part) {
  if (part.width == 1 || part.height == 1)
    return std::nullopt;  // any part of a matrix consists of such parts
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
      tr("of the {} parts of C, {}x{} elements each, {} wrong altogether (x) and the "
         "others right (.), row by row:{}",
         parts, part.width, part.height, wrong == 1 ? tr("one is") : tr("{} are", wrong), map),
      tr("Result (i, j) of a thread lies in row i and column j of the parts: follow the offsets "
         "with "
         "which its row of A and its column of B are fetched, and that with which it is stored.")};
}

}  // namespace tilewise::grading
