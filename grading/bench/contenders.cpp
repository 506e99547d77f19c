#include "grading/bench/contenders.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <variant>
#include <vector>

#include "common/base/statistics.hpp"

namespace tilewise::grading {
namespace {

bool is_steady(const std::vector<double>& medians_ms) {
  constexpr double tolerated = 0.01;
  return medians_ms.empty() || core::median_with_interval(medians_ms).relative_error() <= tolerated;
}

/// Returns the median of several runs after a warm-up. Other work on the machine disturbs single
/// runs, and short ones most, so short runs are repeated for a while; runs of many seconds are
/// repeated only a few times.
template <class Work>
core::Interval median_ms(Work&& work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds enough(200), too_long(5000);
  constexpr std::size_t fewest = 7, most = 101;
  std::vector<double> times_ms;
  work();
  const auto begin = Clock::now();
  while (times_ms.size() < most) {
    const auto start = Clock::now();
    work();
    const auto end = Clock::now();
    times_ms.push_back(std::chrono::duration<double, std::milli>(end - start).count());
    if (end - begin >= too_long || (end - begin >= enough && times_ms.size() >= fewest)) break;
  }
  return core::median_with_interval(times_ms);
}

template <class Number>
std::vector<Number> matrix(int rows, int cols) {
  return std::vector<Number>(std::size_t(rows) * cols, Number(0.5));
}

core::Interval product_ms(int n) {
  const auto A = matrix<float>(n, n), B = matrix<float>(n, n);
  auto C = matrix<float>(n, n);
  return median_ms([&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A.data(), n, B.data(), n, 0,
                C.data(), n);
  });
}

core::Interval product_ms_double(int n) {
  const auto A = matrix<double>(n, n), B = matrix<double>(n, n);
  auto C = matrix<double>(n, n);
  return median_ms([&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A.data(), n, B.data(), n, 0,
                C.data(), n);
  });
}

core::Interval solve_ms(int m, int n) {
  // A is the identity, so that repeated solving neither overflows nor produces slow denormal
  // numbers.
  std::vector<double> A(std::size_t(m) * m, 0.0);
  for (int i = 0; i < m; ++i) A[std::size_t(i) * m + i] = 1;
  auto B = matrix<double>(m, n);
  return median_ms([&] {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, n, 1, A.data(),
                m, B.data(), n);
  });
}

}  // namespace

std::vector<TurnsTaken> take_turns(
    std::size_t contenders, std::chrono::duration<double> budget,
    const std::function<Turn(std::size_t contender, int round)>& take) {
  // Fewer rounds may agree by chance.
  constexpr int fewest_rounds = 6, most_rounds = 20;
  const auto start = std::chrono::steady_clock::now();
  std::vector<TurnsTaken> taken(contenders);
  std::vector<std::vector<double>> medians_ms(contenders);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i < contenders; ++i) {
      if (!taken[i].problem.empty()) continue;
      const Turn turn = take(i, round);
      taken[i].problem = turn.problem;
      if (turn.problem.empty()) {
        medians_ms[i].push_back(core::median(turn.times_ms));
      } else {
        medians_ms[i].clear();
      }
    }
    if (std::chrono::steady_clock::now() - start >= budget) break;
    if (round + 1 >= fewest_rounds && std::ranges::all_of(medians_ms, is_steady)) break;
  }
  for (std::size_t i = 0; i < contenders; ++i) {
    if (taken[i].problem.empty()) taken[i].ms = core::median(medians_ms[i]);
  }
  return taken;
}

Task task_of(const Problem& problem, const NamedCall& call) {
  const BufferArgument *first = nullptr, *last = nullptr;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      if (first == nullptr) first = matrix;
      last = matrix;
    }
  }
  return {&problem, first->element_bytes, static_cast<int>(first->row_elements),
          static_cast<int>(last->row_elements)};
}

std::optional<core::Interval> cpu_ms(const Task& task) {
  switch (task.problem->blas_routine()) {
    case BlasRoutine::gemm:
      return task.element_bytes == sizeof(double) ? product_ms_double(task.n) : product_ms(task.n);
    case BlasRoutine::trsm:
      return solve_ms(task.m, task.n);
    case BlasRoutine::none:
      return std::nullopt;
  }
  throw std::logic_error("no such routine");
}

}  // namespace tilewise::grading
