#include "grading/labreport/lab_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "common/base/catalogue.hpp"
#include "common/base/files.hpp"
#include "common/base/test/matches.hpp"
#include "grading/bench/test/example_bench.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<StageNotes> notes_of(const std::vector<std::string>& ids) {
  std::vector<StageInfo> wanted;
  for (const StageInfo& stage : stages()) {
    if (std::ranges::find(ids, stage.id) != ids.end()) wanted.push_back(stage);
  }
  return read_stage_notes(core::project_root(), wanted);
}

std::string page_of(const BenchReport& report) {
  return lab_report_page(report, notes_of({"03_shared_memory", "04_prefetch"}));
}

int occurrences(const std::string& text, const std::string& pattern) {
  return static_cast<int>(core::matches_of(text, pattern).size());
}

BenchRow& row_of(BenchReport& report, const std::string& block, int n) {
  return *std::ranges::find_if(report.rows, [&](const BenchRow& row) {
    return row.contender == Contender::student && row.block == block && row.n == n;
  });
}

TEST(LabReport, TellsWhatWasTakenHow) {
  BenchReport report = example_bench();
  const std::string page = page_of(report);
  EXPECT_THAT(page, AllOf(HasSubstr("the student's own"), HasSubstr("modelled: the simulator"),
                          HasSubstr("<code>lab bench 3 4</code>"), HasSubstr("2026-11-21"),
                          HasSubstr("random, seed 17"), HasSubstr("NVIDIA GeForce GTX 1080")));
  EXPECT_THAT(page, AllOf(HasSubstr("Stage 3: tiles in shared memory</h2>"),
                          HasSubstr("Fetch each element from global memory once per block"),
                          HasSubstr("8,873 / 320.0 = 27.7 operations a byte, 110.9 an element"),
                          HasSubstr("Why does a block of 22x22 waste lanes")));
  EXPECT_THAT(page, AllOf(HasSubstr("<style>:root{"), HasSubstr("@media print"),
                          HasSubstr("(prefers-color-scheme:dark)")));

  report.modelled = false;
  report.device = "NVIDIA H200";
  std::erase_if(report.rows,
                [](const BenchRow& row) { return row.contender == Contender::student; });
  EXPECT_THAT(page_of(report),
              AllOf(HasSubstr("the reference solutions"), HasSubstr("measured: median times"),
                    HasSubstr("GFLOPS, NVIDIA H200 (measured)"),
                    HasSubstr("those of NVIDIA GeForce GTX 1080, the card nearest to it")));
}

// Names and words may be the same in both languages, but sentences are not.
TEST(LabReport, HasNoEnglishSentenceInSpanish) {
  BenchReport report = example_bench();
  row_of(report, "tile 8", 2048).right = false;
  report.rows.front().not_written = true;
  const std::filesystem::path root = core::project_root();
  core::speak("es", root / "po/es.po");
  const std::string page = page_of(report);
  core::speak_english();
  EXPECT_THAT(page, AllOf(HasSubstr("<html lang=\"es\">"), HasSubstr("Informe de laboratorio"),
                          HasSubstr("Gráfica de GFLOPS frente a orden n. tile 8: "),
                          HasSubstr("Etapa 3: ")));
  core::Catalogue catalogue;
  core::add_to(catalogue, core::text_of(root / "tools/page/es.po"));
  EXPECT_GT(catalogue.size(), 300U);
  for (const auto& [english, spanish] : catalogue) {
    const bool is_sentence =
        std::ranges::count(english, ' ') > 2 && english.find('{') == english.npos;
    if (is_sentence && english != spanish) {
      EXPECT_THAT(page, Not(HasSubstr(english)));
    }
  }
}

TEST(LabReport, HasPredictionsBesideCounts) {
  const BenchReport report = example_bench();
  std::vector<StageNotes> notes = notes_of({"03_shared_memory", "04_prefetch"});
  EXPECT_THAT(lab_report_page(report, notes), Not(HasSubstr("What was predicted")));
  const std::string call = "matmul_shared(n=64, tile=16)";
  notes[0].predictions = {{call, "sectors a load request", "32", "4", "gtx1080", true}};
  const std::string page = lab_report_page(report, notes);
  EXPECT_EQ(occurrences(page, "What was predicted, and what was counted then"), 1);
  EXPECT_THAT(page, AllOf(HasSubstr(">32<"), HasSubstr(">sectors a load request<"),
                          HasSubstr(">the solution<")));
}

// The values are from the tables of their cards in put2014 and put2025.
TEST(LabReport, ListsTheCardInFull) {
  BenchReport report = example_bench();
  const std::string gtx1080 = page_of(report);
  for (const char* fact :
       {">GDDR5X<", ">8,506,114,048<", ">64 KiB<", ">2,048 KiB<", ">32<", ">1,024 × 1,024 × 64<",
        ">2,147,483,647 × 65,535 × 65,535<", ">96 KiB<", ">48 KiB<", ">65,536<", ">2,048<"}) {
    EXPECT_THAT(gtx1080, HasSubstr(fact));
  }
  report.gpu = core::gpu_profile("gt240");
  const std::string gt240 = page_of(report);
  for (const char* fact : {">DDR3<", ">800.0 MHz<", ">575.0 MHz<", ">1,400 MHz<", ">64 KiB<",
                           ">512 × 512 × 64<", ">65,535 × 65,535 × 1<"}) {
    EXPECT_THAT(gt240, HasSubstr(fact));
  }
}

TEST(LabReport, HasTheOrdersThatSaturateBesidePut2025s) {
  BenchReport report = example_bench();
  BenchRow row = example_row("06_work_rx_ry", "matmul_rx_ry", 32, 1024, 4000);
  row.block = "tile 32, 6x6";
  row.occupancy->by_shared = 2;  // of an SM's 96 KiB
  report.rows.push_back(row);
  const std::string page = lab_report_page(report, notes_of({"06_work_rx_ry"}));
  EXPECT_THAT(page, HasSubstr("tile 32, 6x6</th><td>2</td><td>1,153</td><td>1,215</td>"));
  EXPECT_THAT(page, Not(HasSubstr("4,857"))) << "the report has no such block";
}

TEST(LabReport, HasEveryTableAndChart) {
  const std::string page = page_of(example_bench());
  EXPECT_EQ(occurrences(page, "Theoretical occupancy of "), 3);
  EXPECT_EQ(occurrences(page, "<caption>Elements of global memory"), 3);
  EXPECT_EQ(occurrences(page, "<caption>GFLOPS, gtx1080 \\(modelled\\)"), 3);
  EXPECT_EQ(occurrences(page, "<caption>Time of a call in ms"), 3);
  EXPECT_EQ(occurrences(page, "<caption>GIPS: "), 3);
  EXPECT_EQ(occurrences(page, "<caption>CGMA as counted"), 3);
  EXPECT_EQ(occurrences(page, "<svg [^>]*aria-label=\"Chart of "), 4 * 3 + 1);
  EXPECT_EQ(occurrences(page, "<table>"), occurrences(page, "<table><caption>."));
  EXPECT_EQ(occurrences(page, "<th[ >]"), occurrences(page, "<th [^>]*scope=\""));
  EXPECT_THAT(page,
              HasSubstr("aria-label=\"Chart of GFLOPS against order n. tile 8: 442.8 at 2048. "));
}

TEST(LabReport, ComparesVersionsAtTheLargestCommonOrder) {
  BenchReport report = example_bench();
  std::erase_if(report.rows, [](const BenchRow& row) {
    return row.function == "matmul_shared" && row.n == 2048;
  });
  BenchRow cublas =
      example_row("04_prefetch", "matmul_prefetch_shared", 32, 1024, 7200, Contender::cublas);
  cublas.rate = 8000;
  report.rows.push_back(cublas);
  const std::string section = page_of(report);
  EXPECT_THAT(section, HasSubstr("Versions of matmul at n = 1024, each with its fastest block"));
  // The student's best versions reach 810, 900 and 990 GFLOPS for large n.
  EXPECT_THAT(section, HasSubstr(">matmul_shared</th><td class=\"text\">tile 32</td><td>3.169</td>"
                                 "<td>677.6</td><td>–</td><td>–</td><td>7.6%</td><td>8.5%</td>"));
  EXPECT_THAT(section, HasSubstr("<td>752.9</td><td>1.111</td><td>1.111</td>"));
  EXPECT_THAT(section, HasSubstr("<td>828.2</td><td>1.100</td><td>1.222</td>"));
}

TEST(LabReport, EscapesWhatComesFromOutside) {
  const std::string hostile = "</td><script>alert(\"1\")</script>\" onload='x' & \x01";
  BenchReport report = example_bench();
  report.device = report.command = report.date = report.inputs = hostile;
  for (BenchRow& row : report.rows) {
    row.block += hostile;
    row.call += hostile;
    row.limiter = hostile;
    row.unit = "GFLOPS";
    row.occupancy->limited_by = hostile;
  }
  row_of(report, "tile 8" + hostile, 256).problem = hostile;
  row_of(report, "tile 8" + hostile, 512).right = false;
  const std::string page = page_of(report);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script>alert(&quot;1&quot;)"));
  EXPECT_THAT(page, Not(HasSubstr("\" onload")));
  EXPECT_EQ(page.find('\x01'), std::string::npos);
  EXPECT_EQ(occurrences(page, "https?:|//|url\\(|@import"), 0) << "nothing is fetched";
}

TEST(LabReport, NeverShowsHowFastAWrongResultCame) {
  BenchReport report = example_bench();
  BenchRow& wrong = row_of(report, "tile 22", 1000);
  wrong.right = false;
  wrong.rate = 4242;
  wrong.ms = 0.04242;
  row_of(report, "tile 22", 1024).right = false;
  const std::string page = page_of(report);
  EXPECT_THAT(page, Not(HasSubstr("4,242")));
  EXPECT_THAT(page, Not(HasSubstr("0.04242")));
  EXPECT_GE(occurrences(page, "<td><span class=\"wrong\">wrong</span></td>"), 2);
  EXPECT_THAT(page,
              HasSubstr("<li class=\"wrong\">Your matmul_shared, tile 22, n = 1000, 1024: the "
                        "result is wrong"));
}

TEST(LabReport, SaysWhatIsNotThere) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    if (row.stage == "04_prefetch" && row.contender == Contender::student) row = {};
  }
  std::erase_if(report.rows, [](const BenchRow& row) { return row.stage.empty(); });
  BenchRow unwritten;
  unwritten.stage = "04_prefetch";
  unwritten.function = "matmul_prefetch_register";
  unwritten.contender = Contender::student;
  unwritten.problem = "The files are as they were handed out.";
  unwritten.not_written = true;
  report.rows.push_back(unwritten);
  unwritten.function = "matmul_prefetch_shared";
  report.rows.push_back(unwritten);
  BenchRow& crashed = row_of(report, "tile 8", 256);
  crashed.problem = "It crashed.";
  row_of(report, "tile 16", 256).right.reset();
  const std::string page = page_of(report);
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("There are no figures of this stage."),
            HasSubstr("<li>Your matmul_prefetch_register, matmul_prefetch_shared: not written"),
            HasSubstr("Your matmul_shared, tile 8, n = 256: no figures. It crash"),
            HasSubstr("<span class=\"wrong\">failed</span>"),
            HasSubstr("Not all of the results behind these figures were compared")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"comparison\""))) << "there is one version only";

  report.rows.clear();
  EXPECT_EQ(occurrences(page_of(report), "There are no figures of this stage"), 2);
}

TEST(LabReport, LeavesOutTablesWithoutFigures) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    row.occupancy.reset();
    row.counted.reset();
    row.by_formula.reset();
    row.cgma.reset();
    row.gips.reset();
    row.cgma_by_formula.reset();
  }
  const std::string page = page_of(report);
  EXPECT_THAT(page, AllOf(HasSubstr("<caption>GFLOPS, "), HasSubstr("<caption>Time of a call")));
  for (const char* caption : {"Theoretical", "Elements of global", "GIPS", "CGMA as counted"}) {
    EXPECT_THAT(page, Not(HasSubstr("<caption>" + std::string(caption))));
  }
}

TEST(LabReport, LeavesOutColumnsWithoutFigures) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    row.by_formula.reset();
    row.cgma.reset();
    row.cgma_by_formula.reset();
  }
  EXPECT_THAT(page_of(report), AllOf(HasSubstr(">counted<"), Not(HasSubstr(">by formula<")),
                                     Not(HasSubstr(">CGMA<"))));
}

TEST(LabReport, MarksEstimatedRegistersAndLimitsThatAreNone) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    row.occupancy->registers_from_nvcc = false;
    row.occupancy->by_shared = std::numeric_limits<int>::max();
  }
  const std::string table = page_of(report);
  EXPECT_THAT(table, AllOf(HasSubstr("<td>~32</td>"), HasSubstr("<td>any</td>"),
                           HasSubstr("Registers with ~ are estimated")));
  EXPECT_THAT(table, HasSubstr("tile 22</th><td>484</td><td>16</td><td>3,872</td>"));
}

TEST(LabReport, KnowsEveryStageOfTheCourse) {
  for (const StageNotes& notes : read_stage_notes(core::project_root(), stages())) {
    EXPECT_THAT(notes.title, testing::StartsWith("Stage ")) << notes.id;
    EXPECT_FALSE(notes.purpose.empty()) << notes.id;
    EXPECT_FALSE(notes.accesses.empty()) << notes.id;
    EXPECT_GE(notes.questions.size(), 2u) << notes.id;
  }
  EXPECT_THROW(read_stage_notes(core::project_root(), {{"99_none", {}, {}}}), std::runtime_error);
}

}  // namespace
}  // namespace tilewise::grading
