#include "grading/bench/contenders.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <variant>
#include <vector>

#include "common/core/statistics.hpp"

namespace tilewise::grading {
namespace {

bool is_steady(const std::vector<double>& medians_ms) {
  constexpr double tolerated = 0.01;
  return medians_ms.empty() || core::median_with_interval(medians_ms).relative_error() <= tolerated;
}

template <class Work>
double median_ms(Work&& work) {
  // More than a second is hardly disturbed; what takes less is repeated, after a warm-up.
  constexpr int repetitions = 5;
  constexpr double long_ms = 1000;
  std::vector<double> times_ms;
  for (int i = 0; i <= repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (i > 0 || time.count() > long_ms) times_ms.push_back(time.count());
    if (time.count() > long_ms) break;
  }
  return core::median(times_ms);
}

template <class Number>
std::vector<Number> matrix(int rows, int cols) {
  return std::vector<Number>(std::size_t(rows) * cols, Number(0.5));
}

double product_ms(int n) {
  const auto A = matrix<float>(n, n), B = matrix<float>(n, n);
  auto C = matrix<float>(n, n);
  return median_ms([&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A.data(), n, B.data(), n, 0,
                C.data(), n);
  });
}

double product_ms_double(int n) {
  const auto A = matrix<double>(n, n), B = matrix<double>(n, n);
  auto C = matrix<double>(n, n);
  return median_ms([&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A.data(), n, B.data(), n, 0,
                C.data(), n);
  });
}

double solve_ms(int m, int n) {
  // The identity, so that solving again and again neither overflows nor meets slow small numbers.
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
  // Fewer rounds agree by chance.
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
  return {&problem, call.double_precision, static_cast<int>(first->row_elements),
          static_cast<int>(last->row_elements)};
}

std::optional<double> cpu_ms(const Task& task) {
  switch (task.problem->blas_routine()) {
    case BlasRoutine::gemm:
      return task.double_precision ? product_ms_double(task.n) : product_ms(task.n);
    case BlasRoutine::trsm:
      return solve_ms(task.m, task.n);
    case BlasRoutine::none:
      return std::nullopt;
  }
  throw std::logic_error("no such routine");
}

}  // namespace tilewise::grading
