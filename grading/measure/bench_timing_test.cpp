#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/measure/bench_calls.hpp"
#include "grading/stages/stage_contracts.hpp"

// These tests time calls with the simulator in the GPU's place: its times mean little, but its
// results are complete.
namespace tilewise::grading {
namespace {

using testing::HasSubstr;

class BenchTimingTest : public testing::Test {
 protected:
  /// Builds a contender's module from the solution of stage 3 or from `text`.
  ContenderModule module_of(Contender contender, const std::string& text = "") {
    TemporarySubmission submission("03_shared_memory");
    submission.take(layout().root / "solutions" / "03_shared_memory");
    if (!text.empty()) submission.put("matmul_shared.cu", text);
    ContenderModule module;
    module.contender = contender;
    module.copies = contender == Contender::copy;
    module.stage = "03_shared_memory";
    const auto scratch = scratch_.path() / std::to_string(modules_++);
    std::filesystem::create_directory(scratch);
    const BuildResult built =
        build_module({module.stage, submission.stage_folder(), Backend::simt, scratch});
    EXPECT_TRUE(built.ok) << built.finding.message;
    module.fast = built.module;
    return module;
  }

  std::vector<TimedCall> time(const std::vector<const ContenderModule*>& modules,
                              std::optional<std::size_t> device_memory = {},
                              bool mean_of_ten = false) {
    const NamedCall call =
        read_call("matmul_shared(n=40, tile=16)", contracts_of("03_shared_memory"));
    const auto workload = problem_called("product").pose(call, {}, {});
    BenchTiming timing(tool("tilewise-worker-simt"), core::gpu_profile(default_gpu),
                       bytes_in_memory(call), device_memory, mean_of_ten);
    std::vector<TimingRequest> requests;
    for (const ContenderModule* module : modules) requests.push_back({module, call});
    return timing.run(requests, *workload, problem_called("product"));
  }

 private:
  ScratchDirectory scratch_;
  int modules_ = 0;
};

constexpr const char* writes_nothing = R"(#include "matmul_shared.hpp"
__global__ void idle() {}
cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  idle<<<1, 1>>>();
  return cudaGetLastError();
}
)";

constexpr const char* fails = R"(#include "matmul_shared.hpp"
cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  return cudaErrorInvalidValue;
}
)";

constexpr const char* launches_nothing = R"(#include "matmul_shared.hpp"
cudaError_t matmul_shared(const float*, const float*, float*, int, int) { return cudaSuccess; }
)";

TEST_F(BenchTimingTest, TimesAndJudgesEachContender) {
  const ContenderModule solution = module_of(Contender::solution);
  const ContenderModule student = module_of(Contender::student, writes_nothing);
  for (const std::optional<std::size_t> device_memory :
       {std::optional<std::size_t>(), std::optional<std::size_t>(1)}) {
    const auto timed = time({&solution, &student}, device_memory);
    ASSERT_EQ(timed.size(), 2u);
    for (const TimedCall& call : timed) {
      EXPECT_EQ(call.problem, "");
      EXPECT_GT(call.ms, 0);
      EXPECT_GT(call.copies_ms, 0);
    }
    EXPECT_EQ(timed[0].right, true);
    EXPECT_EQ(timed[1].right, false);
  }
}

TEST_F(BenchTimingTest, TimesTenCallsAsOneWhereThatIsAskedFor) {
  const ContenderModule solution = module_of(Contender::solution);
  const ContenderModule student = module_of(Contender::student, fails);
  const auto timed = time({&solution, &student}, {}, true);
  EXPECT_GT(timed[0].mean_ms.value(), 0);
  EXPECT_EQ(timed[0].right, true);
  EXPECT_FALSE(timed[1].mean_ms.has_value());
  EXPECT_FALSE(time({&solution})[0].mean_ms.has_value());
}

TEST_F(BenchTimingTest, GoesOnWithoutAContenderThatFails) {
  const ContenderModule solution = module_of(Contender::solution);
  const ContenderModule student = module_of(Contender::student, fails);
  const auto timed = time({&student, &solution});
  EXPECT_THAT(timed[0].problem, HasSubstr("returned cudaErrorInvalidValue"));
  EXPECT_EQ(timed[1].problem, "");
  EXPECT_EQ(timed[1].right, true);
}

TEST_F(BenchTimingTest, TellsWhatIsLackingFromWhatFails) {
  std::string lacks = fails;
  const std::string invalid = "InvalidValue";
  lacks.replace(lacks.find(invalid), invalid.size(), "NotSupported");
  const ContenderModule cublas = module_of(Contender::cublas, lacks.c_str());
  const ContenderModule broken = module_of(Contender::copy, fails);
  const ContenderModule student = module_of(Contender::student, lacks.c_str());
  const ContenderModule tensor = module_of(Contender::beside("tensor_cores"), lacks.c_str());
  const auto timed = time({&cublas, &broken, &student, &tensor});
  EXPECT_TRUE(timed[0].is_absent);
  EXPECT_FALSE(timed[1].is_absent);
  EXPECT_FALSE(timed[2].is_absent);
  EXPECT_TRUE(timed[3].is_absent);
}

TEST_F(BenchTimingTest, ForgivesLibrariesThatTheirLaunchesAreNotSeen) {
  const ContenderModule cublas = module_of(Contender::cublas, launches_nothing);
  const ContenderModule copy = module_of(Contender::copy, launches_nothing);
  const ContenderModule student = module_of(Contender::student, launches_nothing);
  const auto timed = time({&cublas, &copy, &student});
  EXPECT_EQ(timed[0].problem, "");
  EXPECT_EQ(timed[0].right, false);
  EXPECT_EQ(timed[1].problem, "");
  EXPECT_EQ(timed[1].right, std::nullopt) << "a copy is no product";
  EXPECT_THAT(timed[2].problem, HasSubstr("launched no kernel"));
}

/// Writes a script that stands in for Nsight Compute and reports `kernels` kernels of 1,000, 2,000,
/// ... instructions.
std::filesystem::path nsight_compute(const std::filesystem::path& folder, int kernels) {
  const auto program = folder / "ncu";
  std::ofstream script(program);
  script << "#!/bin/sh\n"
            "while [ $# -gt 1 ]; do [ \"$1\" = --log-file ] && log=$2; shift; done\n"
            "cat > \"$log\" <<END\n"
            "\"ID\",\"Metric Name\",\"Metric Value\"\n";
  for (int i = 0; i < kernels; ++i) {
    script << '"' << i << "\",\"smsp__inst_executed.sum\",\"" << i + 1 << ",000\"\n";
  }
  script << "END\nexec \"$1\"\n";
  script.close();
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return program;
}

TEST_F(BenchTimingTest, CountsTheInstructionsOfEachCall) {
  const ScratchDirectory scratch;
  const ContenderModule solution = module_of(Contender::solution);
  std::vector<NamedCall> calls;
  for (const char* call : {"matmul_shared(n=16, tile=8)", "matmul_shared(n=32, tile=16)"}) {
    calls.push_back(read_call(call, contracts_of("03_shared_memory")));
  }
  const auto count = [&](int kernels) {
    return count_instructions(nsight_compute(scratch.path(), kernels),
                              timing_worker_options(tool("tilewise-worker-simt"), solution.fast,
                                                    core::gpu_profile(default_gpu)),
                              calls, scratch.path());
  };
  using Counts = std::map<std::string, double>;
  EXPECT_EQ(count(2), (Counts{{calls[0].text, 1000}, {calls[1].text, 2000}}));
  EXPECT_EQ(count(0), Counts{}) << "it may not read the counters";
  EXPECT_EQ(count(1), (Counts{{calls[0].text, 1000}})) << "the log was cut";
  EXPECT_EQ(count(3), Counts{}) << "whose is the third?";
}

}  // namespace
}  // namespace tilewise::grading
