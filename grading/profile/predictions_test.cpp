#include "grading/profile/predictions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/base/files.hpp"
#include "common/process/sandbox.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

PredictionQuestion about(const std::string& figure) {
  return {"matmul_shared(n=64, tile=16)", figure, "How many?", "So many.", {}};
}

const PredictionQuestion limit{"matmul_shared(n=64, tile=16)",
                               "limiter",
                               "What limits it?",
                               "This does.",
                               {"FP32 arithmetic", "DRAM bandwidth"}};

TEST(Predictions, OfEachStageAreAboutCallsThatItsContractAllows) {
  for (const StageInfo& stage : stages()) {
    const auto questions = read_predictions(core::project_root(), stage.id);
    EXPECT_LE(questions.size(), 3u) << stage.id << ": nobody answers more";
    for (const PredictionQuestion& question : questions) {
      EXPECT_NO_THROW(read_call(question.call, contracts_of(stage.id))) << question.call;
      EXPECT_THAT(question.question, testing::EndsWith("?")) << stage.id;
    }
  }
}

/// Returns the error of reading a stage.json that has this text for "predict", or nothing if there
/// is none.
std::string problem_with(const std::string& predict) {
  const ScratchDirectory course;
  std::filesystem::create_directories(drawer_of(course.path(), "10_sum"));
  std::ofstream(stage_file(course.path(), "10_sum")) << "{\"predict\": " << predict << "}";
  try {
    read_predictions(course.path(), "10_sum");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Predictions, AreReadOrTheFileIsNamed) {
  const std::string rest = R"-("call": "f(n=1)", "question": "?", "reason": "."}])-";
  EXPECT_THAT(problem_with("[]"), IsEmpty());
  EXPECT_THAT(problem_with(R"-([{"figure": "launches", )-" + rest), IsEmpty());
  EXPECT_THAT(problem_with(R"-([{"figure": "speed", )-" + rest),
              AllOf(HasSubstr("10_sum/stage.json: predict: there is no figure 'speed'"),
                    HasSubstr("sectors_per_load_request")));
  EXPECT_THAT(problem_with(R"-([{"figure": "limiter", )-" + rest), HasSubstr("needs \"choices\""));
  EXPECT_THAT(problem_with(R"-([{"figure": "limiter", "choices": ["luck", "fate"], )-" + rest),
              HasSubstr("'luck' is nothing that the model names"));
  EXPECT_THAT(problem_with(R"-([{"figure": "launches"}])-"), HasSubstr("stage.json: predict: "));
}

TEST(Predictions, AreAskedForByNoStageThatHasNone) {
  const ScratchDirectory course;
  std::filesystem::create_directories(drawer_of(course.path(), "10_sum"));
  std::ofstream(stage_file(course.path(), "10_sum")) << "{}";
  EXPECT_THAT(read_predictions(course.path(), "10_sum"), IsEmpty());
}

TEST(ReadPrediction, TakesNumbersAsPeopleWriteThem) {
  const struct {
    const char* text;
    std::optional<double> number;
  } cases[] = {{"4", 4},     {"2.5", 2.5},      {"1/8", 0.125}, {"1,024", 1024}, {"0", 0},
               {"many", {}}, {"4 sectors", {}}, {"-1", {}},     {"1/0", {}},     {"nan", {}},
               {"inf", {}},  {"", {}},          {"1e999", {}},  {"1/2/3", {}}};
  for (const auto& [text, number] : cases) {
    const auto read = read_prediction(about("launches"), text);
    EXPECT_EQ(read ? std::optional(read->number) : std::nullopt, number) << text;
  }
}

TEST(ReadPrediction, TakesAChoiceByItsNumberOrItsWords) {
  const Prediction dram{.choice = "DRAM bandwidth"};
  EXPECT_EQ(read_prediction(limit, "2"), dram);
  EXPECT_EQ(read_prediction(limit, "dram BANDWIDTH"), dram);
  for (const char* text : {"0", "3", "-1", "memory", ""}) {
    EXPECT_EQ(read_prediction(limit, text), std::nullopt) << text;
  }
}

TEST(CountedFigure, ComesFromTheCounters) {
  KernelProfile kernel;
  kernel.launch = {"kernel", {2, 3, 1}, {16, 3, 1}, 0, "file.cu", 1};  // blocks of two warps
  kernel.counters.global_load_requests = 10;
  kernel.counters.global_load_sectors = 25;
  kernel.counters.global_load_lane_bytes = 4 * 200;
  kernel.counters.global_store_requests = 2;
  kernel.counters.global_store_sectors = 64;
  kernel.counters.shared_load_requests = 4;
  kernel.counters.shared_load_wavefronts = 6;
  kernel.counters.shared_load_lane_bytes = 4 * 50;
  kernel.counters.shared_store_requests = 1;
  kernel.counters.shared_store_wavefronts = 32;
  kernel.counters.barriers = 12 * 8;
  ProfileReport report;
  report.kernels = {kernel, kernel};
  report.launches = 7;
  report.operations = 2 * 100;
  const std::pair<const char*, double> cases[] = {
      {"sectors_per_load_request", 2.5},
      {"sectors_per_store_request", 32},
      {"global_loads_per_product", 4},
      {"shared_loads_per_product", 1},
      {"wavefronts_per_shared_load", 1.5},
      {"wavefronts_per_shared_store", 32},
      {"barriers_per_warp", 8},
      {"launches", 7},
  };
  EXPECT_EQ(std::size(cases) + 1, prediction_figures().size());  // plus the limiter
  for (const auto& [figure, value] : cases) {
    EXPECT_EQ(counted_figure(about(figure), report), Prediction{value}) << figure;
  }
  report.double_precision = true;
  EXPECT_EQ(counted_figure(about("global_loads_per_product"), report), Prediction{2});
  report.gpu = core::gpu_profile("gtx1080");
  // Without a footprint no time is modelled.
  EXPECT_EQ(counted_figure(limit, report), std::nullopt);
}

TEST(Comparison, SaysHowFarOffAPredictionIs) {
  const struct {
    Prediction predicted, counted;
    const char* text;
  } cases[] = {
      {{4}, {4}, "as counted"},
      {{0.1}, {0.104}, "as counted"},
      {{32}, {4}, "8 times what is counted"},
      {{2}, {1024}, "what is counted is 512 times that"},
      {{0}, {4}, "not what is counted"},
      {{4}, {0}, "not what is counted"},
      {{0}, {0}, "as counted"},
      {{.choice = "a"}, {.choice = "a"}, "as counted"},
      {{.choice = "a"}, {.choice = "b"}, "not what is counted"},
  };
  for (const auto& [predicted, counted, text] : cases) {
    EXPECT_EQ(comparison_of(predicted, counted), text);
  }
}

TEST(PredictionsTable, HasPredictionBesideCountAndTheReason) {
  const std::vector<AnsweredPrediction> answers = {
      {about("sectors_per_load_request"), Prediction{32}, Prediction{4}, "gtx1080", false},
      {limit, std::nullopt, Prediction{.choice = "DRAM bandwidth"}, "gtx1080", false}};
  const std::string table = predictions_table(answers, 80);
  EXPECT_THAT(
      table,
      AllOf(HasSubstr("you say"), HasSubstr("1. sectors a load request"), HasSubstr("32 "),
            HasSubstr(" 4\n"), HasSubstr("2. limited by"), HasSubstr("DRAM bandwidth\n"),
            HasSubstr("1. 8 times what is counted. So many.\n"), HasSubstr("2. This does.\n")));
  const auto document = predictions_document("03_shared_memory", answers);
  EXPECT_EQ(document["schema"], "tilewise/predictions/v1");
  EXPECT_EQ(document["predictions"][0]["predicted"], 32);
  EXPECT_EQ(document["predictions"][0]["agrees"], false);
  EXPECT_TRUE(document["predictions"][1]["predicted"].is_null());
  EXPECT_TRUE(document["predictions"][1]["agrees"].is_null());
  EXPECT_EQ(document["predictions"][1]["counted"], "DRAM bandwidth");
}

}  // namespace
}  // namespace tilewise::grading
