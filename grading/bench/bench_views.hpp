#pragma once

#include <string>
#include <vector>

#include "grading/bench/bench_report.hpp"

/// Ways to look at a BenchReport that its charts and the lab report share. Pointers into a report
/// hold as long as it does.
namespace tilewise::grading {

/// Rows that belong together over the orders, one an order, sorted by it.
struct Line {
  std::string name;  ///< "tile 16", "transpose_naive", "cuBLAS"
  std::vector<const BenchRow*> rows;
};

/// What is shown together: a function with a choice of blocks, a line for each; or the functions of
/// a stage that leave no choice, a line for each.
struct LineGroup {
  std::string stage;
  std::string function;      ///< empty: several
  std::vector<Line> lines;   ///< of the subject; rows without figures, too
  std::vector<Line> others;  ///< the fastest of each other contender, rows with figures only
};

/// Versions of one problem, each with its fastest block; rows with figures only.
struct VersionComparison {
  std::string problem;          ///< "matmul"
  std::vector<Line> versions;   ///< "matmul_shared tile 32"
  std::vector<Line> libraries;  ///< cuBLAS or a copy
};

/// Whose kernels the report is about: the student's, or where there are none, the solutions.
Contender subject_of(const BenchReport& report);

/// Whether a row says how fast a kernel is; one with a wrong result does not.
bool has_figures(const BenchRow& row);

/// Whether nothing is wrong with what the student has written: what was called, ran and was right.
bool is_sound(const BenchReport& report);

/// In the order of the report. Rows that no call was made for are left out.
std::vector<LineGroup> groups_of(const BenchReport& report);
std::vector<VersionComparison> comparisons_of(const BenchReport& report);

/// The row of an order; null where there is none.
const BenchRow* row_at(const Line& line, int n);

/// The fastest first: at the largest order that any has figures for.
std::vector<const Line*> by_rate(const std::vector<Line>& lines);

/// Orders that some line has a row for, sorted.
std::vector<int> orders_of(const std::vector<Line>& lines);

/// "gtx1080 (modelled)", "NVIDIA H200 (measured)".
std::string where_taken(const BenchReport& report);

}  // namespace tilewise::grading
