#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

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

}  // namespace tilewise::grading
