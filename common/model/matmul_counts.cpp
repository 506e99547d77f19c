#include "common/model/matmul_counts.hpp"

namespace tilewise::model {

namespace {

std::uint64_t divide_up(std::uint64_t count, std::uint64_t unit) {
  return (count + unit - 1) / unit;
}

}  // namespace

ElementAccesses naive_accesses(std::uint64_t n) { return {2 * n * n * n, n * n}; }

std::uint64_t blocks_along_x(const Tiling& tiling, std::uint64_t n) {
  return divide_up(n, std::uint64_t(tiling.tile) * tiling.rx);
}

std::uint64_t blocks_along_y(const Tiling& tiling, std::uint64_t n) {
  return divide_up(n, std::uint64_t(tiling.tile) * tiling.ry);
}

std::uint64_t blocks_of_grid(const Tiling& tiling, std::uint64_t n) {
  return blocks_along_x(tiling, n) * blocks_along_y(tiling, n);
}

std::size_t shared_bytes_per_block(const Tiling& tiling) {
  return std::size_t(tiling.tile) * tiling.tile * (tiling.rx + tiling.ry) * sizeof(float);
}

ElementAccesses tiled_accesses(const Tiling& tiling, std::uint64_t n) {
  return {n * n * (blocks_along_x(tiling, n) + blocks_along_y(tiling, n)), n * n};
}

double approximate_accesses(const Tiling& tiling, std::uint64_t n) {
  const double order = static_cast<double>(n);
  return order * order * order / tiling.tile * (1.0 / tiling.rx + 1.0 / tiling.ry) + order * order;
}

std::uint64_t operations(const Tiling& tiling, std::uint64_t n) {
  const std::uint64_t tile = tiling.tile;
  const std::uint64_t results = blocks_of_grid(tiling, n) * tile * tile * tiling.rx * tiling.ry;
  return 2 * results * divide_up(n, tile) * tile;
}

double cgma(const Tiling& tiling) {
  return 2.0 * tiling.tile / (1.0 / tiling.rx + 1.0 / tiling.ry);
}

std::uint64_t saturating_order(const Tiling& tiling, const core::GpuProfile& gpu,
                               int active_blocks) {
  const std::uint64_t wanted = std::uint64_t(gpu.sms) * active_blocks;
  std::uint64_t n = 1;
  while (blocks_of_grid(tiling, n) < wanted) ++n;
  return n;
}

std::uint64_t fewest_requests(std::uint64_t elements) { return divide_up(elements, 32); }

std::uint64_t fewest_sectors(std::uint64_t elements) { return divide_up(elements, 8); }

}  // namespace tilewise::model
