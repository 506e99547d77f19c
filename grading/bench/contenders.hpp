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

/// Times kernels side by side, and the CPU library that they are compared with.
namespace tilewise::grading {

/// The result of one contender's turn.
struct Turn {
  std::vector<double> times_ms;  ///< times of its repetitions; at least one if there is no problem
  std::string problem = {};      ///< if not empty, the contender gets no further turn
};

/// The result of all turns of a contender.
struct TurnsTaken {
  double ms = 0;  ///< median of the rounds' medians
  std::string problem = {};
};

/// Lets contenders take turns, so that anything that slows the device down for a while affects all
/// of them. The turns end when the median of each contender is known to 1%, or when the budget,
/// which is checked after each round, is spent.
/// @param take runs the turn of a contender (from 0) in a round (from 0)
std::vector<TurnsTaken> take_turns(
    std::size_t contenders, std::chrono::duration<double> budget,
    const std::function<Turn(std::size_t contender, int round)>& take);

/// Identifies what a call computes; calls with equal tasks have the same inputs and results.
struct Task {
  const Problem* problem = nullptr;
  std::size_t element_bytes = 0;  ///< element size of the first matrix: half, float or double
  int m = 0;  ///< columns of the first matrix; the order of A if A * X = B is solved
  int n = 0;  ///< columns of the last matrix

  auto operator<=>(const Task&) const = default;
};

Task task_of(const Problem& problem, const NamedCall& call);

/// Returns the milliseconds that OpenBLAS takes for a task on this machine's processor, as the
/// median of several runs with its uncertainty, or nothing if OpenBLAS has no function for the
/// task.
std::optional<core::Interval> cpu_ms(const Task& task);

}  // namespace tilewise::grading
