#include "common/simt/checks/sampling.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

namespace tilewise::simt {
namespace {

/// A warp's access of 4 bytes a lane, where lanes are `stride` bytes apart.
class Access {
 public:
  Access(Action action, Place first, Place stride, unsigned warp = 0) {
    for (Place lane = 0; lane < 32; ++lane) places_[lane] = first + lane * stride;
    request_ = {Site32(Site32::kind(action, 4) | 1), ~0u, places_.data(), nullptr, warp};
    pattern_.shared = is_shared(first);
  }
  void note(FootprintWriter& writer) const { writer.note(request_, pattern_); }

 private:
  std::array<Place, 32> places_{};
  Request request_{Site32(0), 0, nullptr, nullptr, 0};
  Pattern pattern_{};
};

TEST(SectorSet, CountsSectorsOnceAndThoseInCommon) {
  SectorSet a, b;
  for (const Place place : {0u, 31u, 32u, 4096u, 1u << 20}) a.add(place);
  for (const Place place : {33u, 64u, (1u << 20) + 31}) b.add(place);
  EXPECT_EQ(a.size(), 4u);
  EXPECT_EQ(b.size(), 3u);
  EXPECT_EQ(a.size_of_common(b), 2u);
  EXPECT_EQ(b.size_of_common(a), 2u);
  EXPECT_EQ(SectorSet().size_of_common(a), 0u);
}

TEST(BlockFootprint, CountsDifferentSectorsAndLinesOfEachRequest) {
  const struct {
    Place stride;
    std::uint64_t sectors, lines;
  } cases[] = {{0, 1, 1}, {4, 4, 1}, {8, 8, 2}, {32, 32, 8}, {128, 32, 32}, {4096, 32, 32}};
  for (const auto& expected : cases) {
    FootprintWriter writer;
    writer.start_block(1);
    for (int twice = 0; twice < 2; ++twice) {
      Access(Action::read, 256, expected.stride).note(writer);
      Access(Action::write, 1 << 20, expected.stride).note(writer);
    }
    const BlockFootprint footprint = writer.take();
    EXPECT_EQ(footprint.loaded.size(), expected.sectors) << expected.stride;
    EXPECT_EQ(footprint.stored.size(), expected.sectors) << expected.stride;
    EXPECT_EQ(footprint.load_lines, 2 * expected.lines) << expected.stride;
    EXPECT_EQ(footprint.store_lines, 2 * expected.lines) << expected.stride;
    EXPECT_EQ(footprint.store_bytes, 2u * 32 * 4) << expected.stride;
  }
}

TEST(BlockFootprint, TellsWhereAWarpWaitsForWhatItLoads) {
  const Access load(Action::read, 0, 4), shared_store(Action::write, shared_place, 4);
  const Access shared_load(Action::read, shared_place, 4), other_warp(Action::read, 0, 4, 1);
  FootprintWriter writer;
  writer.start_block(2);
  load.note(writer);  // loaded and stored: the warp waits
  shared_store.note(writer);
  other_warp.note(writer);  // only loaded
  writer.pass_barrier();
  load.note(writer);  // prefetched
  shared_load.note(writer);
  writer.pass_barrier();
  shared_store.note(writer);  // stores what was prefetched; nothing is loaded here
  writer.pass_barrier();
  load.note(writer);  // loaded for another pair of tiles, while one is read
  shared_store.note(writer);
  shared_load.note(writer);
  writer.pass_barrier();
  const BlockFootprint footprint = writer.take();
  EXPECT_EQ(footprint.load_intervals, 4u);
  EXPECT_EQ(footprint.waiting_intervals, 2u);
  EXPECT_EQ(footprint.idle_intervals, 1u);
}

// The warp loads the next element before it puts this one into shared memory, one step after this
// one arrived.
TEST(BlockFootprint, SeesWhatIsOnItsWayWhileAnEarlierLoadIsStored) {
  const Access load(Action::read, 0, 4), shared_store(Action::write, shared_place, 4);
  const Access shared_load(Action::read, shared_place, 4);
  FootprintWriter writer;
  writer.start_block(1);
  load.note(writer);
  for (int step = 0; step < 4; ++step) {
    if (step < 3) load.note(writer);
    shared_store.note(writer);
    writer.pass_barrier();
    shared_load.note(writer);
    writer.pass_barrier();
  }
  const BlockFootprint footprint = writer.take();
  EXPECT_EQ(footprint.waiting_intervals, 3u);
  EXPECT_EQ(footprint.idle_intervals, 0u);
}

TEST(BlockFootprint, TellsCopiesUnderWayWhileSharedMemoryIsReadFromOthers) {
  const Access shared_load(Action::read, shared_place, 4);
  const Access of_other_warp(Action::read, shared_place, 4, 1);
  const auto begin = [](FootprintWriter& writer, unsigned batch) {
    writer.copy_begun(
        0, {.to = shared_place, .from = 0, .bytes = 16, .bytes_read = 16, .batch = batch});
  };
  FootprintWriter writer;
  writer.start_block(2);
  begin(writer, 0);  // waited for at once
  writer.copies_arrived(0, 1);
  shared_load.note(writer);
  writer.pass_barrier();
  begin(writer, 1);  // shared memory is read before the wait
  shared_load.note(writer);
  writer.copies_arrived(0, 2);
  writer.pass_barrier();
  shared_load.note(writer);  // no copy is in flight
  writer.pass_barrier();
  begin(writer, 2);  // left in flight
  writer.pass_barrier();
  shared_load.note(writer);  // still in flight
  writer.copies_arrived(0, 3);
  writer.pass_barrier();
  of_other_warp.note(writer);  // reads what is there, while the other warp copies and waits
  begin(writer, 3);
  writer.copies_arrived(0, 4);
  writer.pass_barrier();
  const BlockFootprint footprint = writer.take();
  EXPECT_EQ(footprint.copied_bytes, 64u);
  EXPECT_EQ(footprint.reading_intervals, 5u);
  EXPECT_EQ(footprint.overlapped_intervals, 3u);
}

TEST(BlockFootprint, TellsResultsThatAWarpHasTogetherFromNewOnes) {
  const Access load(Action::read, 0, 4), store(Action::write, 1 << 20, 4);
  // A letter for each interval says what the warp does in it: l loads, s stores, b both, - neither.
  const struct {
    const char* intervals;
    std::uint64_t rounds;
  } cases[] = {{"llllb", 1},     {"lllls", 1},    {"llll-s-s-s", 1}, {"llllsbsb", 1},
               {"llllsllls", 2}, {"llllslls", 2}, {"llllsls", 1},    {"lsls", 2},
               {"ssss", 1},      {"llll", 0},     {"bbbb", 4},       {"llllsllllsllll", 2}};
  for (const auto& [intervals, rounds] : cases) {
    FootprintWriter writer;
    writer.start_block(1);
    for (const char* interval = intervals; *interval != 0; ++interval) {
      if (*interval == 'l' || *interval == 'b') load.note(writer);
      if (*interval == 's' || *interval == 'b') store.note(writer);
      writer.pass_barrier();
    }
    EXPECT_EQ(writer.take().store_rounds, rounds) << intervals;
  }
}

/// A block of a kernel that makes `requests` requests, the first of them at `address`, which lies
/// `phase` into a sector.
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
  std::map<std::uint64_t, std::uint64_t> requests;
  for (auto wanted = sample.wanted(); !wanted.empty(); wanted = sample.wanted()) {
    for (const std::uint64_t block : wanted) {
      const Behaviour behaviour =
          kernel(static_cast<unsigned>(block % columns), static_cast<unsigned>(block / columns));
      requests[block] = behaviour.requests;
      sample.add(block, {.signature = behaviour.requests * 100 + behaviour.phase,
                         .position = behaviour.address,
                         .footprint = {}});
      ++outcome.simulated;
    }
    sample.judge();
    if (sample.irregular() && irregular == Irregular::estimate) sample.estimate(1);
  }
  outcome.irregular = sample.irregular();
  if (outcome.irregular) return outcome;
  for (const auto& [block, weight] : sample.weights()) {
    outcome.total += requests.at(block) * weight;
  }
  return outcome;
}

std::uint64_t exhaustive(unsigned columns, unsigned rows, const Kernel& kernel) {
  std::uint64_t total = 0;
  for (unsigned y = 0; y < rows; ++y) {
    for (unsigned x = 0; x < columns; ++x) total += kernel(x, y).requests;
  }
  return total;
}

/// Requests differ at the grid's edges, and with the phase within a sector.
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
