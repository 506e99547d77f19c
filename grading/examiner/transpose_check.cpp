#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Where in `in` the elements of out come from.
class Sources {
 public:
  explicit Sources(const TransposeObservation& seen)
      : rows_(seen.in.rows), cols_(seen.in.cols), source_(seen.out.values.size(), none) {
    std::unordered_map<std::uint32_t, std::int64_t> places;
    places.reserve(seen.in.values.size());
    for (std::size_t i = 0; i < seen.in.values.size(); ++i) {
      places.emplace(bits_of(seen.in.values[i]), i);
    }
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const auto place = places.find(bits_of(seen.out.values[i]));
      if (place != places.end()) source_[i] = place->second;
      if (is_unwritten(seen.out.values[i])) ++unwritten_;
    }
  }

  bool all_unwritten() const { return unwritten_ == source_.size(); }

  /// Whether each element of out comes from the place that `expected` returns for its row and
  /// column: the number of an element of `in`, counted row by row. A place outside of `in` fits
  /// anything; half of the places must be inside.
  template <typename Expected>
  bool come_from(Expected expected) const {
    std::size_t matches = 0;
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const std::int64_t place =
          expected(static_cast<std::int64_t>(i) / rows_, static_cast<std::int64_t>(i) % rows_);
      const bool inside = place >= 0 && place < static_cast<std::int64_t>(source_.size());
      if (!inside) continue;
      if (source_[i] != place) return false;
      ++matches;
    }
    return 2 * matches >= source_.size();
  }

  /// Whether out was written as if its rows were `cols` elements apart. Then each place that such a
  /// write reaches holds one of the elements that would go there.
  bool written_with_stride_of_in() const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t col = 0; col < cols_; ++col) {
        const std::int64_t place = col * cols_ + row;
        if (place >= static_cast<std::int64_t>(source_.size())) continue;
        const std::int64_t source = source_[static_cast<std::size_t>(place)];
        if (source == none || source % cols_ * cols_ + source / cols_ != place) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t rows_, cols_;  // of in
  std::vector<std::int64_t> source_;
  std::size_t unwritten_ = 0;
};

std::optional<Diagnosis> whole_matrix(const TransposeObservation& seen) {
  // The table of places takes far more memory than the matrices.
  constexpr std::size_t enough_elements = std::size_t{1} << 22;
  if (seen.in.values.size() > enough_elements) return std::nullopt;
  const Sources sources(seen);
  const std::int64_t rows = seen.in.rows, cols = seen.in.cols, tile = seen.tile;
  if (sources.all_unwritten()) {
    return Diagnosis{
        Pattern::never_written, tr("no element of out was ever written"),
        tr("Check that the kernel is launched and stores its result, and that the grid "
           "is not empty.")};
  }
  if (sources.come_from([&](auto row, auto col) { return row * rows + col; })) {
    return Diagnosis{
        Pattern::copied, tr("out holds the elements of in one after the other, as they were"),
        tr("Element (row, col) of in belongs to (col, row) of out: at col * rows + row.")};
  }
  if (rows != cols && sources.come_from([&](auto row, auto col) { return col * rows + row; })) {
    return Diagnosis{
        Pattern::wrong_stride, tr("in was read as if its rows were `rows` elements long"),
        tr("A row of in has cols elements: element (row, col) lies at row * cols + col.")};
  }
  if (rows != cols && sources.written_with_stride_of_in()) {
    return Diagnosis{Pattern::wrong_stride,
                     tr("out was written as if its rows were `cols` elements long"),
                     tr("A row of out has rows elements: element (row, col) of in goes to "
                        "col * rows + row.")};
  }
  const auto in_tile = [&](auto row, auto col, auto tile_row, auto tile_col) {
    const auto in_row = tile_row * tile + row, in_col = tile_col * tile + col;
    return in_row < rows && in_col < cols ? in_row * cols + in_col : -1;
  };
  // In out, tile (row / tile, col / tile) belongs to tile (col / tile, row / tile) of in.
  if (sources.come_from([&](auto row, auto col) {
        return in_tile(col % tile, row % tile, row / tile, col / tile);
      })) {
    return Diagnosis{
        Pattern::tiles_not_swapped,
        tr("each {0}x{0} tile is transposed, but stays where it was", tile),
        tr("Swap blockIdx.x and blockIdx.y for the store: the tile of block (x, y) of in "
           "goes to tile (y, x) of out.")};
  }
  if (sources.come_from([&](auto row, auto col) {
        return in_tile(row % tile, col % tile, col / tile, row / tile);
      })) {
    return Diagnosis{
        Pattern::tiles_not_transposed,
        tr("each {0}x{0} tile is where it belongs, but not transposed", tile),
        tr("Read the shared tile with threadIdx.x and threadIdx.y swapped: tile[x][y] where "
           "tile[y][x] was stored.")};
  }
  return std::nullopt;
}

std::optional<Diagnosis> square_part(const TransposeObservation& seen,
                                     const Comparison& comparison) {
  const int side = std::min(seen.in.rows, seen.in.cols);
  if (seen.in.rows == seen.in.cols) return std::nullopt;
  for (int row = 0; row < seen.out.rows; ++row) {
    for (int col = 0; col < seen.out.cols; ++col) {
      const bool wrong = comparison.is_wrong[std::size_t(row) * seen.out.cols + col];
      if (wrong != (row >= side || col >= side)) return std::nullopt;
    }
  }
  return Diagnosis{
      Pattern::square_part_only, tr("only the first {0} rows and {0} columns are right", side),
      tr("rows and cols differ: each has its own bound, and its own number of tiles in "
         "the grid.")};
}

// Recognises tiles of out in which no element was written, while all elements that were written are
// right.
std::optional<Diagnosis> missing_tiles(const TransposeObservation& seen,
                                       const Comparison& comparison) {
  const int tile = seen.tile;
  const int tiles_down = (seen.out.rows + tile - 1) / tile;
  const int tiles_along = (seen.out.cols + tile - 1) / tile;
  std::vector<std::size_t> wrong_in(std::size_t(tiles_down) * tiles_along);
  const auto tile_of = [&](int row, int col) -> std::size_t& {
    return wrong_in[std::size_t(row / tile) * tiles_along + col / tile];
  };
  for (int row = 0; row < seen.out.rows; ++row) {
    for (int col = 0; col < seen.out.cols; ++col) {
      if (!comparison.is_wrong[std::size_t(row) * seen.out.cols + col]) continue;
      if (!is_unwritten(seen.out(row, col))) return std::nullopt;
      ++tile_of(row, col);
    }
  }
  int missing = 0, first_row = 0, first_col = 0;
  for (int down = 0; down < tiles_down; ++down) {
    for (int along = 0; along < tiles_along; ++along) {
      const std::size_t wrong = wrong_in[std::size_t(down) * tiles_along + along];
      if (wrong == 0) continue;
      const int height = std::min(tile, seen.out.rows - down * tile);
      const int width = std::min(tile, seen.out.cols - along * tile);
      if (wrong != std::size_t(height) * width) return std::nullopt;
      if (missing++ > 0) continue;
      first_row = down;
      first_col = along;
    }
  }
  return Diagnosis{
      Pattern::tiles_missing,
      missing == 1
          ? tr("1 of {0} tiles of {1}x{1} was never written, the first one at out[{2}][{3}]; the "
               "others are right",
               wrong_in.size(), tile, first_row * tile, first_col * tile)
          : tr("{0} of {1} tiles of {2}x{2} were never written, the first one at out[{3}][{4}]; "
               "the "
               "others are right",
               missing, wrong_in.size(), tile, first_row * tile, first_col * tile),
      tr("Count the blocks, and follow which tile each of them takes: where blocks are numbered "
         "anew, two of them may come to the same tile while another is left out.")};
}

}  // namespace

Comparison compare_transpose(const Matrix<float>& in, const Matrix<float>& out) {
  Comparison comparison;
  comparison.compared = out.values.size();
  comparison.is_wrong.resize(comparison.compared);
  for (int row = 0; row < out.rows; ++row) {
    for (int col = 0; col < out.cols; ++col) {
      if (bits_of(out(row, col)) == bits_of(in(col, row))) continue;
      comparison.is_wrong[std::size_t(row) * out.cols + col] = true;
      if (comparison.wrong++ > 0) continue;
      comparison.row = row;
      comparison.col = col;
      comparison.found = out(row, col);
      comparison.expected = in(col, row);
    }
  }
  return comparison;
}

std::optional<Diagnosis> recognise_transpose(const TransposeObservation& seen) {
  const Comparison comparison = compare_transpose(seen.in, seen.out);
  if (comparison.all_right()) return std::nullopt;
  if (auto diagnosis = whole_matrix(seen)) return diagnosis;
  bool read_outside = false, all_unwritten = true;
  for (std::size_t i = 0; i < comparison.compared; ++i) {
    if (!comparison.is_wrong[i]) continue;
    read_outside |= has_bits(seen.out.values[i], guard_bits);
    all_unwritten &= is_unwritten(seen.out.values[i]);
  }
  if (read_outside) {
    return Diagnosis{
        Pattern::reads_outside,
        tr("NaN that lies around in got into the result, so a thread reads outside of in"),
        tr("A thread may load only where its row is below rows and its column below "
           "cols, and store only where its row is below cols and its column below rows: "
           "these are two different tests.")};
  }
  if (auto diagnosis = square_part(seen, comparison)) return diagnosis;
  // Partial tiles at the edges have a mistake of their own.
  const auto location = recognise_location(
      comparison.is_wrong, seen.out.rows, seen.out.cols, {seen.tile, seen.tile}, all_unwritten,
      {.matrix = "out", .bounds = marked("the sides of in and of out")});
  if (location && location->pattern == Pattern::edges_only) return location;
  if (auto diagnosis = missing_tiles(seen, comparison)) return diagnosis;
  return location;
}

}  // namespace tilewise::grading
