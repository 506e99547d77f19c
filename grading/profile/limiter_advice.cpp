#include "grading/profile/limiter_advice.hpp"

#include <algorithm>
#include <array>

namespace tilewise::grading {
namespace {

struct Advice {
  std::string_view limiter;
  std::string_view text;
};

constexpr std::array<Advice, 14> all_advice = {{
    {"FP32 arithmetic",
     "The arithmetic units are busy: only what a kernel does beside its products can be spared."},
    {"FP64 arithmetic",
     "The units for double precision are busy, of which this GPU has few: only what a kernel does "
     "beside its products can be spared."},
    {"instruction issue",
     "Loads, stores and what leads up to them take the turns of the arithmetic: get more products "
     "out of each load, with tiles in shared memory, several results a thread or operands in "
     "registers."},
    {"shared wavefronts",
     "Shared memory is read too often: keep values in registers and use each for several results, "
     "and read without bank conflicts."},
    {"warp shuffles",
     "Shuffles take the way of loads from shared memory: keep values in registers and use each for "
     "several results."},
    {"wavefronts of global accesses",
     "The inner loop reads global memory: bring tiles into shared memory, and let neighbouring "
     "threads read neighbouring elements."},
    {"latency: too few warps",
     "Warps wait for memory, or for their own last result, and too few others fill the gap: use "
     "fewer registers or less shared memory a block, load ahead of use, or compute several "
     "independent results a thread."},
    {"waiting at barriers",
     "Warps wait for each other: do more between two barriers, or let several smaller blocks share "
     "a multiprocessor."},
    {"L2 bandwidth",
     "Too much comes from the L2 cache: let neighbouring threads access neighbouring elements, and "
     "let a block keep in shared memory what its threads need more than once."},
    {"DRAM bandwidth",
     "Memory is busy: move each element no more often than you must, and use all bytes of each "
     "32-byte sector."},
    {"partition camping",
     "Blocks that run together meet in few DRAM partitions: give blocks tiles in diagonal order."},
    {"launch overhead", "The kernels are too short: let fewer launches do more each."},
    {"too few blocks",
     "There are fewer blocks than multiprocessors: let each block compute less of the result."},
    {"last wave partly empty",
     "The last blocks leave most multiprocessors idle: use smaller blocks, or more of them."},
}};

}  // namespace

std::string limiter_advice(std::string_view limiter) {
  const auto found = std::ranges::find(all_advice, limiter, &Advice::limiter);
  return found == all_advice.end() ? "" : std::string(found->text);
}

}  // namespace tilewise::grading
