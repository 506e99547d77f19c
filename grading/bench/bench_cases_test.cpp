#include "grading/bench/bench_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::map<std::string, StageCases> course_cases() { return load_bench_cases(layout().root); }

TEST(BenchCases, EveryContractFunctionHasOne) {
  const auto cases = course_cases();
  for (const StageInfo& stage : stages()) {
    ASSERT_TRUE(cases.contains(stage.id)) << stage.id;
    std::set<std::string> functions;
    for (const BenchCase& each : cases.at(stage.id).cases) functions.insert(each.function);
    EXPECT_EQ(functions, std::set(stage.functions.begin(), stage.functions.end())) << stage.id;
    for (const Backend backend : {Backend::simt, Backend::cuda}) {
      EXPECT_FALSE(cases.at(stage.id).orders.at(backend).empty()) << stage.id;
    }
  }
}

// A folder is enough for a kernel beside. stage.json may describe it, but must not describe a
// folder that does not exist.
TEST(BenchCases, KernelsBesideAStageHaveAHeadingOfTheirColumnsWidth) {
  constexpr std::size_t width = 8;
  std::size_t kernels = 0;
  for (const auto& [stage, of_stage] : course_cases()) {
    const nlohmann::json file = read_stage_file(layout().root, stage);
    const nlohmann::json said = file.value("beside", nlohmann::json::object());
    EXPECT_EQ(said.size(), of_stage.beside.size()) << stage;
    for (const KernelBeside& kernel : of_stage.beside) {
      ++kernels;
      EXPECT_TRUE(said.contains(kernel.name)) << stage << ": " << kernel.name;
      EXPECT_LE(kernel.heading.size(), width) << kernel.name;
      EXPECT_FALSE(kernel.what.empty()) << kernel.name;
    }
  }
  EXPECT_GT(kernels, 0u);
}

TEST(BenchCases, EveryCallCanBeMade) {
  constexpr int n = 64;
  for (const auto& [stage, of_stage] : course_cases()) {
    std::set<std::string> calls;
    for (const BenchCase& each : of_stage.cases) {
      const NamedCall call = read_call(each.call(n), contracts_of(stage));
      EXPECT_EQ(call.function, each.function);
      EXPECT_TRUE(calls.insert(call.text).second) << call.text << " is there twice";
      const auto previous = each.previous(n, Backend::simt);
      if (previous) {
        EXPECT_LT(previous->stage, stage);
        EXPECT_NO_THROW(read_call(previous->call, contracts_of(previous->stage))) << call.text;
      }
    }
  }
}

TEST(BenchCases, EveryConfigurationOfTheContractIsThere) {
  const auto cases = course_cases();
  const auto count = [&](const std::string& stage, const std::string& function) {
    return std::ranges::count(cases.at(stage).cases, function, &BenchCase::function);
  };
  EXPECT_EQ(count("03_shared_memory", "matmul_shared"), 4);
  EXPECT_EQ(count("06_work_rx_ry", "matmul_rx_ry"), 20);
  EXPECT_EQ(count("06_work_rx_ry", "matmul_strided"), 8);
}

TEST(BenchCases, KnowWhatTheorySaysAndWhatTheyAreComparedWith) {
  const auto cases = course_cases();
  const BenchCase& shared = cases.at("03_shared_memory").cases[1];
  EXPECT_EQ(shared.block, "tile 16");
  EXPECT_EQ(shared.call(100), "matmul_shared(n=100, tile=16)");
  EXPECT_EQ(shared.previous(100, Backend::simt)->call, "matmul_grid(n=100, block=16x16)");
  EXPECT_EQ(shared.accesses(64)->loads, 64u * 64 * (4 + 4));
  const BenchCase& grid = cases.at("02_multi_block_grid").cases[0];
  EXPECT_EQ(grid.accesses(10)->total(), 2100u);
  EXPECT_TRUE(grid.previous(128, Backend::simt)) << "one block takes a while";
  EXPECT_FALSE(grid.previous(2048, Backend::simt)) << "one block takes hours";
  EXPECT_FALSE(cases.at("07_transpose").cases[0].accesses(64));
}

TEST(BenchCases, SayWhatIsWrongWithAFile) {
  const ScratchDirectory scratch;
  const auto file = stage_file(scratch.path(), "07_x");
  std::filesystem::create_directories(file.parent_path());
  const std::string orders = R"json("orders": {"simt": [8], "cuda": [8]}})json";
  const std::string head = R"json({"functions": [{"name": "f", "source": "f.cu", "problem": )json";
  const struct {
    std::string text;
    const char* message;
  } wrong[] = {
      {"{", "parse error"},
      {R"json({"functions": [{"name": "f", "source": "f.cu"}], "orders": {"simt": [8]}})json",
       "cuda"},
      {head +
           R"json("product", "bench": {"call": "f(n={n}, tile={tile})", "choices": [{}]}}], )json" +
           orders,
       "'f(n={n}, tile={tile})' names what the choice does not have"},
      {head + R"json("riddle", "bench": {"call": "f()", "choices": [{}]}}], )json" + orders,
       "'riddle' is no problem"},
      {head + R"json("product", "bench": {"call": "f()", "choices": [{}],
                     "formula": {"tile": "0", "rx": "1", "ry": "1"}}}], )json" +
           orders,
       "tile='0' is no side of a tile"},
  };
  for (const auto& [text, message] : wrong) {
    std::ofstream(file) << text;
    EXPECT_THAT([&] { load_bench_cases(scratch.path()); },
                ThrowsMessage<std::runtime_error>(
                    testing::AllOf(HasSubstr("07_x/stage.json"), HasSubstr(message))));
  }
}

TEST(BenchCases, AreComparedWithStagesOfTheCourseOnly) {
  const ScratchDirectory scratch;
  const auto file = stage_file(scratch.path(), "07_x");
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << R"json({
    "functions": [{"name": "f", "source": "f.cu", "problem": "product",
                   "bench": {"call": "f(n={n})", "choices": [{}],
                             "previous": {"stage": "06_left_out", "call": "g(n={n})"}}}],
    "orders": {"simt": [8], "cuda": [8]}})json";
  const auto cases = load_bench_cases(scratch.path());
  EXPECT_FALSE(cases.at("07_x").cases.at(0).previous(8, Backend::simt));
}

TEST(MemoryNeeds, SayHowMuchMatricesTake) {
  const auto of = [](const std::string& stage, const std::string& call) {
    return memory_of(read_call(call, contracts_of(stage)));
  };
  EXPECT_EQ(of("02_multi_block_grid", "matmul_grid(n=65536, block=16x16)"),
            "51.5 GB (3 matrices of 17.2 GB)");
  EXPECT_EQ(of("07_transpose", "transpose_naive(rows=1000, cols=1000)"),
            "8 MB (2 matrices of 4 MB)");
  EXPECT_EQ(of("08_dgemm_dtrsm", "dtrsm_32_shared(n=4000000)"), "1.0 GB") << "A is small";
}

TEST(MemoryNeeds, FindWhatTheMachineHas) {
  EXPECT_EQ(available_in("MemTotal:  200 kB\nMemAvailable:     100 kB\nCached: 1 kB\n"),
            100u * 1024);
  EXPECT_EQ(available_in("MemTotal:  200 kB\n"), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable: many"), std::nullopt);
  EXPECT_EQ(available_in("MemAvailable:"), std::nullopt);
  EXPECT_EQ(available_in(""), std::nullopt);
}

}  // namespace
}  // namespace tilewise::grading
