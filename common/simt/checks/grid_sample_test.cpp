#include "common/simt/checks/grid_sample.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace tilewise::simt {
namespace {

/// A block of a kernel that makes `requests` requests, the first at `address`, `phase` into a
/// sector.
struct Behaviour {
  std::uint64_t requests;
  std::uint64_t address;
  std::uint64_t phase;
};
using Kernel = std::function<Behaviour(unsigned x, unsigned y)>;

struct Outcome {
  std::uint64_t total = 0;
  std::uint64_t simulated = 0;
  bool irregular = false;
};

enum class Irregular { leave, estimate };

Outcome sample(unsigned columns, unsigned rows, const Kernel& kernel,
               Irregular irregular = Irregular::leave) {
  GridSample sample(dim3(columns, rows), 8);
  Outcome outcome;
  for (auto wanted = sample.wanted(); !wanted.empty(); wanted = sample.wanted()) {
    for (const std::uint64_t block : wanted) {
      const Behaviour behaviour =
          kernel(static_cast<unsigned>(block % columns), static_cast<unsigned>(block / columns));
      BlockWatch::Counted counted;
      Counters counters;
      counters.global_load_requests = behaviour.requests;
      counted.sites.emplace_back(1, counters);
      counted.signature = behaviour.requests * 100 + behaviour.phase;
      counted.position = behaviour.address;
      sample.add(block, counted);
      ++outcome.simulated;
    }
    sample.judge();
    if (sample.irregular() && irregular == Irregular::estimate) sample.estimate(1);
  }
  outcome.irregular = sample.irregular();
  if (outcome.irregular) return outcome;
  sample.for_each([&](const BlockWatch::Counted& counted, std::uint64_t weight) {
    outcome.total += counted.sites[0].second.global_load_requests * weight;
  });
  return outcome;
}

std::uint64_t exhaustive(unsigned columns, unsigned rows, const Kernel& kernel) {
  std::uint64_t total = 0;
  for (unsigned y = 0; y < rows; ++y) {
    for (unsigned x = 0; x < columns; ++x) total += kernel(x, y).requests;
  }
  return total;
}

/// Requests differ at the grid's rim and with the phase in a sector.
Kernel ragged(unsigned columns, unsigned rows, unsigned phase_x, unsigned phase_y) {
  return [=](unsigned x, unsigned y) {
    const std::uint64_t phase = x % phase_x + 10 * (y % phase_y);
    return Behaviour{1000 + phase + (x == 0 ? 7u : 0) + (x + 1 == columns ? 100u : 0) +
                         (y + 1 == rows ? 30u : 0),
                     64ull * x + 4096ull * y, phase};
  };
}

TEST(GridSample, GivesTheTotalsOfTheWholeGrid) {
  const struct {
    unsigned columns, rows, phase_x, phase_y;
  } cases[] = {{1, 1, 1, 1},   {2, 2, 1, 1},   {3, 1, 1, 1},   {1, 5, 1, 1},   {4, 7, 1, 1},
               {64, 64, 1, 1}, {64, 32, 2, 1}, {64, 33, 1, 4}, {37, 41, 8, 4}, {5, 50, 8, 8}};
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.columns << " x " << c.rows << ", repeats every "
                                    << c.phase_x << ", " << c.phase_y);
    const Kernel kernel = ragged(c.columns, c.rows, c.phase_x, c.phase_y);
    const Outcome outcome = sample(c.columns, c.rows, kernel);
    EXPECT_FALSE(outcome.irregular);
    EXPECT_EQ(outcome.total, exhaustive(c.columns, c.rows, kernel));
  }
}

TEST(GridSample, NeedsFewBlocks) {
  EXPECT_LE(sample(256, 256, ragged(256, 256, 1, 1)).simulated, 20u);
}

TEST(GridSample, EstimatesFromSomeBlocksWhereNoneStandForOthers) {
  const Kernel triangular = [](unsigned x, unsigned y) { return Behaviour{100 + x, x + y, 0}; };
  const Kernel diagonal = [](unsigned x, unsigned y) { return Behaviour{7, (x + y) % 64, 0}; };
  const struct {
    const char* what;
    unsigned columns, rows;
    Kernel kernel;
    double tolerance;
  } cases[] = {{"equal work in another order", 64, 64, diagonal, 0},
               {"equal work, and parts of unequal size", 61, 53, diagonal, 0},
               {"unequal work", 64, 64, triangular, 0.1},
               {"fewer blocks than parts", 5, 4, triangular, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const Outcome outcome = sample(c.columns, c.rows, c.kernel, Irregular::estimate);
    EXPECT_FALSE(outcome.irregular);
    EXPECT_LE(outcome.simulated, 100u);
    const auto exact = static_cast<double>(exhaustive(c.columns, c.rows, c.kernel));
    EXPECT_NEAR(static_cast<double>(outcome.total), exact, c.tolerance * exact);
  }
}

TEST(GridSample, SaysWhereBlocksDoNotStandForOthers) {
  const Kernel triangular = [](unsigned x, unsigned y) { return Behaviour{x + 1, x + y, 0}; };
  const Kernel one_odd = [](unsigned x, unsigned y) {
    return Behaviour{x == 21 && y == 21 ? 2u : 1u, x + y, 0};
  };
  const Kernel diagonal = [](unsigned x, unsigned y) {
    return Behaviour{1, (x + y) % 64, 0};  // no block differs, but they come in another order
  };
  EXPECT_TRUE(sample(64, 64, triangular).irregular);
  EXPECT_TRUE(sample(64, 64, one_odd).irregular);
  EXPECT_TRUE(sample(64, 64, diagonal).irregular);
}

}  // namespace
}  // namespace tilewise::simt
