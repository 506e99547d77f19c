#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "grading/bench/test/example_bench.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Converts the report to text and back, as a file would.
Json written(const BenchReport& report) { return Json::parse(bench_document(report).dump()); }

constexpr const char* younger_fields[] = {"uncertainty_pct", "mean_ms", "speedup", "metrics",
                                          "metric_names"};

std::string complaint_about(const Json& document) {
  try {
    read_bench_report(document);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(BenchJson, ReadsWhatItWrote) {
  BenchReport report = example_bench();
  report.modelled = false;
  BenchRow& bare = report.rows[1];
  bare.right.reset();
  bare.gips.reset();
  bare.counted.reset();
  bare.by_formula.reset();
  bare.cgma.reset();
  bare.cgma_by_formula.reset();
  bare.occupancy.reset();
  bare.gips_measured = true;
  bare.total_ms = 17.5;
  BenchRow& failed = report.rows[2];
  failed = {};
  failed.problem = "cannot be compiled: \"x\"\n\xc3\xa9";
  report.rows[3].right = false;
  report.rows[3].uncertainty_pct = 4.5;
  report.rows[3].mean_ms = 0.75;
  report.rows[3].speedup = 2.5;
  report.rows[3].metrics = model::KernelMetrics{.ipc = 3, .stall_not_selected_pct = 12.5};
  int i = 0;
  for (const Contender& contender :
       {Contender::student, Contender::solution, Contender::previous_stage, Contender::cublas,
        Contender::openblas, Contender::copy, Contender::beside("tile_copy")}) {
    report.rows[i++].contender = contender;
  }

  const BenchReport read = read_bench_report(written(report));
  EXPECT_EQ(written(read), written(report));
  ASSERT_EQ(read.rows.size(), report.rows.size());
  EXPECT_EQ(read.gpu.name, "NVIDIA GeForce GTX 1080");
  EXPECT_EQ(read.rows[0].rate, report.rows[0].rate) << "to the last bit";
  EXPECT_EQ(read.rows[0].occupancy->by_shared, report.rows[0].occupancy->by_shared);
  EXPECT_FALSE(read.rows[1].right.has_value());
  EXPECT_EQ(read.rows[2].problem, failed.problem);
  EXPECT_EQ(read.rows[3].right, false);
  EXPECT_EQ(read.rows[3].mean_ms, 0.75);
  EXPECT_EQ(read.rows[3].speedup, 2.5);
  EXPECT_EQ(read.rows[3].metrics->ipc, 3);
  EXPECT_EQ(read.rows[3].metrics->stall_not_selected_pct, 12.5);
  EXPECT_FALSE(read.rows[0].metrics.has_value());

  Json before_it_was_counted = written(report);
  before_it_was_counted["rows"][3]["metrics"].erase("shared_bytes_moved");
  EXPECT_EQ(read_bench_report(before_it_was_counted).rows[3].metrics->ipc, 3);
  EXPECT_EQ(written(report)["metric_names"]["ipc"]["from"], "modelled");
}

// Files that were written before these figures existed must still be readable.
TEST(BenchJson, DoesWithoutWhatIsYoungerThanTheSchema) {
  Json document = written(example_bench());
  document.erase("metric_names");
  for (Json& row : document["rows"]) {
    for (const char* name : younger_fields) row.erase(name);
  }
  EXPECT_EQ(complaint_about(document), "none");
}

TEST(BenchJson, CarriesACardThatTheCourseDoesNotHave) {
  BenchReport report = example_bench();
  report.gpu.id = "mine";
  report.gpu.sms = 84;
  const BenchReport read = read_bench_report(written(report));
  EXPECT_EQ(read.gpu.id, "mine");
  EXPECT_EQ(read.gpu.sms, 84);
  EXPECT_EQ(written(read), written(report));
  Json other = written(report);
  other["gpu"] = "yours";
  EXPECT_THAT([&] { read_bench_report(other); },
              ThrowsMessage<std::runtime_error>(HasSubstr("expected that of gpu alone")));
}

TEST(BenchJson, SaysWhatIsWrongWhere) {
  const struct {
    const char* place;
    Json value;
    const char* complaint;
  } cases[] = {
      {"/schema", "tilewise/result/v1",
       "schema is \"tilewise/result/v1\", expected tilewise/bench/v1"},
      {"/schema", 1, "schema is 1, expected a text"},
      {"/modelled", "yes", "modelled is \"yes\", expected true or false"},
      {"/gpu", "gtx9999", "no GPU profile is called \"gtx9999\""},
      {"/gpu", "card.json", "gpu is \"card.json\", expected a profile's name"},
      {"/rows", "none", "rows is \"none\", expected an array"},
      {"/rows/4", 17, "rows[4] is no object"},
      {"/rows/4/contender", "me", "rows[4].contender is \"me\", expected student, solution"},
      {"/rows/4/ms", -1, "rows[4].ms is -1, expected a number from 0"},
      {"/rows/4/ms", 0, "rows[4].ms is 0, expected more than 0"},
      {"/rows/4/ms", "1", "rows[4].ms is \"1\", expected a number"},
      {"/rows/4/rate", nullptr, "rows[4].rate is null, expected a number"},
      {"/rows/4/rate", 1e300, "rows[4].rate is 1e+300, expected a number from 0"},
      {"/rows/4/rate", INFINITY, "rows[4].rate"},
      {"/rows/4/rate", NAN, "rows[4].rate"},
      {"/rows/4/cgma", -0.5, "rows[4].cgma is -0.5"},
      {"/rows/4/n", 1.5, "rows[4].n is 1.5, expected a whole number from 0 to 2147483647"},
      {"/rows/4/n", -3, "rows[4].n is -3"},
      {"/rows/4/n", 0, "rows[4].n is 0, expected an order of at least 1"},
      {"/rows/4/n", 3'000'000'000u, "rows[4].n is 3000000000"},
      {"/rows/4/unit", "furlongs", "rows[4].unit is \"furlongs\", expected GFLOPS or GB/s"},
      {"/rows/4/right", 1, "rows[4].right is 1, expected true or false"},
      {"/rows/4/counted", Json::array(), "rows[4].counted is no object"},
      {"/rows/4/counted/loads", false, "rows[4].counted.loads is false"},
      {"/rows/4/occupancy/percent", 101, "rows[4].occupancy.percent is 101, expected at most 100"},
      {"/rows/4/occupancy/active_blocks", "8", "rows[4].occupancy.active_blocks is \"8\""},
      {"/rows/4/speedup", "much", "rows[4].speedup is \"much\", expected a number"},
      {"/rows/4/metrics", {{"ipc", 3}}, "rows[4].metrics.achieved_occupancy is missing"},
      {"/rows/4/speed", 5, "rows[4].speed is no field of tilewise/bench/v1"},
      {"/author", "me", "author is no field of tilewise/bench/v1"},
      {"/date", std::string(100, 'x') + "\033[31m", "none"},
      {"/rows/4/unit", std::string(100, '\033'), "..., expected GFLOPS or GB/s"},
  };
  const Json good = written(example_bench());
  for (const auto& [place, value, complaint] : cases) {
    Json document = good;
    document[Json::json_pointer(place)] = value;
    EXPECT_THAT(complaint_about(document), HasSubstr(complaint)) << place << " = " << value;
  }
}

TEST(BenchJson, MissesEveryField) {
  const Json good = written(example_bench());
  const auto complain_without = [&](const Json::json_pointer& object, const std::string& name) {
    Json document = good;
    document.at(object).erase(name);
    EXPECT_THAT(complaint_about(document), HasSubstr(name + " is missing"));
  };
  for (const std::string object : {"", "/rows/0", "/rows/0/counted", "/rows/0/occupancy"}) {
    const Json::json_pointer pointer(object);
    for (const auto& [name, value] : good.at(pointer).items()) {
      if (std::ranges::find(younger_fields, name) == std::end(younger_fields)) {
        complain_without(pointer, name);
      }
    }
  }
}

TEST(BenchJson, IsAnObject) {
  EXPECT_EQ(complaint_about(Json::array()), "the document is no object");
  EXPECT_EQ(complaint_about(Json()), "the document is no object");
}

}  // namespace
}  // namespace tilewise::grading
