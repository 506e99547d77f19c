#include "common/simt/validation/cases.hpp"

#include <cstddef>
#include <random>
#include <utility>

#include "common/cuda/device_buffer.hpp"
#include "common/simt/validation/access_patterns.hpp"
#include "common/simt/validation/transposes.hpp"
#include "labs/01_single_block/matmul_single_block.hpp"
#include "labs/02_multi_block_grid/matmul_grid.hpp"
#include "labs/03_shared_memory/matmul_shared.hpp"

namespace tilewise::simt {
namespace {

using cuda::DeviceBuffer;

constexpr int warp_size = 32;

/// Allocates written memory. Counters do not depend on a matrix's values, but its memory must have
/// been written.
DeviceBuffer zeros(std::size_t bytes) {
  DeviceBuffer buffer(bytes);
  buffer.upload(std::vector<char>(bytes).data());
  return buffer;
}

cudaError_t finish(cudaError_t launched) {
  return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}

/// A case that calls `multiply(A, B, C)` on matrices (n, n).
template <class Multiply>
CounterCase product(std::string name, int n, Multiply multiply) {
  return {
      std::move(name), [=] {
        const std::size_t bytes = sizeof(float) * n * n;
        const DeviceBuffer A = zeros(bytes), B = zeros(bytes), C = zeros(bytes);
        return finish(multiply(static_cast<const float*>(A.data()),
                               static_cast<const float*>(B.data()), static_cast<float*>(C.data())));
      }};
}

using BlockProduct = cudaError_t(const float*, const float*, float*, int, dim3);

CounterCase block_product(const char* function, BlockProduct* multiply, int n, dim3 block) {
  return product(std::string(function) + " n=" + std::to_string(n) +
                     " block=" + std::to_string(block.x) + "x" + std::to_string(block.y),
                 n, [=](auto A, auto B, auto C) { return multiply(A, B, C, n, block); });
}

CounterCase tiled_product(int n, int tile) {
  return product("matmul_shared n=" + std::to_string(n) + " tile=" + std::to_string(tile), n,
                 [=](auto A, auto B, auto C) { return matmul_shared(A, B, C, n, tile); });
}

using Transpose = cudaError_t(float*, const float*, int, int);

CounterCase transpose(const char* function, Transpose* turn, int rows, int cols) {
  return {std::string(function) + " " + std::to_string(rows) + "x" + std::to_string(cols), [=] {
            const std::size_t bytes = sizeof(float) * rows * cols;
            const DeviceBuffer in = zeros(bytes), out = zeros(bytes);
            return finish(turn(static_cast<float*>(out.data()),
                               static_cast<const float*>(in.data()), rows, cols));
          }};
}

/// The element that each lane of a warp accesses.
struct Pattern {
  std::string name;
  int bytes;  ///< of an element
  std::function<int(int lane)> element;
};

CounterCase access(const char* function, Access kind, const Pattern& pattern) {
  return {std::string(function) + " " + std::to_string(pattern.bytes) + " B " + pattern.name, [=] {
            std::vector<int> elements(warp_size);
            for (int lane = 0; lane < warp_size; ++lane) elements[lane] = pattern.element(lane);
            DeviceBuffer table(sizeof(int) * warp_size);
            table.upload(elements.data());
            const DeviceBuffer memory = zeros(std::size_t{pattern_elements} * pattern.bytes);
            const DeviceBuffer out = zeros(std::size_t{warp_size} * pattern.bytes);
            return finish(launch_access(kind, pattern.bytes, static_cast<const int*>(table.data()),
                                        memory.data(), out.data()));
          }};
}

Pattern strided(int bytes, int stride) {
  return {"stride " + std::to_string(stride), bytes, [=](int lane) { return stride * lane; }};
}

/// Rows of neighbouring lanes, as in a block that is narrower than a warp.
Pattern rows(int bytes, int lanes, int pitch) {
  return {"rows of " + std::to_string(lanes) + " lanes pitch " + std::to_string(pitch), bytes,
          [=](int lane) { return lane / lanes * pitch + lane % lanes; }};
}

/// Each group of neighbouring lanes reads one element of its own, as a block narrower than a warp
/// does with the row of A that it multiplies.
Pattern one_each(int bytes, int lanes, int pitch) {
  return {"one each for " + std::to_string(lanes) + " lanes pitch " + std::to_string(pitch), bytes,
          [=](int lane) { return lane / lanes * pitch; }};
}

/// Names the bits of a lane's number: "1+4" for 5.
std::string bit_names(int bits) {
  std::string names;
  for (int bit = 1; bit < warp_size; bit *= 2) {
    if (bits & bit) names += (names.empty() ? "" : "+") + std::to_string(bit);
  }
  return names;
}

/// Numbers the lanes from 0, but gives the same number to lanes that differ only in the bits of
/// `alike`.
int folded_lane(int lane, int alike) {
  int number = 0;
  for (int bit = 1, next = 1; bit < warp_size; bit *= 2) {
    if (alike & bit) continue;
    if (lane & bit) number += next;
    next *= 2;
  }
  return number;
}

/// Consecutive elements, but the same element for lanes that differ only in the bits of `alike`.
/// With 16, for example, both half-warps access the same 16 elements.
Pattern folded(int bytes, int alike) {
  return {"alike across lane bits " + bit_names(alike), bytes,
          [=](int lane) { return folded_lane(lane, alike); }};
}

/// Random elements below `range`, drawn with the seed, but the same element for lanes that differ
/// only in the bits of `alike`.
Pattern scattered(int bytes, int range, unsigned seed, int alike = 0) {
  std::mt19937 random(seed);
  std::vector<int> elements;
  for (int lane = 0; lane < warp_size; ++lane) {
    elements.push_back(static_cast<int>(random() % static_cast<unsigned>(range)));
  }
  std::string name = "random below " + std::to_string(range) + " seed " + std::to_string(seed);
  if (alike) name += " alike across lane bits " + bit_names(alike);
  return {name, bytes, [=](int lane) { return elements[folded_lane(lane, alike)]; }};
}

/// Only lanes with `active(lane)` take part; each accesses the element of its own number.
template <class Active>
Pattern masked(int bytes, std::string name, Active active) {
  return {std::move(name), bytes, [=](int lane) { return active(lane) ? lane : -1; }};
}

std::vector<Pattern> shared_patterns() {
  std::vector<Pattern> patterns;
  for (int stride : {0, 1, 2, 3, 4, 8, 16, 17, 32, 33}) patterns.push_back(strided(4, stride));
  for (int pitch : {16, 32, 33}) patterns.push_back(rows(4, 16, pitch));
  for (int stride : {0, 1, 2, 3, 4, 8, 16}) patterns.push_back(strided(8, stride));
  for (int pitch : {8, 11, 16, 32}) patterns.push_back(one_each(8, 16, pitch));
  for (int stride : {0, 1, 2, 3, 4, 8}) patterns.push_back(strided(16, stride));
  for (int lanes : {8, 16}) {
    for (int pitch : {1, 2, 4, 8}) patterns.push_back(one_each(16, lanes, pitch));
  }
  for (int bytes : {8, 16}) {
    for (int alike : {1, 2, 4, 8, 16}) patterns.push_back(folded(bytes, alike));
    for (int alike : {1, 2, 4}) patterns.push_back(scattered(bytes, 64, 2, alike));
    patterns.push_back({"alike across lane bit 1 in the first half-warp", bytes,
                        [](int lane) { return lane < 16 ? lane & ~1 : lane; }});
    patterns.push_back({"alike across lane bit 1 then 2 by half-warps", bytes,
                        [](int lane) { return lane & (lane < 16 ? ~1 : ~2); }});
  }
  for (int alike : {3, 5, 6, 9, 12, 17, 24, 7, 28}) patterns.push_back(folded(16, alike));
  for (int bytes : {4, 8, 16}) {
    patterns.push_back(masked(bytes, "even lanes", [](int lane) { return lane % 2 == 0; }));
    patterns.push_back(masked(bytes, "first half-warp", [](int lane) { return lane < 16; }));
    patterns.push_back(masked(bytes, "one lane", [](int lane) { return lane == 5; }));
    for (unsigned seed : {1, 2, 3}) {
      patterns.push_back(
          masked(bytes, "random lanes seed " + std::to_string(seed),
                 [lanes = std::mt19937(seed)()](int lane) { return lanes >> lane & 1; }));
      for (int range : {16, 64, 1024}) patterns.push_back(scattered(bytes, range, seed));
    }
  }
  return patterns;
}

std::vector<Pattern> global_patterns() {
  std::vector<Pattern> patterns;
  for (int bytes : {4, 8, 16}) {
    for (int stride : {0, 1, 2, 32}) patterns.push_back(strided(bytes, stride));
    patterns.push_back({"misaligned by 1", bytes, [](int lane) { return lane + 1; }});
    patterns.push_back(scattered(bytes, 1024, 1));
    patterns.push_back(masked(bytes, "even lanes", [](int lane) { return lane % 2 == 0; }));
  }
  return patterns;
}

}  // namespace

std::vector<CounterCase> counter_cases() {
  std::vector<CounterCase> cases;
  const dim3 blocks[] = {{16, 16}, {22, 22}, {32, 8}, {128, 1}, {1, 128}};
  for (int n : {64, 257}) {
    for (dim3 block : blocks) {
      cases.push_back(block_product("matmul_single_block", matmul_single_block, n, block));
    }
    for (dim3 block : blocks) {
      cases.push_back(block_product("matmul_grid", matmul_grid, n, block));
    }
  }
  for (int tile : {8, 16, 22, 32}) {
    cases.push_back(tiled_product(tile == 22 ? 66 : 64, tile));
    cases.push_back(tiled_product(257, tile));
  }
  for (auto [rows, cols] : {std::pair(256, 256), std::pair(300, 517)}) {
    cases.push_back(transpose("transpose_naive", transpose_naive, rows, cols));
    cases.push_back(transpose("transpose_tiled", transpose_tiled, rows, cols));
    cases.push_back(transpose("transpose_padded", transpose_padded, rows, cols));
    cases.push_back(transpose("transpose_diagonal", transpose_diagonal, rows, cols));
  }
  for (const Pattern& pattern : shared_patterns()) {
    cases.push_back(access("load_shared", Access::load_shared, pattern));
  }
  for (const Pattern& pattern : shared_patterns()) {
    cases.push_back(access("store_shared", Access::store_shared, pattern));
  }
  for (const Pattern& pattern : global_patterns()) {
    cases.push_back(access("load_global", Access::load_global, pattern));
  }
  for (const Pattern& pattern : global_patterns()) {
    cases.push_back(access("store_global", Access::store_global, pattern));
  }
  return cases;
}

}  // namespace tilewise::simt
