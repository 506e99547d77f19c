#include "common/simt/checks/block_footprint.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tilewise::simt {
namespace {

/// A warp's access of 4 bytes a lane, lanes `stride` bytes apart.
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
  }
}

TEST(BlockFootprint, TellsWhereAWarpWaitsForWhatItLoads) {
  const Access load(Action::read, 0, 4), shared_store(Action::write, shared_place, 4);
  const Access shared_load(Action::read, shared_place, 4), other_warp(Action::read, 0, 4, 1);
  FootprintWriter writer;
  writer.start_block(2);
  load.note(writer);  // brought and stored: waits
  shared_store.note(writer);
  other_warp.note(writer);  // brought only
  writer.pass_barrier();
  load.note(writer);  // fetched ahead
  shared_load.note(writer);
  writer.pass_barrier();
  shared_store.note(writer);  // what was fetched; nothing is loaded here
  writer.pass_barrier();
  const BlockFootprint footprint = writer.take();
  EXPECT_EQ(footprint.load_intervals, 3u);
  EXPECT_EQ(footprint.waiting_intervals, 1u);
}

}  // namespace
}  // namespace tilewise::simt
