#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/statistics.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/profile/named_call.hpp"

/// How kernels are timed side by side, and the library on the CPU that they are compared with.
namespace tilewise::grading {

/// What came of one contender's turn.
struct Turn {
  std::vector<double> times_ms;  ///< of its repetitions; at least one where there is no problem
  std::string problem = {};      ///< it has no further turn then
};

/// All turns of a contender together.
struct TurnsTaken {
  double ms = 0;  ///< median over rounds of each round's median
  std::string problem = {};
};

/// Lets contenders take turns, so that whatever slows the device down for a while slows down all:
/// until the median of each is known to 1%, or the budget is spent, which is looked at after each
/// round.
/// @param take lets a contender (from 0) take its turn of a round (from 0)
std::vector<TurnsTaken> take_turns(
    std::size_t contenders, std::chrono::duration<double> budget,
    const std::function<Turn(std::size_t contender, int round)>& take);

/// What a call computes; calls of which this is equal have the same inputs and results.
struct Task {
  const Problem* problem = nullptr;
  std::size_t element_bytes = 0;  ///< of the first matrix: halves, floats or doubles
  int m = 0;  ///< columns of the first matrix: the order of A where A * X = B is solved
  int n = 0;  ///< columns of the last one

  auto operator<=>(const Task&) const = default;
};

Task task_of(const Problem& problem, const NamedCall& call);

/// Milliseconds that OpenBLAS takes for it on this machine's processor, the median of several runs
/// and how sure it is; nothing where it has no function for it.
std::optional<core::Interval> cpu_ms(const Task& task);

}  // namespace tilewise::grading
