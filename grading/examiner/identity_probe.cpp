#include "grading/examiner/identity_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

// A result of a call with the identity as one factor and an index-coded matrix as the other.
struct Probe {
  const char* identity;  // name of the factor that is the identity
  const char* coded;     // name of the factor that is index-coded
  int k;                 // number of the product that gives the wrong element
  int row, col;          // the wrong element
  float found;
  float expected;
};

std::optional<Diagnosis> interpret(const Probe& probe, const Matrix<float>& code) {
  const std::string so_far = tr("with {} the identity, C must equal {}, but C[{}][{}] ",
                                probe.identity, probe.coded, probe.row, probe.col);
  if (probe.found == 0) {
    return Diagnosis{Pattern::term_left_out,
                     so_far + tr("is then 0: the product with k = {} is left out", probe.k),
                     tr("Follow k through the loops: which step is to bring this one in?"),
                     probe.coded};
  }
  const float repeats = probe.found / probe.expected;
  if (repeats >= 2 && repeats == std::floor(repeats)) {
    return Diagnosis{Pattern::term_repeated,
                     so_far + tr("is then {} times that: the product with k = {} is added "
                                 "more than once",
                                 repeats, probe.k),
                     tr("Follow k through the loops: which steps bring this one in?"), probe.coded};
  }
  const auto place = std::ranges::find(code.values, probe.found);
  if (place == code.values.end()) return std::nullopt;
  const auto index = place - code.values.begin();
  // Only A's rows are rows of C, and only B's columns are columns of C.
  const bool is_of_A = probe.coded[0] == 'A';
  const auto own = is_of_A ? index / code.cols : index % code.cols;
  const int due = is_of_A ? probe.row : probe.col;
  return Diagnosis{
      Pattern::misplaced,
      so_far + tr("then holds {}[{}][{}]", probe.coded, index / code.cols, index % code.cols),
      own == due
          ? tr("Follow the indices with which {} is read and, if these are right, those of {}.",
               probe.coded, probe.identity)
      : is_of_A
          ? tr("Row {} of C is made from row {} of A: follow the row with which A is read, and "
               "with "
               "which its tile is filled and read, and the one with which C is stored.",
               due, own)
          : tr("Column {} of C is made from column {} of B: follow the column with which B is "
               "read, "
               "and with which its tile is filled and read, and the one with which C is stored.",
               due, own),
      probe.coded, own != due};
}

// How the kernel reads a matrix whose element (row, col) lies at row * n + col: what it adds to the
// place for each row, for each column, and beyond that for each tile of rows and each tile of
// columns.
struct Reading {
  long start, by_row, by_col, by_row_tile, by_col_tile;

  long place(int row, int col, int tile) const {
    return start + by_row * row + by_col * col + by_row_tile * (row / tile) +
           by_col_tile * (col / tile);
  }
};

// Finds the rule by which the coded matrix was read, if one rule holds for all elements.
std::optional<Reading> find_reading(const Matrix<float>& after, const Matrix<float>& code,
                                    int tile) {
  const int n = after.rows;
  if (n < 3) return std::nullopt;
  const auto first = static_cast<long>(code.values.front());
  const auto last = static_cast<long>(code.values.back());
  const auto place_in = [&](int row, int col) {
    return static_cast<long>(after(row, col)) - first;
  };
  for (const float value : after.values) {
    if (!(value >= first && value <= last) || value != std::floor(value)) return std::nullopt;
  }
  Reading reading = {.start = place_in(0, 0),
                     .by_row = place_in(1, 0) - place_in(0, 0),
                     .by_col = place_in(0, 1) - place_in(0, 0),
                     .by_row_tile = 0,
                     .by_col_tile = 0};
  if (tile > 1 && tile < n) {
    reading.by_row_tile = place_in(tile, 0) - reading.place(tile, 0, n);
    reading.by_col_tile = place_in(0, tile) - reading.place(0, tile, n);
  }
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) {
      if (place_in(row, col) != reading.place(row, col, std::max(tile, 1))) return std::nullopt;
    }
  }
  return reading;
}

// Writes a term of an index: "row", "row * n", "row * 16". Empty where the factor is 0.
std::string times(const char* name, long factor, int n) {
  if (factor == 0) return "";
  if (factor == 1) return name;
  if (factor == n) return fmt::format("{} * n", name);
  if (std::abs(factor - n) == 1) {
    return fmt::format("{} * (n {} 1)", name, factor > n ? "+" : "-");
  }
  return fmt::format("{} * {}", name, factor);
}

std::string sum_of(std::initializer_list<std::string> terms) {
  std::string sum;
  for (const std::string& term : terms) {
    if (!term.empty()) sum += (sum.empty() ? "" : " + ") + term;
  }
  return sum.empty() ? "0" : sum;
}

// Where the kernel looks for an element of a factor: what it adds to the place for each step of
// row, col and k. The element of A lies at row * n + k, that of B at k * n + col.
struct Rule {
  long start, by_row, by_col, by_k;
};

// A matrix whose elements encode their places. All elements do, or, where there are too many for
// halves to tell apart, only those in its upper left corner; the others are 0.
struct Code {
  Matrix<float> matrix;
  int width;  // of the part that is coded

  Code(int n, bool in_halves) : matrix(index_coded_matrix(n, n)), width(n) {
    constexpr int most_side = 45;                  // 45 * 45 < 2048
    if (!in_halves || n <= most_side / 2) return;  // codes run from n * n + 1 to 2 * n * n
    width = std::min(n, most_side);
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) {
        const bool is_coded = row < width && col < width;
        matrix(row, col) = is_coded ? static_cast<float>(row * width + col + 1) : 0.0F;
      }
    }
  }

  bool is_whole() const { return width == matrix.cols && matrix.values.back() != 0; }

  // Returns row * n + col of the element with this value.
  std::optional<long> place_of(float value) const {
    const float first = matrix.values.front();
    const bool is_code =
        value >= first && value < first + float(width * width) && value == std::floor(value);
    if (!is_code) return std::nullopt;
    const long index = static_cast<long>(value - first);
    return index / width * matrix.cols + index % width;
  }
};

// With the identity as one factor, k is the row or the column; with the identity shifted by one, k
// is the next one. The two results together tell k from the row or column. Only the first `side`
// rows and columns are examined.
std::optional<Rule> find_rule(const Matrix<float>& plain, const Matrix<float>& shifted,
                              const Code& code, bool code_in_B, int side) {
  if (side < 3) return std::nullopt;
  const auto place_in = [&](const Matrix<float>& C, int row, int col) {
    return code.place_of(C(row, col));
  };
  const auto start = place_in(plain, 0, 0), down = place_in(plain, 1, 0),
             right = place_in(plain, 0, 1), next = place_in(shifted, 0, 0);
  if (!start || !down || !right || !next) return std::nullopt;
  const long by_row = *down - *start, by_col = *right - *start, by_k = *next - *start;
  for (int row = 0; row < side; ++row) {
    for (int col = 0; col < side; ++col) {
      const long place = *start + by_row * row + by_col * col;
      if (place_in(plain, row, col) != place) return std::nullopt;
      const bool is_last = (code_in_B ? row : col) + 1 == side;  // the next k lies beyond them
      if (!is_last && place_in(shifted, row, col) != place + by_k) return std::nullopt;
    }
  }
  return Rule{.start = *start,
              .by_row = by_row - (code_in_B ? by_k : 0),
              .by_col = by_col - (code_in_B ? 0 : by_k),
              .by_k = by_k};
}

// Whether this rule makes whole rows, or columns, of the product change places. The other factor,
// or C itself, may be the cause as well: with A the identity, row 2 of B stands in row 1 of C if B
// is read at (k + row) * n + col, if A is read in row 2 * row, or if C is stored there.
bool moves_whole_lines(const Rule& rule, const char* coded, int n) {
  const bool is_first = coded[0] == 'A';
  const long own = is_first ? rule.by_row : rule.by_col;
  const long foreign = is_first ? rule.by_col : rule.by_row;
  const long of_a_row = is_first ? own : foreign;
  const long of_a_col = is_first ? foreign : own;
  const bool k_is_right = rule.by_k == (is_first ? 1 : n);
  const bool rows_move = of_a_row % n == 0 && of_a_col == (is_first ? 0 : 1);
  const bool cols_move = of_a_row == (is_first ? n : 0) && of_a_col < n;
  return k_is_right && (rows_move || cols_move);
}

// Returns nothing if the rule is right, or is a shift, which may come from either factor. Also
// returns nothing if an index counts backwards: such a rule comes from the other factor, which is
// read at a row or column of its own.
std::optional<Diagnosis> interpret(const Rule& rule, const char* coded, int n, int side) {
  const bool is_first = coded[0] == 'A';
  const char* const row = is_first ? "row" : "k";
  const char* const col = is_first ? "k" : "col";
  const long own = is_first ? rule.by_row : rule.by_col;
  const long foreign = is_first ? rule.by_col : rule.by_row;
  const bool is_right =
      foreign == 0 && own == (is_first ? n : 1) && rule.by_k == (is_first ? 1 : n);
  if (is_right || std::min({own, foreign, rule.by_k}) < 0) return std::nullopt;
  const std::string element = fmt::format("({}, {})", row, col);
  const std::string right = fmt::format("{} * n + {}", row, col);
  const std::string read =
      sum_of({times("row", rule.by_row, n), times("k", rule.by_k, n), times("col", rule.by_col, n),
              rule.start == 0 ? "" : std::to_string(rule.start)});
  std::string hint = tr(
      "Compare the index with which {} is read with {}: a row has n elements, and neighbours in it "
      "lie side by side.",
      coded, right);
  if (foreign != 0) {
    hint =
        tr("No {1} belongs to an element of {0}, ({2}, {3}): look for it where {0} is read, and "
           "where its tile is filled and read.",
           coded, is_first ? "col" : "row", row, col);
  } else if (own == 1 && rule.by_k == 1) {
    hint = tr(
        "A factor n is missing: a row of {0} has n elements, so write {1} * n where {0} is read.",
        coded, row);
  }
  return Diagnosis{
      Pattern::misplaced,
      side < n
          ? tr("among the first {} rows and columns, element {} of {} is read at {}, and it lies "
               "at {}",
               side, element, coded, read, right)
          : tr("element {} of {} is read at {}, and it lies at {}", element, coded, read, right),
      hint, coded};
}

// Explains what a step from tile to tile adds to the place; the text continues "then holds
// B[1][0]".
std::optional<Diagnosis> interpret(const Reading& reading, const Probe& probe, int n, int tile) {
  const bool is_first = probe.coded[0] == 'A';
  // Only the index k, over which the sum goes, moves from tile to tile.
  const long other = is_first ? reading.by_row_tile : reading.by_col_tile;
  const bool rows_are_right = reading.by_row == n && reading.by_col == 1 && reading.start == 0;
  const bool steps_by_tile = reading.by_row_tile != 0 || reading.by_col_tile != 0;
  if (!steps_by_tile || other != 0 || !rows_are_right) return std::nullopt;
  const long due = long(tile) * (is_first ? 1 : n);
  const long step = due + (is_first ? reading.by_col_tile : reading.by_row_tile);
  return Diagnosis{
      Pattern::misplaced,
      tr("from one tile of {} to the next the place that is read moves by {}, where it should be "
         "{}",
         probe.coded, step,
         is_first ? tr("{}, the width of a tile", due)
                  : tr("{}, which is {} rows of n elements", due, tile)),
      step == 0 ? tr("The same tile of {} is used in each step: bring the next one for each.",
                     probe.coded)
                : tr("A tile further is Tile columns to the right in A, and so Tile elements, and "
                     "Tile rows down in B, and so Tile * n elements."),
      probe.coded};
}

// Returns the identity with its ones moved a column to the right, or a row down.
Matrix<float> shifted_identity(int n, bool to_the_right) {
  Matrix<float> matrix(n, n);
  for (int i = 0; i + 1 < n; ++i) (to_the_right ? matrix(i, i + 1) : matrix(i + 1, i)) = 1;
  return matrix;
}

// Reports whole columns of B, or rows of A, that are 0 in C, if nothing else in C is wrong.
std::optional<Diagnosis> lost_altogether(const Matrix<float>& after, const Comparison& comparison,
                                         const Probe& probe) {
  const bool are_columns = probe.coded[0] == 'B';
  const int n = after.rows;
  int lost = 0;
  std::vector<bool> is_lost(std::size_t(n) * n, false);
  for (int i = 0; i < n; ++i) {
    bool all_zero = true;
    for (int j = 0; j < n; ++j) {
      all_zero = all_zero && (are_columns ? after(j, i) : after(i, j)) == 0;
    }
    if (!all_zero) continue;
    ++lost;
    for (int j = 0; j < n; ++j) {
      is_lost[are_columns ? std::size_t(j) * n + i : std::size_t(i) * n + j] = true;
    }
  }
  if (lost == 0 || lost == n || n < 2) return std::nullopt;
  if (comparison.any_wrong([&](std::size_t i) { return !is_lost[i]; })) return std::nullopt;
  const std::string where = what_repeats(is_lost, n, n);
  return Diagnosis{
      Pattern::misplaced,
      are_columns
          ? tr("with A the identity, C must equal B, but {} columns of it are 0{}: these of "
               "B get into no sum",
               lost, where)
          : tr("with B the identity, C must equal A, but {} rows of it are 0{}: these of A "
               "get into no sum",
               lost, where),
      tr("The loop over k is not to blame. Follow {} from where it is fetched: how many elements a "
         "thread copies at a time, in elements or in bytes, where in the tile they go, where they "
         "are read, and to which of a thread's sums their products are added.",
         probe.coded),
      probe.coded, true};
}

}  // namespace

std::optional<Diagnosis> probe_with_identity(const Observation& seen, const Rerun& rerun) {
  const int n = seen.after.rows;
  const Matrix<float> identity = identity_matrix(n);
  const Code coded(n, seen.in_halves);
  const Matrix<float>& code = coded.matrix;
  std::optional<Diagnosis> first;  // what the first factor with a diagnosis tells of an element
  for (const bool code_in_B : {true, false}) {
    const auto with = [&](const Matrix<float>& other) {
      return code_in_B ? rerun(other, code, seen.before) : rerun(code, other, seen.before);
    };
    const auto after = with(identity);
    if (!after) continue;
    const Comparison comparison =
        compare(*after, code_in_B ? multiply(identity, code) : multiply(code, identity));
    const Probe probe = {.identity = code_in_B ? "A" : "B",
                         .coded = code_in_B ? "B" : "A",
                         .k = code_in_B ? comparison.row : comparison.col,
                         .row = comparison.row,
                         .col = comparison.col,
                         .found = static_cast<float>(comparison.found),
                         .expected = static_cast<float>(comparison.expected)};
    auto diagnosis = comparison.all_right() || !coded.is_whole() ? std::optional<Diagnosis>()
                                                                 : interpret(probe, code);
    if (diagnosis && diagnosis->pattern == Pattern::term_left_out) {
      if (auto lost = lost_altogether(*after, comparison, probe)) diagnosis = std::move(lost);
    }
    // A factor that is read by a wrong rule leaves out products of the other factor, and the rule
    // says why.
    std::optional<Diagnosis> rule;
    if (const auto shifted = with(shifted_identity(n, code_in_B))) {
      constexpr int of_a_warp = 16;  // side that a warp's fragments, or half of its lanes, cover
      const int of_tile = std::min({n, seen.tile.width, seen.tile.height});
      for (const int side : {n, of_tile, std::min(of_tile, of_a_warp)}) {
        const auto found = find_rule(*after, *shifted, coded, code_in_B, side);
        if (!found || rule) continue;
        rule = interpret(*found, probe.coded, n, side);
        if (rule && moves_whole_lines(*found, probe.coded, n)) {
          const Comparison wrong = compare(seen.after, seen.expected);
          if (auto moved = recognise_moved_row(seen.after, seen.expected, wrong)) rule = moved;
        }
      }
    }
    if (const auto reading = find_reading(*after, code, seen.tile.width); reading && !rule) {
      rule = interpret(*reading, probe, n, seen.tile.width);
    }
    if (!rule && !comparison.all_right()) {
      rule = recognise_moved_parts(
          [&](int row, int col) { return coded.place_of((*after)(row, col)); }, n, probe.coded,
          seen.in_halves || seen.is_split);
    }
    if (rule) {
      // The diagnosis from the factor examined before says something else about the first wrong
      // element.
      if (diagnosis && !first) rule->what = diagnosis->what + "; " + rule->what;
      return rule;
    }
    const bool is_surer = diagnosis && first && diagnosis->is_sure && !first->is_sure;
    if (diagnosis && (!first || is_surer)) {
      const CountedProducts products = tell_products(*after, code, code_in_B);
      diagnosis->what += products.what;
      if (seen.tile.width < n && !products.hint.empty()) diagnosis->hint = products.hint;
      first = std::move(diagnosis);
    }
  }
  return first;
}

}  // namespace tilewise::grading
