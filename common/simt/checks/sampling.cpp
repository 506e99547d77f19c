#include "common/simt/checks/sampling.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <random>

#include "common/gpu/capability.hpp"
#include "common/simt/recorder/shadow.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

GridSample::GridSample(dim3 grid, unsigned longest_period)
    : extents_{grid.x, grid.y, grid.z}, longest_period_(longest_period) {}

std::uint64_t GridSample::number(const Index& index) const {
  return (std::uint64_t{index[2]} * extents_[1] + index[1]) * extents_[0] + index[0];
}

std::vector<GridSample::Group> GridSample::groups(int axis) const {
  const unsigned extent = extents_[static_cast<std::size_t>(axis)];
  const unsigned period = periods_[static_cast<std::size_t>(axis)];
  std::vector<Group> all{{0, 1, false}};
  if (extent > 1) all.push_back({extent - 1, 1, false});
  const unsigned inner = extent > 2 ? extent - 2 : 0;
  for (unsigned phase = 0; phase < std::min(period, inner); ++phase) {
    all.push_back({1 + phase, (inner - phase + period - 1) / period, true});
  }
  return all;
}

template <class Visit>
void GridSample::for_each_group(Visit&& visit) const {
  for (const Group& z : groups(2)) {
    for (const Group& y : groups(1)) {
      for (const Group& x : groups(0)) visit(std::array<Group, 3>{x, y, z});
    }
  }
}

BlockWeights GridSample::weights() const {
  if (!estimate_.empty()) return estimate_;
  BlockWeights all;
  for_each_group([&](const std::array<Group, 3>& group) {
    all.emplace_back(number({group[0].coordinate, group[1].coordinate, group[2].coordinate}),
                     group[0].count * group[1].count * group[2].count);
  });
  return all;
}

// Returns pairs of blocks that must be alike if the period is right: each inner block, and the
// block one period further on.
std::vector<std::pair<std::uint64_t, std::uint64_t>> GridSample::pairs_along(int axis) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  const auto a = static_cast<std::size_t>(axis);
  for_each_group([&](const std::array<Group, 3>& group) {
    Index index{group[0].coordinate, group[1].coordinate, group[2].coordinate};
    const std::uint64_t block = number(index);
    index[a] += periods_[a];
    if (group[a].inner && index[a] < extents_[a] - 1) pairs.emplace_back(block, number(index));
  });
  return pairs;
}

// Returns the first inner block, or the first block if there is no inner one.
GridSample::Index GridSample::origin() const {
  Index index{};
  for (std::size_t a = 0; a < 3; ++a) index[a] = extents_[a] > 2 ? 1 : 0;
  return index;
}

/// Whether the origin has an inner neighbour one period further along the axis.
bool GridSample::reaches_on(std::size_t axis) const {
  return extents_[axis] > 2 && 1 + periods_[axis] < extents_[axis] - 1;
}

// Returns the nearest simulated block further along the axis; null where the grid ends.
const BlockSample* GridSample::neighbour_of_origin(std::size_t axis) const {
  Index index = origin();
  if (reaches_on(axis)) {
    index[axis] += periods_[axis];
  } else if (index[axis] + 1 < extents_[axis]) {
    index[axis] = extents_[axis] - 1;
  }
  const auto found = blocks_.find(number(index));
  return index == origin() || found == blocks_.end() ? nullptr : &found->second;
}

Footprint GridSample::footprint() const {
  const BlockFootprint& own = blocks_.at(number(origin())).footprint;
  Footprint footprint{.load_sectors = own.loaded.size(),
                      .store_sectors = own.stored.size(),
                      .store_bytes = own.store_bytes,
                      .load_lines = own.load_lines,
                      .store_lines = own.store_lines,
                      .load_intervals = own.load_intervals,
                      .waiting_intervals = own.waiting_intervals,
                      .idle_intervals = own.idle_intervals,
                      .store_rounds = own.store_rounds,
                      .copied_bytes = own.copied_bytes,
                      .reading_intervals = own.reading_intervals,
                      .overlapped_intervals = own.overlapped_intervals};
  std::uint64_t* const shared_with_next[] = {&footprint.shared_along_x, &footprint.shared_along_y};
  for (std::size_t axis : {0, 1}) {
    if (const BlockSample* neighbour = neighbour_of_origin(axis)) {
      *shared_with_next[axis] = own.loaded.size_of_common(neighbour->footprint.loaded);
    }
  }
  return footprint;
}

// Returns the block a third or two thirds into the grid, a whole number of periods from the origin.
GridSample::Index GridSample::midst(unsigned thirds) const {
  Index index = origin();
  for (std::size_t a = 0; a < 3; ++a) {
    if (!reaches_on(a)) continue;
    const auto wanted = static_cast<unsigned>(std::uint64_t{extents_[a]} * thirds / 3);
    if (wanted > 1) index[a] += (wanted - 1) / periods_[a] * periods_[a];
    if (index[a] >= extents_[a] - 1) index[a] = 1;
  }
  return index;
}

std::vector<std::uint64_t> GridSample::wanted() const {
  if (done_ || irregular_) return {};
  std::set<std::uint64_t> all;
  for (const auto& [block, weight] : weights()) all.insert(block);
  if (!estimate_.empty()) return missing_of(all);
  for (const unsigned thirds : {1u, 2u}) all.insert(number(midst(thirds)));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (int axis = 0; axis < 3; ++axis) {
    const auto along = pairs_along(axis);
    pairs.insert(pairs.end(), along.begin(), along.end());
  }
  for (const auto& [block, other] : pairs) all.insert({block, other});
  return missing_of(all);
}

std::vector<std::uint64_t> GridSample::missing_of(const std::set<std::uint64_t>& all) const {
  std::vector<std::uint64_t> missing;
  std::copy_if(all.begin(), all.end(), std::back_inserter(missing),
               [&](std::uint64_t block) { return blocks_.count(block) == 0; });
  return missing;
}

void GridSample::estimate(std::uint64_t seed) {
  // More parts make the estimate closer where blocks do unequal work. This many take about as long
  // as the sample of a regular grid.
  constexpr std::uint64_t most_parts = 16;
  const std::uint64_t blocks = std::uint64_t{extents_[0]} * extents_[1] * extents_[2];
  const std::uint64_t parts = std::min(blocks, most_parts);
  const auto begin = [&](std::uint64_t part) {
    return part * (blocks / parts) + std::min(part, blocks % parts);
  };
  std::mt19937_64 random(seed);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t size = begin(part + 1) - begin(part);
    estimate_.emplace_back(begin(part) + random() % size, size);
  }
  irregular_ = false;
  done_ = false;
}

void GridSample::add(std::uint64_t block, BlockSample sample) {
  blocks_.emplace(block, std::move(sample));
}

bool GridSample::agree(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) const {
  return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return blocks_.at(pair.first).signature == blocks_.at(pair.second).signature;
  });
}

// If the blocks of a kernel do different work, that shows in the middle of the grid. The same is
// true of a kernel that gives its blocks tiles in another order (diagonal, for example), so that
// tiles at the matrix's edge come up anywhere.
bool GridSample::midst_is_as_foreseen() const {
  const auto block = [&](const Index& index) -> const BlockSample& {
    return blocks_.at(number(index));
  };
  const BlockSample& first = block(origin());
  for (const unsigned thirds : {1u, 2u}) {
    const Index index = midst(thirds);
    std::uint64_t position = first.position;
    for (std::size_t a = 0; a < 3; ++a) {
      if (!reaches_on(a)) continue;
      Index next = origin();
      next[a] += periods_[a];
      position += (index[a] - 1) / periods_[a] * (block(next).position - first.position);
    }
    if (block(index).signature != first.signature || block(index).position != position) {
      return false;
    }
  }
  return true;
}

void GridSample::judge() {
  if (!estimate_.empty()) {
    done_ = true;
    return;
  }
  std::array<bool, 3> repeats;
  for (int axis = 0; axis < 3; ++axis) {
    repeats[static_cast<std::size_t>(axis)] = agree(pairs_along(axis));
  }
  done_ = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (repeats[axis]) continue;
    periods_[axis] *= 2;
    done_ = false;
    irregular_ |= periods_[axis] > longest_period_;
  }
  if (done_) irregular_ = !midst_is_as_foreseen();
}

namespace {

/// The sample of the launch that is running.
struct LaunchSample {
  std::mutex mutex;
  std::optional<GridSample> blocks;  ///< none if all blocks are to run
  bool started = false;
  bool estimates = false;
  std::uint64_t seed = 0;
};

LaunchSample& launch_sample() {
  static auto* sample = new LaunchSample;  // outlives static destructors that use it
  return *sample;
}

/// The alignment to a sector repeats every 8 floats; on 1.x, whose segments have 128 bytes, every
/// 32.
unsigned longest_period(const core::GpuProfile& gpu) {
  return core::capability_of(gpu).serves_half_warps ? 32 : 8;
}

}  // namespace

void Sampling::begin_launch(const Watch& watch, const LaunchConfiguration& launch) {
  LaunchSample& sample = launch_sample();
  sample.blocks.reset();
  if (watch.sample) sample.blocks.emplace(launch.grid, longest_period(device::profile()));
  sample.started = false;
  sample.estimates = watch.estimate;
  sample.seed = watch.seed;
}

std::vector<std::uint64_t> Sampling::next_of_sample() {
  LaunchSample& sample = launch_sample();
  if (!sample.blocks) return {};
  if (std::exchange(sample.started, true)) sample.blocks->judge();
  if (sample.blocks->irregular() && sample.estimates) sample.blocks->estimate(sample.seed);
  return sample.blocks->wanted();
}

BlockWeights Sampling::weights() {
  const LaunchSample& sample = launch_sample();
  return sample.blocks && !sample.blocks->irregular() ? sample.blocks->weights() : BlockWeights();
}

void Sampling::end_launch(const LaunchResults& results) {
  if (results.profile == nullptr || !launch_sample().blocks) return;
  results.profile->footprint = launch_sample().blocks->footprint();
}

void Sampling::start(const BlockWatch& block) {
  Observer::start(block);
  sees_accesses_ = block.watch().sample;
  last_blocks_.clear();
}

void Sampling::start_block(bool) {
  if (!sees_accesses_) return;
  ++blocks_started_;
  sample_ = {};
  footprint_.start_block(block().warps());
}

void Sampling::access(const Access& access) {
  const Request& request = access.request;
  if (!access.pattern.shared && block().is_constant(request)) return;
  footprint_.note(request, access.pattern);
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ull;  // 2^64 over the golden ratio
  sample_.signature =
      std::rotl((sample_.signature ^ access.pattern.hash ^ request.site.word()) * odd, 17);
  if (access.pattern.shared) return;
  if (access.site.number >= last_blocks_.size()) last_blocks_.resize(access.site.number + 1);
  if (std::exchange(last_blocks_[access.site.number], blocks_started_) == blocks_started_) return;
  // Each site has a different odd factor, so that two sites that move against each other are
  // noticed.
  sample_.position += (request.site.word() * odd | 1) * request.first_place();
}

void Sampling::copy_begun(const BegunCopy& copy, AccessRecord by) {
  if (sees_accesses_) footprint_.copy_begun(thread_of(by.tag), copy);
}

void Sampling::copies_arrived(unsigned batches, AccessRecord wait) {
  if (sees_accesses_) footprint_.copies_arrived(thread_of(wait.tag), batches);
}

void Sampling::barrier(std::size_t) {
  if (sees_accesses_) footprint_.pass_barrier();
}

void Sampling::finish_block() {
  if (!sees_accesses_) return;
  sample_.footprint = footprint_.take();
  const std::lock_guard lock(launch_sample().mutex);
  launch_sample().blocks->add(block().number(), std::move(sample_));
}

}  // namespace tilewise::simt
