#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/bench/test/example_bench.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/result.hpp"

// Tests the program as a whole: its arguments, what it says, how it exits.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

CommandResult tilewise(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.arguments.insert(command.arguments.begin(), tool("tilewise"));
  return run_command(command);
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

GradeResult result_in(const fs::path& file) {
  return nlohmann::ordered_json::parse(text_of(file)).get<GradeResult>();
}

TEST(Grade, EverySolutionPasses) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "result.json", junit = scratch.path() / "result.xml";
  const CommandResult run =
      tilewise({"grade", "--solutions", "--backend", "simt", "--json", json, "--junit", junit});
  EXPECT_EQ(run.status, 0) << run.output;
  const GradeResult result = result_in(json);
  EXPECT_EQ(result.backend, "simt");
  EXPECT_EQ(result.device, "gtx1080 (modelled)");
  EXPECT_EQ(result.score, result.max_score);
  ASSERT_EQ(result.stages.size(), stages().size());
  for (const StageResult& stage : result.stages) {
    EXPECT_EQ(stage.status, Status::passed) << stage.id;
    EXPECT_EQ(stage.score, 10) << stage.id << ": no test is skipped on the default GPU";
    const std::string card = simulated_gpu(stage_called(stage.id), core::gpu_profile("gtx1080")).id;
    for (const TestResult& test : stage.tests) {
      if (test.category != Category::performance) continue;
      EXPECT_THAT(test.finding.message, HasSubstr("(modelled for " + card + ")")) << test.name;
    }
  }
  EXPECT_THAT(text_of(junit), HasSubstr("<testsuite name=\"03_shared_memory\""));
}

TEST(Grade, EverySkeletonCompilesAndFailsAllThatScores) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "result.json";
  TemporarySubmission skeletons("01_single_block");
  fs::copy(layout().root / "labs", skeletons.root() / "labs", fs::copy_options::recursive);
  const CommandResult run =
      tilewise({"grade", "--submission", skeletons.root(), "--backend", "simt", "--json", json});
  EXPECT_EQ(run.status, 1) << run.output;
  for (const StageResult& stage : result_in(json).stages) {
    EXPECT_EQ(stage.status, Status::failed) << stage.id << " should compile";
    EXPECT_EQ(stage.score, 0) << stage.id;
    for (const TestResult& test : stage.tests) {
      if (test.max_score == 0) continue;
      EXPECT_EQ(test.status, Status::failed) << test.name;
    }
  }
}

TEST(Grade, WritesWhatOtherSystemsRead) {
  const ScratchDirectory scratch;
  const fs::path gradescope = scratch.path() / "results.json",
                 classroom50 = scratch.path() / "result.json", summary = scratch.path() / "s.md";
  std::ofstream(summary) << "from an earlier step\n";
  for (const char* name :
       {"CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"}) {
    setenv(name, "text", 1);
  }
  const CommandResult run =
      tilewise({"grade", "3", "--submission", layout().root, "--backend", "simt", "--gradescope",
                gradescope, "--classroom50", classroom50, "--summary", summary, "--autolab"});
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_TRUE(run.output.ends_with("\n{\"scores\":{\"03_shared_memory\":0}}\n")) << run.output;
  using Json = nlohmann::ordered_json;
  EXPECT_EQ(Json::parse(text_of(gradescope)).at("stdout_visibility"), "hidden");
  EXPECT_EQ(Json::parse(text_of(classroom50)).at("schema"), "classroom50/result/v1");
  EXPECT_THAT(text_of(summary), HasSubstr("from an earlier step\n## 0/"));

  unsetenv("COMMIT_URL");
  const CommandResult outside = tilewise({"grade", "3", "--classroom50", classroom50});
  EXPECT_EQ(outside.status, 2);
  EXPECT_THAT(outside.output, HasSubstr("COMMIT_URL is not set"));
}

TEST(Grade, AStageThatDoesNotCompileCostsThatStageOnly) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "result.json";
  TemporarySubmission submission("02_multi_block_grid");
  submission.put("matmul_grid.cu", "#include \"matmul_grid.hpp\"\nint x = 1\n");
  fs::copy(layout().root / "solutions" / "03_shared_memory",
           submission.root() / "labs" / "03_shared_memory");
  const CommandResult run = tilewise({"grade", "1", "2", "3", "--submission", submission.root(),
                                      "--backend", "simt", "--json", json});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("labs/01_single_block/matmul_single_block.cu is missing"));
  EXPECT_THAT(run.output, HasSubstr("labs/02_multi_block_grid/matmul_grid.cu:2"));

  const GradeResult result = result_in(json);
  ASSERT_EQ(result.stages.size(), 3u);
  const StageResult& missing = result.stages[0];
  EXPECT_EQ(missing.status, Status::error);
  EXPECT_EQ(missing.score, 0);
  const StageResult& broken = result.stages[1];
  EXPECT_EQ(broken.status, Status::error);
  for (const TestResult& test : broken.tests) {
    if (test.max_score == 0) continue;
    EXPECT_EQ(test.status, Status::error);
    EXPECT_EQ(test.finding.file, "matmul_grid.cu");
    EXPECT_EQ(test.finding.line, 2);
    EXPECT_THAT(test.finding.message, HasSubstr("error: expected"));
  }
  EXPECT_EQ(broken.max_score, result.stages[2].max_score) << "as many points to lose as to win";
  EXPECT_EQ(result.stages[2].status, Status::passed);
}

TEST(Grade, SaysThatThereIsNoSandbox) {
  const ScratchDirectory folder;
  std::ofstream(folder.path() / "bwrap") << "#!/bin/sh\necho bwrap: no permission\nexit 1\n";
  fs::permissions(folder.path() / "bwrap", fs::perms::owner_all);
  TemporarySubmission skeleton("01_single_block");
  skeleton.take(layout().root / "labs" / "01_single_block");
  Command command;
  command.arguments = {tool("tilewise"), "grade",     "1",   "--submission",
                       skeleton.root(),  "--backend", "simt"};
  command.environment = {{"PATH", folder.path().string() + ":" + std::getenv("PATH")}};
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("without a sandbox: bubblewrap does not work here: bwrap: no permission. "
                        "docs/instructors.md says what it takes."));
}

// Failures are reported in the order in which they occur, and their cause below them.
TEST(Grade, TheSeedDecidesTheInputs) {
  const auto first_wrong_element = [](const std::string& seed) {
    const std::string output =
        tilewise({"grade", "3", "--submission", layout().root, "--backend", "simt", "--seed", seed})
            .output;
    const std::size_t cause = output.find("\n\n");
    return output.substr(cause, output.find("Graded on") - cause);
  };
  EXPECT_EQ(first_wrong_element("7"), first_wrong_element("7"));
  EXPECT_NE(first_wrong_element("7"), first_wrong_element("8"));
}

TEST(Grade, IsPlainTextInAPipe) {
  EXPECT_THAT(tilewise({"grade", "3", "--submission", layout().root, "--backend", "simt"}).output,
              Not(HasSubstr("\033")));
}

TEST(Grade, SaysWhyItCannotGrade) {
  const ScratchDirectory scratch;
  TemporarySubmission submission("03_shared_memory");
  const std::string empty = scratch.path(), other = submission.root();
  submission.put("matmul_shared.cu", "");
  std::ofstream(scratch.path() / "file") << "x";

  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"frobnicate"}, "there is no command 'frobnicate'; ./lab help lists them"},
      {{"grade", "99"}, "there is no stage '99'; the stages are: 01_single_block"},
      {{"grade", "--solutions", "--submission", other}, "excludes"},
      {{"grade", "--submission", empty + "/none"}, "does not exist"},
      {{"grade", "--submission", empty + "/file"}, "is not a folder"},
      {{"grade", "--submission", empty}, "has no file of these stages"},
      {{"grade", "1", "--submission", other}, "has no file of this stage"},
      {{"grade", "--gpu", "gtx9999"}, "gtx9999"},
      {{"grade", "--backend", "opencl"}, "opencl"},
      {{"grade", "--seed", "many"}, "'many' is no whole number from 0 to"},
      {{"grade", "--seed", "-1"}, "'-1' is no whole number"},
      {{"grade", "--time-limit", "0"}, "'0' is no number of seconds greater than 0"},
      {{"grade", "--time-limit", "nan"}, "'nan' is no number of seconds"},
      {{"grade", "--json"}, "--json"},
      {{"grade", "--json", empty + "/no/folder.json"}, "cannot write"},
      {{"grade", "--junit", empty}, "cannot write"},
      {{"grade", "--frobnicate"}, "frobnicate"},
  };
  for (const auto& [arguments, message] : cases) {
    const CommandResult run = tilewise(arguments);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.output, HasSubstr(message));
  }
}

TEST(Grade, SaysThatThereIsNoGpu) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has one";
  const CommandResult run = tilewise({"grade", "--backend", "cuda"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("cuda"), HasSubstr("--backend simt")));
}

TEST(Bench, SaysThatThereIsNoGpu) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has one";
  const CommandResult run = tilewise({"bench", "--backend", "cuda"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("cuda"), HasSubstr("--backend simt")));
}

TEST(Profile, ReportsWhatEachKernelDoes) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "profile.json";
  const CommandResult run =
      tilewise({"profile", "3", "--solutions", "--call", "matmul_shared(tile=16, n=100)", "--gpu",
                "h200", "--json", json});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("matmul_shared(n=100, tile=16) on"),
                                HasSubstr("sum += As[ty][k] * Bs[k][tx];")));
  EXPECT_THAT(run.output, Not(HasSubstr("\033")));

  const auto profile = nlohmann::ordered_json::parse(text_of(json));
  EXPECT_EQ(profile.at("schema"), "tilewise/profile/v1");
  EXPECT_EQ(profile.at("gpu"), "h200");
  ASSERT_EQ(profile.at("kernels").size(), 1u);
  const auto& kernel = profile["kernels"][0];
  EXPECT_EQ(kernel.at("grid"), (std::vector{7, 7, 1}));
  EXPECT_EQ(kernel.at("block"), (std::vector{16, 16, 1}));
  EXPECT_EQ(kernel.at("counters").at("shared_bank_conflicts"), 0);
  EXPECT_EQ(kernel.at("counters").at("global_store_requests"), 7 * 7 * 8 - 7 * 6)
      << "8 warps a block, of which 6 have nothing to store in the last row of blocks";
  EXPECT_EQ(kernel.at("lines")[0].at("file"), "matmul_shared.cu");
  const auto& modelled = kernel.at("modelled");
  EXPECT_GT(modelled.at("occupancy_pct"), 0);
  EXPECT_GT(modelled.at("ms"), 0.001);
  EXPECT_LT(modelled.at("gflops"), 66'900) << "the peak of an H200";
  EXPECT_FALSE(modelled.at("limiter").get<std::string>().empty());
}

/// Files that describe one card each, in a folder of their own.
class CardOfOnesOwn : public testing::Test {
 protected:
  CardOfOnesOwn() {
    nlohmann::ordered_json card = core::card_document(core::gpu_profile("gtx1080"));
    card["mine"] = card["gtx1080"];
    card.erase("gtx1080");
    card["mine"]["name"] = "My Own";
    std::ofstream(good) << card;
    card["mine"].erase("sms");
    card["mine"]["cores"] = 2560;
    std::ofstream(bad) << card;
  }

  const ScratchDirectory scratch;
  const std::string good = scratch.path() / "card.json";
  const std::string bad = scratch.path() / "bad.json";
};

TEST_F(CardOfOnesOwn, IsTakenByEachCommandThatTakesAProfile) {
  const std::string call = "matmul_shared(n=32, tile=16)";
  const std::string archive = scratch.path() / "autograder.zip";
  const std::string bench = scratch.path() / "bench.json";
  const struct {
    std::vector<std::string> arguments;
    const char* shown;
  } cases[] = {
      {{"occupancy", "--block", "16x16"}, "on My Own"},
      {{"profile", "3", "--solutions", "--call", call}, "on My Own"},
      {{"trace", "3", "--solutions", "--output", scratch.path() / "trace.html"}, "trace.html"},
      {{"grade", "3", "--solutions", "--backend", "simt"}, "mine (modelled)"},
      {{"bench", "3", "--solutions", "--backend", "simt", "--n", "64", "--json", bench},
       "mine (modelled)"},
      {{"report", "3", "--solutions", "--backend", "simt", "--n", "64", "--output",
        scratch.path() / "report.html"},
       "report.html"},
      {{"autograder", "3", "--out", archive}, "autograder.zip"},
  };
  for (auto [arguments, shown] : cases) {
    SCOPED_TRACE(arguments.front());
    arguments.insert(arguments.end(), {"--gpu", good});
    const CommandResult run = tilewise(arguments);
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr(shown));

    arguments.back() = bad;
    const CommandResult refused = tilewise(arguments);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.output, HasSubstr(bad + ": profile \"mine\": missing: sms; unknown: "
                                                "\"cores\""));
  }
  // The figures of bench are complete: whoever has them needs no file of the card.
  const CommandResult report =
      tilewise({"report", "--measurements", bench, "--output", scratch.path() / "again.html"});
  EXPECT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(text_of(scratch.path() / "again.html"), HasSubstr("My Own"));
}

TEST(Profile, DrawsCallsBelowTheRoofs) {
  const ScratchDirectory scratch;
  const fs::path plot = scratch.path() / "roofline.svg";
  const auto calls = [&](const std::string& stage, const std::vector<std::string>& texts) {
    std::vector<std::string> arguments = {"profile", stage, "--solutions", "--plot", plot};
    for (const std::string& text : texts) arguments.insert(arguments.end(), {"--call", text});
    return tilewise(arguments);
  };
  const CommandResult both =
      calls("3", {"matmul_shared(n=256, tile=8)", "matmul_shared(n=256, tile=32)"});
  EXPECT_EQ(both.status, 0) << both.output;
  EXPECT_THAT(both.output, AllOf(HasSubstr("matmul_shared(n=256, tile=8) on"),
                                 HasSubstr("matmul_shared(n=256, tile=32) on")));
  EXPECT_THAT(text_of(plot),
              AllOf(HasSubstr(">matmul_shared, n=256: roofline, gtx1080 (modelled)<"),
                    HasSubstr(">tile=8</text>"), HasSubstr(">tile=32</text>"),
                    HasSubstr("shared memory, 4,436 GB/s")));

  const CommandResult one = calls("3", {"matmul_shared(n=256, tile=8)"});
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_THAT(text_of(plot), HasSubstr(">matmul_shared(n=256, tile=8): roofline, gtx1080"));

  const CommandResult moves = calls("7", {"transpose_naive(rows=64, cols=64)"});
  EXPECT_EQ(moves.status, 2);
  EXPECT_THAT(moves.output, HasSubstr("only moves elements; a roofline is of calls that compute"));

  const CommandResult json =
      tilewise({"profile", "3", "--solutions", "--json", plot, "--call",
                "matmul_shared(n=8, tile=8)", "--call", "matmul_shared(n=16, tile=8)"});
  EXPECT_EQ(json.status, 2);
  EXPECT_THAT(json.output, HasSubstr("--json holds one call"));
}

TEST(Profile, CountsTheSameInAFewBlocksAsInAll) {
  const ScratchDirectory scratch;
  const auto counters = [&](std::vector<std::string> options) {
    const fs::path json = scratch.path() / "profile.json";
    std::vector<std::string> arguments = {
        "profile", "2", "--solutions", "--call", "matmul_grid(n=200, block=32x8)", "--json", json};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(tilewise(arguments).status, 0);
    return nlohmann::ordered_json::parse(text_of(json)).at("kernels")[0];
  };
  const auto few = counters({}), all = counters({"--exhaustive"});
  EXPECT_LT(few.at("simulated_blocks"), few.at("blocks"));
  EXPECT_EQ(all.at("simulated_blocks"), all.at("blocks"));
  EXPECT_EQ(few.at("counters"), all.at("counters"));
  EXPECT_EQ(few.at("lines"), all.at("lines"));
}

TEST(Profile, SaysThatMatricesAreTooLarge) {
  // First there is no room for what is kept about the elements, then not even for the matrices.
  for (const auto& [call, message] :
       {std::pair("matmul_shared(n=16384, tile=16)", "the matrices take 3072 MiB"),
        std::pair("matmul_shared(n=40000, tile=16)", "the matrices take 18310 MiB")}) {
    const CommandResult run = tilewise({"profile", "3", "--solutions", "--call", call});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.output, AllOf(HasSubstr(message), HasSubstr("Choose smaller ones")));
  }
}

TEST(Profile, TellsWhyTheSubmissionHasNone) {
  const struct {
    const char* what;
    const char* text;
    const char* message;
  } cases[] = {
      {"does not compile", "#include \"matmul_grid.hpp\"\nint x = 1\n", "matmul_grid.cu:2"},
      {"launches nothing",
       "#include \"matmul_grid.hpp\"\ncudaError_t matmul_grid(const float*, const float*, float*, "
       "int, dim3) { return cudaSuccess; }\n",
       "launched no kernel"},
      {"refuses its arguments",
       "#include \"matmul_grid.hpp\"\ncudaError_t matmul_grid(const float*, const float*, float*, "
       "int, dim3) { return cudaErrorInvalidValue; }\n",
       "returned cudaErrorInvalidValue"},
      {"crashes",
       "#include \"matmul_grid.hpp\"\ncudaError_t matmul_grid(const float* A, const float*, "
       "float*, "
       "int, dim3) {\n  return A[0] == 0 ? cudaSuccess : cudaErrorUnknown; }\n",
       "matmul_grid.cu:3"},
  };
  for (const auto& expected : cases) {
    TemporarySubmission submission("02_multi_block_grid");
    submission.put("matmul_grid.cu", expected.text);
    const CommandResult run = tilewise({"profile", "2", "--submission", submission.root(), "--call",
                                        "matmul_grid(n=16, block=16x16)"});
    EXPECT_EQ(run.status, 1) << expected.what;
    EXPECT_THAT(run.output, HasSubstr(expected.message)) << expected.what;
  }
}

TEST(Profile, SaysWhyItCannotProfile) {
  const std::string good = "matmul_shared(n=16, tile=8)";
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"3"}, "--call is required"},
      {{"--call", good}, "STAGE is required"},
      {{"99", "--call", good}, "there is no stage '99'"},
      {{"3", "--call", "matmul(n=16)"},
       "this stage has no function 'matmul'; it has matmul_shared(n=NUMBER, tile=NUMBER)"},
      {{"3", "--call", "matmul_shared(n=16)"}, "the argument tile is missing"},
      {{"2", "--call", "matmul_grid(n=16, block=16x16, tile=8)"}, "there is no argument tile"},
      {{"3", "--call", "matmul_shared(n=9999999999, tile=8)"}, "no GPU holds it"},
      {{"3", "--call", "matmul_shared(n=100000, tile=8)"}, "memory"},
      {{"3", "--call", good, "--gpu", "gtx9999"}, "gtx9999"},
      {{"3", "--call", good, "--submission", "/no/such/folder"}, "does not exist"},
      {{"3", "--call", good, "--json", "/no/such/folder/file"}, "cannot write"},
  };
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.begin(), "profile");
    const CommandResult run = tilewise(arguments);
    EXPECT_EQ(run.status, 2) << message << '\n' << run.output;
    EXPECT_THAT(run.output, HasSubstr(message));
  }
}

/// Runs `tilewise ptx` so that the programs in a folder, nvcc among them, come before all others.
CommandResult ptx_with(const fs::path& tools, std::vector<std::string> arguments) {
  Command command;
  command.arguments = {tool("tilewise"), "ptx"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = {{"CUDACXX", tools / "nvcc"}, {"PATH", tools.string() + ":/usr/bin:/bin"}};
  return run_command(command);
}

void put_program(const fs::path& file, const std::string& text) {
  std::ofstream(file) << "#!/bin/sh\n" << text;
  fs::permissions(file, fs::perms::owner_all);
}

TEST(Ptx, ShowsWhatEachLineBecomes) {
  const ScratchDirectory tools;
  put_program(tools.path() / "nvcc", R"(
case "$*" in *sm_61*) echo "nvcc fatal : Unsupported gpu architecture"; exit 1;; esac
while [ "$1" != -o ]; do shift; done
cat > "$2" <<'end'
.visible .entry first(
)
{
	.loc	1 3 1
	mov.u32 	%r3, %tid.x;
	ret;
}
.visible .entry second(
)
{
	ret;
}
	.file	1 "matmul_shared.cu"
end
)");
  const CommandResult ptx_alone = ptx_with(tools.path(), {"3", "--solutions"});
  EXPECT_EQ(ptx_alone.status, 0) << ptx_alone.output;
  EXPECT_THAT(ptx_alone.output,
              AllOf(HasSubstr("by nvcc sm_80"), HasSubstr("first  2 instructions of PTX"),
                    HasSubstr("    3  #include \"matmul_shared.hpp\"\n"
                              "        PTX   mov.u32 %r3, %tid.x\n              ret\n"),
                    HasSubstr("nvdisasm is not found")));

  put_program(tools.path() / "nvdisasm", R"(cat <<'end'
.text.first:
	//## File "matmul_shared.cu", line 3
        /*0000*/                   S2R R0, SR_TID.X ;
end
)");
  const CommandResult both = ptx_with(tools.path(), {"3", "--solutions", "--kernel", "fir"});
  EXPECT_EQ(both.status, 0) << both.output;
  EXPECT_THAT(both.output, AllOf(HasSubstr("first  2 instructions of PTX, 1 instructions of SASS"),
                                 HasSubstr("        SASS  S2R R0, SR_TID.X\n"),
                                 Not(HasSubstr("second")), Not(HasSubstr("not found"))));

  const CommandResult unknown = ptx_with(tools.path(), {"3", "--solutions", "--kernel", "third"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr("there is no kernel 'third' here, but: first, second"));
}

TEST(Ptx, IsWhatNvccMakes) {
  const CommandResult run = tilewise({"ptx", "3", "--solutions", "--kernel", "<16>"});
  if (run.output.find("nvcc is not found") != run.output.npos) GTEST_SKIP() << run.output;
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("matmul_kernel<16>"), HasSubstr("fma.rn.f32"),
                                HasSubstr("ld.shared.f32"), Not(HasSubstr("<32>"))));
}

TEST(Ptx, SaysWhyThereIsNone) {
  const CommandResult old = tilewise({"ptx", "3", "--solutions", "--gpu", "gtx280"});
  EXPECT_EQ(old.status, 2) << "no nvcc of today compiles for it, if there is one at all";
  const ScratchDirectory none;
  const CommandResult without = ptx_with(none.path(), {"3", "--solutions"});
  if (!fs::exists("/usr/local/cuda/bin/nvcc")) {
    EXPECT_EQ(without.status, 2);
    EXPECT_THAT(without.output, HasSubstr("nvcc is not found"));
  }
  put_program(none.path() / "nvcc", "echo 'matmul_shared.cu(2): error: expected a \";\"'; exit 1");
  const CommandResult faulty = ptx_with(none.path(), {"3", "--solutions"});
  EXPECT_EQ(faulty.status, 1) << "the kernels are to blame";
  EXPECT_THAT(faulty.output, HasSubstr("expected a \";\""));
}

/// Runs `lab bench` on the simulator.
CommandResult bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--backend", "simt"});
  return tilewise(std::move(arguments));
}

TEST(Bench, ComparesTheStudentWithTheSolution) {
  const ScratchDirectory scratch;
  const fs::path csv = scratch.path() / "bench.csv", json = scratch.path() / "bench.json";
  TemporarySubmission submission("03_shared_memory");
  submission.take(layout().root / "solutions" / "03_shared_memory");
  const CommandResult run = bench({"3", "--submission", submission.root(), "--n", "33,32", "--seed",
                                   "17", "--csv", csv, "--json", json});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("matmul_shared  tile 22  GFLOPS (modelled)"),
                                HasSubstr(" student solution previous      CPU "),
                                HasSubstr("inputs: random, seed 17."), Not(HasSubstr("\033"))));
  const std::string rows = text_of(csv);
  constexpr int tiles = 4, orders = 2, contenders = 4;
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + tiles * orders * contenders);
  const auto document = nlohmann::ordered_json::parse(text_of(json));
  EXPECT_EQ(document.at("schema"), "tilewise/bench/v1");
  const auto& row = document.at("rows").at(0);
  EXPECT_EQ(row.at("contender"), "student");
  EXPECT_EQ(row.at("call"), "matmul_shared(n=32, tile=8)");
  EXPECT_EQ(row.at("right"), true);
  EXPECT_EQ(row.at("cgma"), row.at("cgma_by_formula"));
}

TEST(Bench, RunsKernelsBesideThoseOfAStage) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "bench.json";
  const CommandResult copies =
      bench({"7", "--solutions", "--gpu", "gtx280", "--n", "64", "--json", json});
  EXPECT_EQ(copies.status, 0) << copies.output;
  EXPECT_THAT(copies.output,
              AllOf(HasSubstr("solution   copied  strided by tiles"), Not(HasSubstr("!")),
                    HasSubstr("by tiles: a copy by way of tiles")));
  for (const auto& row : nlohmann::json::parse(text_of(json)).at("rows")) {
    const bool turns = row.at("contender") == "solution";
    EXPECT_EQ(row.at("right").is_null(), !turns) << row << ": a copy is no transpose";
    EXPECT_GT(row.at("rate"), 0) << row;
  }
  const CommandResult published =
      bench({"8", "--solutions", "--gpu", "p100", "--n", "64", "--total"});
  EXPECT_EQ(published.status, 0) << published.output;
  EXPECT_THAT(published.output,
              AllOf(HasSubstr(" document       ms total ms"),
                    HasSubstr("results back, from page-locked memory"), Not(HasSubstr("!"))));
}

TEST(Bench, MarksAWrongResult) {
  TemporarySubmission submission("03_shared_memory");
  submission.put("matmul_shared.cu", R"(#include "matmul_shared.hpp"
__global__ void zeros(float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n) C[i] = 0;
}
cudaError_t matmul_shared(const float*, const float*, float* C, int n, int) {
  zeros<<<(n * n + 255) / 256, 256>>>(C, n);
  return cudaGetLastError();
}
)");
  const CommandResult run = bench({"3", "--submission", submission.root(), "--n", "32"});
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("! student: the result is wrong (n = 32)"));
}

TEST(Bench, SaysOnceThatAStageIsNotWrittenYet) {
  const CommandResult run = bench({"4", "--n", "16"});
  EXPECT_EQ(run.status, 0) << run.output;
  const std::string note = "04_prefetch  ! student: not written yet";
  EXPECT_THAT(run.output, HasSubstr(note));
  EXPECT_EQ(run.output.find(note), run.output.rfind(note));
}

TEST(Bench, SaysThatAStageDoesNotCompile) {
  TemporarySubmission submission("03_shared_memory");
  submission.put("matmul_shared.cu", "#include \"matmul_shared.hpp\"\nint x = 1\n");
  const CommandResult run = bench({"3", "--submission", submission.root(), "--n", "16"});
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("! student: cannot be compiled:"),
                                HasSubstr("matmul_shared.cu:2"), HasSubstr("solution")));
}

TEST(Bench, KeepsInputsAndProducts) {
  const ScratchDirectory scratch;
  const std::vector<std::string> arguments = {"3",        "--solutions", "--n",     "32",
                                              "--inputs", "linear",      "--store", scratch.path()};
  EXPECT_EQ(bench(arguments).status, 0);
  const fs::path product = scratch.path() / "linear-float32-n32-product.npy";
  ASSERT_TRUE(fs::exists(product));
  EXPECT_EQ(bench(arguments).status, 0);
  fs::resize_file(product, 1000);
  const CommandResult run = bench(arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, HasSubstr("linear-float32-n32-product.npy: it has 1000 bytes"));
}

TEST(Bench, TakesMatricesFromFiles) {
  const ScratchDirectory scratch;
  EXPECT_EQ(
      bench({"3", "--solutions", "--n", "32", "--store", scratch.path(), "--seed", "1"}).status, 0);
  const std::string A = scratch.path() / "random-seed1-float32-n32-A.npy";
  const CommandResult run = bench({"3", "--solutions", "--inputs", A + "," + A});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("\n    32 "));
  const CommandResult other = bench({"3", "--solutions", "--inputs", A + "," + A, "--n", "16"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.output, HasSubstr("--n asks for other orders than the matrices in "));
}

TEST(Bench, SaysWhyItCannotMeasure) {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() / "file";
  std::ofstream(file) << "x";
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"99"}, "there is no stage '99'"},
      {{"--gpu", "gtx9999"}, "gtx9999"},
      {{"--solutions", "--submission", "x"}, "excludes"},
      {{"--submission", "/no/such/folder"}, "does not exist"},
      {{"--n", "0"}, "'0' is no whole number from 1 to"},
      {{"--n", "16,,32"}, "'' is no whole number"},
      {{"--n", "16,"}, "'' is no whole number"},
      {{"--n", "16,many"}, "'many' is no whole number"},
      {{"--n", "9999999999"}, "'9999999999' is no whole number"},
      {{"2", "--n", "65536"}, "n = 65536 takes 51.5 GB (3 matrices of 17.2 GB); the simulator has"},
      {{"--seed", "-1"}, "'-1' is no whole number"},
      {{"--inputs", "ones"}, "--inputs 'ones': there are random, linear, and two files"},
      {{"--inputs", "none.npy,none.npy"}, "cannot read none.npy: No such file"},
      {{"--inputs", file + "," + file}, "it is no .npy file"},
      {{"--store", file}, "--store"},
      {{"--csv", "/no/such/folder/file"}, "cannot write"},
      {{"--json", "/no/such/folder/file"}, "cannot write"},
      {{"--plots", file}, "--plots"},
      {{"--timing", "mean10"}, "--timing mean10 times calls on a GPU, and here times are modelled"},
  };
  for (const auto& [arguments, message] : cases) {
    const CommandResult run = bench(arguments);
    EXPECT_EQ(run.status, 2) << message << '\n' << run.output;
    EXPECT_THAT(run.output, HasSubstr(message));
  }
}

TEST(Occupancy, ShowsHowALaunchFillsAGpu) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "occupancy.json";
  const CommandResult run =
      tilewise({"occupancy", "--gpu", "gt240", "--block", "16x16", "--registers", "34", "--shared",
                "4140", "--results", "2x2", "--json", json});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("on NVIDIA GeForce GT 240"), HasSubstr("8,704"),
                                HasSubstr("25%, limited by registers"), HasSubstr("from n = 97")));
  const auto document = nlohmann::ordered_json::parse(text_of(json));
  EXPECT_EQ(document.at("schema"), "tilewise/occupancy/v1");
  EXPECT_EQ(document.at("gpus")[0].at("active_blocks"), 1);
}

TEST(Occupancy, HasDefaultsForAllButTheBlock) {
  const CommandResult run = tilewise({"occupancy", "--block", "128x1"});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("on NVIDIA GeForce GTX 1080"),
                                HasSubstr("registers not known"), HasSubstr("128 x 1 (x, y)")));
}

TEST(Occupancy, ComparesTheGpusThatCanRunTheLaunchWithThoseThatCannot) {
  const CommandResult run =
      tilewise({"occupancy", "--gpu", "gt240,h200,h200", "--block", "32x32", "--blocks", "1"});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("on 2 GPUs"), HasSubstr("cannot run: a block of 1024"),
                                HasSubstr("the grid's size")));
}

TEST(Occupancy, SaysWhatIsWrongWithAQuestion) {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{}, "--block is required"},
      {{"--block", "16x16", "--gpu", "gtx9999"},
       "no GPU profile is called \"gtx9999\"; known are a100, gt240, gtx1080"},
      {{"--block", "16x16", "--gpu", ""}, "no GPU profile is called"},
      {{"--block", "16x16", "--gpu", ","}, "--gpu"},
      {{"--block", "0x16"}, "0x16 are 0 threads; NVIDIA GeForce GTX 1080 takes 1 to 1024"},
      {{"--block", "64x32"}, "64x32 are 2048 threads; NVIDIA GeForce GTX 1080 takes 1 to 1024"},
      {{"--block", "32x32", "--gpu", "gt240,gtx280"}, "takes 1 to 512"},
      {{"--block", "4294967295x4294967295"}, "takes 1 to 1024"},
      {{"--block", "99999999999x1"}, "is no pair of numbers"},
      {{"--block", "256"}, "'256' is no pair of numbers along x and y"},
      {{"--block", "8x8x2"}, "'8x8x2' is no pair of numbers"},
      {{"--block", "16x16", "--results", "2"}, "--results: '2' is no pair of numbers"},
      {{"--block", "16x16", "--results", "0x2"}, "1 to 1024 results along x and along y, not 0x2"},
      {{"--block", "16x16", "--results", "1x2000"}, "not 1x2000"},
      {{"--block", "16x16", "--registers", "0"}, "'0' is no whole number from 1 to 255"},
      {{"--block", "16x16", "--registers", "200", "--gpu", "gt240"}, "has at most 124"},
      {{"--block", "32x32", "--registers", "80"}, "the compiler keeps to 64"},
      {{"--block", "16x16", "--shared", "48K"}, "'48K' is no whole number"},
      {{"--block", "16x16", "--shared", "49153"}, "has at most 49152"},
      {{"--block", "16x16", "--blocks", "0"}, "'0' is no whole number from 1"},
      {{"--block", "16x16", "--json", "/no/such/folder/file"}, "cannot write"},
  };
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.begin(), "occupancy");
    const CommandResult run = tilewise(arguments);
    EXPECT_EQ(run.status, 2) << message << '\n' << run.output;
    EXPECT_THAT(run.output, HasSubstr(message));
  }
}

TEST(Occupancy, WritesWhyALaunchCannotRun) {
  const ScratchDirectory scratch;
  const fs::path json = scratch.path() / "occupancy.json";
  EXPECT_EQ(tilewise({"occupancy", "--block", "32x32", "--registers", "80", "--json", json}).status,
            2);
  const auto document = nlohmann::ordered_json::parse(text_of(json));
  EXPECT_THAT(document.at("gpus")[0].at("cannot_run").get<std::string>(),
              HasSubstr("__launch_bounds__(1024)"));
}

TEST(LabReport, IsOneFileAboutTheKernels) {
  const ScratchDirectory scratch;
  const fs::path page = scratch.path() / "page.html";
  const CommandResult run =
      tilewise({"report", "3", "--solutions", "--n", "64,128", "--output", page});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("page.html: the laboratory report, gtx1080 (modelled)"));
  EXPECT_THAT(text_of(page),
              AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("Stage 3: tiles in shared memory"),
                    HasSubstr("the reference solutions"), HasSubstr(">n\u00a0=\u00a0128<"),
                    HasSubstr("<svg class=\"drawing plot\"")));
}

TEST(LabReport, TakesMeasurementsFromElsewhere) {
  const ScratchDirectory scratch;
  const fs::path page = scratch.path() / "page.html", file = scratch.path() / "bench.json";
  BenchReport elsewhere = example_bench();
  elsewhere.modelled = false;
  elsewhere.device = "NVIDIA <H200>";
  std::ofstream(file) << bench_document(elsewhere);
  const CommandResult run = tilewise({"report", "4", "--measurements", file, "--output", page});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(text_of(page),
              AllOf(HasSubstr("NVIDIA &lt;H200> (measured)"), HasSubstr("matmul_prefetch_shared"),
                    Not(HasSubstr("matmul_shared"))));

  elsewhere.rows.front().right = false;
  std::ofstream(file) << bench_document(elsewhere);
  const CommandResult wrong = tilewise({"report", "--measurements", file, "--output", page});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.output, HasSubstr("Some results are wrong"));
}

TEST(LabReport, SaysWhyThereIsNone) {
  const ScratchDirectory scratch;
  const std::string folder = scratch.path();
  const auto put = [&](const char* name, const nlohmann::json& document) {
    std::ofstream(scratch.path() / name) << document;
    return (scratch.path() / name).string();
  };
  std::ofstream(scratch.path() / "garbled") << "{\"schema\": ";
  nlohmann::json other = bench_document(example_bench());
  other["rows"][0]["stage"] = "99_none";
  nlohmann::json huge = bench_document(example_bench());
  huge["rows"][3]["ms"] = 1e300;
  nlohmann::json empty = bench_document(example_bench());
  empty["rows"] = nlohmann::json::array();
  const std::string good = put("good", bench_document(example_bench()));

  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"99"}, "there is no stage '99'"},
      {{"3", "--gpu", "gtx9999"}, "no GPU profile is called \"gtx9999\""},
      {{"3", "--n", "0"}, "'0' is no whole number from 1"},
      {{"3", "--output", folder + "/no/folder.html"}, "cannot write"},
      {{"--measurements", good, "--output", folder}, "cannot write"},
      {{"--submission", folder + "/none"}, "does not exist"},
      {{"--measurements", good, "--solutions"}, "excludes"},
      {{"--measurements", good, "--gpu", "h200"}, "excludes"},
      {{"--measurements", folder + "/none"}, "cannot read"},
      {{"--measurements", folder}, "cannot read"},
      {{"--measurements", folder + "/garbled"}, "garbled holds no measurements"},
      {{"--measurements", put("array", nlohmann::json::array())}, "the document is no object"},
      {{"--measurements", put("huge", huge)}, "rows[3].ms is 1e+300, expected a number from 0"},
      {{"--measurements", put("other", other)}, "figures of a stage '99_none'"},
      {{"--measurements", put("empty", empty)}, "has no figures"},
      {{"99", "--measurements", good}, "there is no stage '99'"},
  };
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.begin(), "report");
    if (std::ranges::find(arguments, "--output") == arguments.end()) {
      arguments.insert(arguments.end(), {"--output", folder + "/page.html"});
    }
    const CommandResult run = tilewise(arguments);
    EXPECT_EQ(run.status, 2) << message << '\n' << run.output;
    EXPECT_THAT(run.output, HasSubstr(message));
  }
}

TEST(List, NamesEveryStage) {
  const CommandResult run = tilewise({"list"});
  EXPECT_EQ(run.status, 0);
  for (const StageInfo& stage : stages()) EXPECT_THAT(run.output, HasSubstr(stage.id));
}

TEST(Skeletons, AgreeWithTheSolutions) {
  const CommandResult run = tilewise({"skeletons", "--check"});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "");
}

TEST(Help, SucceedsAndNamesTheOptions) {
  EXPECT_EQ(tilewise({"--help"}).status, 0);
  const CommandResult run = tilewise({"grade", "--help"});
  EXPECT_EQ(run.status, 0);
  for (const char* option : {"STAGE", "--solutions", "--submission", "--backend", "--gpu", "--json",
                             "--junit", "--seed", "--time-limit"}) {
    EXPECT_THAT(run.output, HasSubstr(option));
  }
}

}  // namespace
}  // namespace tilewise::grading
