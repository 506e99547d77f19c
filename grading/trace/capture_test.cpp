#include "grading/trace/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/base/files.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"
#include "grading/stages/stage_contracts.hpp"
#include "grading/trace/trace_page.hpp"

// Tests of traces of kernels that are small enough to predict everything: tiles of 2 x 2, n = 8.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

fs::path demo(const std::string& stage) {
  return drawer_of(core::project_root(), stage) / "figures";
}

/// Makes the call with the kernels in a folder.
Capture capture_from(const std::string& stage, const fs::path& folder, const std::string& text,
                     const std::string& gpu = "gtx1080") {
  const ScratchDirectory scratch;
  const BuildResult built =
      build_module({stage, folder, Backend::simt, scratch.path(), Flavour::checked});
  if (!built.ok) throw std::runtime_error(built.finding.message);
  return capture_trace(read_call(text, contracts_of(stage)),
                       {.executable = tool("tilewise-worker-simt"),
                        .module = built.module,
                        .profile = core::gpu_profile(gpu),
                        .time_limit_s = 60});
}

using Names = std::set<std::string>;

/// Barrier intervals of a block, both included.
struct Intervals {
  int first = 0;
  int last = 0;
};

/// The threads of a block that touch an element, by element.
using ThreadsByElement = std::map<ElementNumber, std::set<std::uint32_t>>;

struct TouchedElements {
  ThreadsByElement loaded;   ///< loaded from device memory
  ThreadsByElement used;     ///< read in shared memory, where another thread may have put it
  ThreadsByElement written;  ///< stored to device memory
};

using Action = simt::TracedRequest::Action;

void note_global(const TraceMatrix& matrix, const TraceRequest& request, TouchedElements& touched) {
  std::size_t nth = 0;
  for (std::uint32_t lanes = request.made.lanes; lanes != 0; lanes &= lanes - 1, ++nth) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    if ((request.outside >> lane & 1u) != 0) continue;
    const std::int64_t offset = request.offset(matrix, nth);
    const std::uint32_t thread = request.made.warp * 32 + lane;
    for (std::int64_t at = offset; at < offset + request.made.bytes; at += matrix.element_bytes) {
      const auto element = matrix.first + static_cast<ElementNumber>(at / matrix.element_bytes);
      if (request.made.action != Action::store) touched.loaded[element].insert(thread);
      if (request.made.action != Action::load) touched.written[element].insert(thread);
    }
  }
}

void note_shared(const TraceRequest& request, TouchedElements& touched) {
  if (request.made.action == Action::store || request.origins.empty()) return;
  const std::size_t words = request.origins.size() / request.made.at.size();
  std::size_t nth = 0;
  for (std::uint32_t lanes = request.made.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    for (std::size_t i = 0; i < words; ++i, ++nth) {
      const ElementNumber origin = request.origins[nth];
      if (origin != no_element) touched.used[origin].insert(request.made.warp * 32 + lane);
    }
  }
}

TouchedElements touched_elements(const Trace& trace, const TraceBlock& block, Intervals intervals) {
  TouchedElements touched;
  for (const TraceRequest& request : block.requests) {
    const int interval = static_cast<int>(request.made.interval);
    if (interval < intervals.first || interval > intervals.last) continue;
    if (request.made.shared) {
      note_shared(request, touched);
    } else if (request.matrix >= 0) {
      note_global(trace.matrices[static_cast<std::size_t>(request.matrix)], request, touched);
    }
  }
  return touched;
}

struct Element {
  int matrix = 0;
  int row = 0;
  int col = 0;
};

Element element_of(const std::vector<TraceMatrix>& matrices, ElementNumber number) {
  std::size_t matrix = matrices.size() - 1;
  while (matrix > 0 && matrices[matrix].first > number) --matrix;
  const int index = number - matrices[matrix].first;
  const int row = matrices[matrix].leading_dimension;
  return {static_cast<int>(matrix), index / row, index % row};
}

/// Returns the elements of a matrix that a thread touches, as "row,col".
Names of_thread(const Trace& trace, const ThreadsByElement& touched, const std::string& matrix,
                std::uint32_t thread) {
  Names names;
  for (const auto& [number, threads] : touched) {
    const Element element = element_of(trace.matrices, number);
    if (trace.matrices[std::size_t(element.matrix)].name != matrix) continue;
    if (threads.contains(thread)) {
      names.insert(std::to_string(element.row) + "," + std::to_string(element.col));
    }
  }
  return names;
}

struct Shape {
  const char* stage;
  const char* call;
  int blocks;       ///< blocks along x and y
  int results;      ///< results of a thread along x and y
  int block_side;   ///< rows and columns from one block to the next
  int thread_side;  ///< rows and columns from one thread to the next
  int apart;        ///< distance from one result of a thread to the next
};

class TracesOfTileTwo : public testing::TestWithParam<Shape> {};

TEST_P(TracesOfTileTwo, TellWhatEachThreadLoadsUsesAndWrites) {
  const Shape& shape = GetParam();
  const Capture captured = capture_from(shape.stage, demo(shape.stage), shape.call);
  const Trace& trace = captured.trace;
  ASSERT_EQ(trace.kernels.size(), 1u);
  EXPECT_THAT(trace.findings, IsEmpty());
  const TraceKernel& kernel = trace.kernels.front();
  ASSERT_EQ(kernel.blocks.size(), std::size_t(shape.blocks * shape.blocks));
  constexpr int tile = 2, steps = 4;
  const auto at = [](int row, int col) { return std::to_string(row) + "," + std::to_string(col); };
  for (const TraceBlock& block : kernel.blocks) {
    ASSERT_EQ(block.intervals, 2 * steps + 1);
    EXPECT_FALSE(block.cut);
    const auto [block_x, block_y, block_z] = block_index(kernel.launch, block.number);
    EXPECT_EQ(block_z, 0u);
    for (int step = 0; step < steps; ++step) {
      const int k0 = step * tile;
      const TouchedElements load = touched_elements(trace, block, {2 * step, 2 * step});
      const TouchedElements use = touched_elements(trace, block, {2 * step + 1, 2 * step + 1});
      for (int thread = 0; thread < tile * tile; ++thread) {
        const int tx = thread % tile, ty = thread / tile;
        const int row = int(block_y) * shape.block_side + ty * shape.thread_side;
        const int col = int(block_x) * shape.block_side + tx * shape.thread_side;
        Names a_loaded, b_loaded, a_used, b_used;
        for (int i = 0; i < shape.results; ++i) {
          a_loaded.insert(at(row + i * shape.apart, k0 + tx));
          b_loaded.insert(at(k0 + ty, col + i * shape.apart));
          for (int k = k0; k < k0 + tile; ++k) {
            a_used.insert(at(row + i * shape.apart, k));
            b_used.insert(at(k, col + i * shape.apart));
          }
        }
        const auto number = std::uint32_t(thread);
        EXPECT_EQ(of_thread(trace, load.loaded, "A", number), a_loaded);
        EXPECT_EQ(of_thread(trace, load.loaded, "B", number), b_loaded);
        EXPECT_EQ(of_thread(trace, use.used, "A", number), a_used);
        EXPECT_EQ(of_thread(trace, use.used, "B", number), b_used);
        EXPECT_THAT(load.used, IsEmpty());
      }
    }
    const TouchedElements end = touched_elements(trace, block, {2 * steps, 2 * steps});
    Names written;
    for (int i = 0; i < shape.results; ++i) {
      for (int j = 0; j < shape.results; ++j) {
        written.insert(at(int(block_y) * shape.block_side + i * shape.apart,
                          int(block_x) * shape.block_side + j * shape.apart));
      }
    }
    EXPECT_EQ(of_thread(trace, end.written, "C", 0), written);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, TracesOfTileTwo,
    testing::Values(Shape{"03_shared_memory", "matmul_shared(n=8, tile=2)", 4, 1, 2, 1, 0},
                    Shape{"05_work_2x2", "matmul_2x2(n=8, tile=2)", 2, 2, 4, 2, 1},
                    Shape{"05_work_2x2", "matmul_2x2_strided(n=8, tile=2)", 2, 2, 2, 1, 4}),
    [](const auto& info) { return "Shape" + std::to_string(info.index); });

TEST(Trace, NumbersTheStepsOfALoop) {
  const Trace trace =
      capture_from("03_shared_memory", demo("03_shared_memory"), "matmul_shared(n=8, tile=2)")
          .trace;
  std::vector<int> steps;
  for (const TraceRequest& request : trace.kernels.at(0).blocks.at(0).requests) {
    if (request.made.interval == 1) steps.push_back(request.step);
  }
  EXPECT_THAT(steps, ElementsAre(0, 0, 1, 1));  // k = 0 and 1: a load of As and of Bs in each step
}

// In a single instruction half of the lanes load from A and the others from B.
TEST(Trace, KnowsThatARequestMayTouchTwoMatrices) {
  const fs::path folder = drawer_of(core::project_root(), "04_prefetch") / "others/vector_fetch";
  const Trace trace =
      capture_from("04_prefetch", folder, "matmul_prefetch_register(n=16, tile=8)").trace;
  EXPECT_THAT(trace.findings, IsEmpty());
  std::set<ElementNumber> used;
  for (const TraceRequest& request : trace.kernels.at(0).blocks.at(0).requests) {
    EXPECT_EQ(request.outside, 0u);
    if (request.made.action == Action::load) {
      used.insert(request.origins.begin(), request.origins.end());
    }
  }
  used.erase(no_element);
  EXPECT_EQ(used.size(), 2u * 8 * 16) << "8 rows of A, and 8 columns of B";
}

// The matrices have nine rows and columns. Blocks of 2 x 2 without edge checks load one row of B
// too many.
TEST(Trace, MarksLanesOutsideOfAMatrix) {
  const Trace trace =
      capture_from("03_shared_memory", demo("03_shared_memory"), "matmul_shared(n=9, tile=2)")
          .trace;
  ASSERT_EQ(trace.findings.size(), 1u);
  EXPECT_EQ(trace.findings[0].kind, "out-of-bounds");
  for (const TraceBlock& block : trace.kernels.at(0).blocks) {
    for (const TraceRequest& request : block.requests) {
      const bool strays = request.matrix == 1 && request.made.interval == 8;
      EXPECT_EQ(request.outside, strays ? 0b1100u : 0u) << "row 9 of B, lanes 2 and 3 of a block";
      EXPECT_EQ(request.racing, 0u);
    }
  }
}

TEST(Trace, MarksLanesInARace) {
  std::string source = text_of(demo("03_shared_memory") / "matmul_shared.cu");
  const std::string barrier = "    __syncthreads();\n";
  source.replace(source.find(barrier), barrier.size(), "\n");  // removes the barrier after loading
  const ScratchDirectory scratch;
  const fs::path folder = scratch.path() / "labs/03_shared_memory";
  fs::create_directories(folder);
  std::ofstream(folder / "matmul_shared.cu") << source;
  const Trace trace = capture_from("03_shared_memory", folder, "matmul_shared(n=8, tile=2)").trace;
  ASSERT_THAT(trace.findings, Not(IsEmpty()));
  std::set<std::string> racing_lines;
  for (const TraceRequest& request : trace.kernels.at(0).blocks.at(0).requests) {
    EXPECT_TRUE(request.racing == 0 || request.made.shared);
    if (request.racing != 0) {
      racing_lines.insert(std::to_string(trace.kernels.at(0).sites[request.made.site].line));
    }
  }
  for (const Finding& finding : trace.findings) {
    EXPECT_THAT(racing_lines, Contains(std::to_string(finding.line)));
    EXPECT_THAT(racing_lines, Contains(std::to_string(finding.other_line)));
  }
}

TEST(Trace, CountsWhatEachBlockMovesFromPartitions) {
  const fs::path solution = core::project_root() / "solutions/07_transpose";
  const Trace trace =
      capture_from("07_transpose", solution, "transpose_padded(rows=512, cols=512)", "gtx280")
          .trace;
  const TraceKernel& kernel = trace.kernels.at(0);
  EXPECT_EQ(kernel.blocks.size(), 3u) << "the first, the next and the last of a row of blocks";
  ASSERT_EQ(kernel.partitions.size(), 256u);
  // A row of the matrix is 2,048 bytes: 256 for each partition, or two tiles of 32 columns. The
  // tiles are stored below one another.
  for (std::size_t block = 0; block < 16; ++block) {
    for (std::size_t partition = 0; partition < 8; ++partition) {
      EXPECT_EQ(kernel.partitions[block].loads[partition], partition == block / 2 ? 4096u : 0u);
      EXPECT_EQ(kernel.partitions[block].stores[partition], partition == 0 ? 4096u : 0u);
    }
  }
}

TEST(Trace, KeepsTheBeginningOfALongBlock) {
  const fs::path solution = core::project_root() / "solutions/01_single_block";
  const Trace trace =
      capture_from("01_single_block", solution, "matmul_single_block(n=96, block=32x32)").trace;
  const TraceBlock& block = trace.kernels.at(0).blocks.at(0);
  EXPECT_TRUE(block.cut);
  std::size_t accesses = 0;
  for (const TraceRequest& request : block.requests) accesses += request.made.at.size();
  EXPECT_GT(accesses, simt::most_traced_accesses - 32);
  EXPECT_LE(accesses, simt::most_traced_accesses);
  EXPECT_EQ(trace_document(trace)["kernels"][0]["blocks"][0]["cut"], true);
}

TEST(Trace, RefusesWhatIsTooLargeToDraw) {
  EXPECT_THROW(
      capture_from("03_shared_memory", demo("03_shared_memory"), "matmul_shared(n=1024, tile=2)"),
      CannotTrace);
}

TEST(Trace, HasACallForEachStage) {
  for (const StageInfo& stage : stages()) {
    EXPECT_NO_THROW(
        read_call(telling_call(core::project_root(), stage.id), contracts_of(stage.id)));
  }
  const ScratchDirectory course;
  fs::create_directories(drawer_of(course.path(), "10_none"));
  std::ofstream(stage_file(course.path(), "10_none")) << "{}";
  EXPECT_THROW(telling_call(course.path(), "10_none"), CannotTrace);
}

TEST(TraceDocument, SaysTheSameInFewNumbers) {
  const Trace trace =
      capture_from("03_shared_memory", demo("03_shared_memory"), "matmul_shared(n=8, tile=2)")
          .trace;
  const auto document = trace_document(trace);
  EXPECT_EQ(document["schema"], "tilewise/trace/v1");
  EXPECT_EQ(document["matrices"][1]["name"], "B");
  EXPECT_EQ(document["kernels"][0]["arrays"][0]["name"], "As");
  EXPECT_EQ(document["kernels"][0]["arrays"][1]["extents"], (nlohmann::ordered_json{2, 2}));
  const auto& block = document["kernels"][0]["blocks"][1];
  EXPECT_EQ(block["index"], (nlohmann::ordered_json{1, 0, 0}));
  // In the first request 4 lanes load A[0][0], A[0][1], A[1][0], A[1][1].
  const auto& request = block["requests"][0];
  ASSERT_EQ(request.size(), 15u);
  EXPECT_EQ(request[7], 0b1111);
  EXPECT_EQ(request[8], 2) << "sectors, since each row of A is one";
  EXPECT_EQ(request[9], 16) << "bytes";
  EXPECT_EQ(request[10], 0) << "matrix";
  EXPECT_EQ(request[11], (nlohmann::ordered_json{0, 4, 2, 32, 4, 2}));
}

}  // namespace
}  // namespace tilewise::grading
