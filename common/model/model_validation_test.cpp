// Compares the model of a kernel's time with published measurements and our own. If the tables of
// docs/measurements/2026-11-21-model.md, or those of 2026-11-22-model-unseen.md, no longer match
// the results, run this test with TILEWISE_UPDATE_TABLES=1 to write them anew.

#include "common/model/model_validation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "common/base/files.hpp"
#include "common/model/reference_table.hpp"

namespace tilewise::model {
namespace {

const std::vector<ValidationRow>& all_rows() {
  static const std::vector<ValidationRow> rows = validation_rows("model");
  return rows;
}

const std::vector<ValidationRow>& unseen_rows() {
  static const std::vector<ValidationRow> rows = validation_rows("unseen");
  return rows;
}

std::vector<ValidationRow> rows_of(const std::string& document) {
  std::vector<ValidationRow> rows;
  for (const ValidationRow& row : all_rows()) {
    if (row.document == document) rows.push_back(row);
  }
  return rows;
}

TEST(ModelValidation, ReachesTheAccuracyPromised) {
  const struct {
    const char* document;
    int rows;
    double mean_error_pct;
    double rank_of_times;
  } promises[] = {
      {"put2025", 34, 20, 0.95},  {"course2025", 32, 30, 0.95}, {"put2014", 67, 30, 0.95},
      {"muni2009", 13, 30, 0.95}, {"fing2020", 12, 30, 0.95},   {"h200", 246, 20, 0.95},
  };
  for (const auto& promise : promises) {
    SCOPED_TRACE(promise.document);
    const Agreement reached = agreement(rows_of(promise.document));
    EXPECT_EQ(reached.rows, promise.rows);
    EXPECT_LE(reached.mean_error_pct, promise.mean_error_pct);
    EXPECT_GE(reached.rank_of_times, promise.rank_of_times);
  }
}

// Rates are harder to rank than times, which sizes alone rank. One document is below 0.95;
// docs/measurements/2026-11-21-model.md says why.
TEST(ModelValidation, RanksRatesAboutAsWell) {
  const std::map<std::string, double> reached = {{"put2025", 0.95},  {"course2025", 0.95},
                                                 {"put2014", 0.95},  {"muni2009", 0.95},
                                                 {"fing2020", 0.80}, {"h200", 0.95}};
  for (const auto& [document, correlation] : reached) {
    EXPECT_GE(agreement(rows_of(document)).rank_of_rates, correlation) << document;
  }
}

// Rows on which no constant was fitted meet the same bounds.
TEST(ModelValidation, HoldsWhereNothingWasFitted) {
  std::vector<ValidationRow> rows;
  for (const ValidationRow& row : all_rows()) {
    if (!row.known) rows.push_back(row);
  }
  EXPECT_GT(rows.size(), 250u);
  EXPECT_LE(agreement(rows).mean_error_pct, 20);
}

// Tests other kernels, sizes and cards. The targets are 12%, 35% and 0.95; what misses them, and
// why, is in docs/measurements/2026-11-22-model-unseen.md. The bounds here are what is reached, so
// that it gets no worse.
TEST(ModelValidation, HoldsOnKernelsAndCardsThatItHasNotSeen) {
  std::vector<ValidationRow> rows;
  for (const ValidationRow& row : unseen_rows()) {
    if (!row.known) rows.push_back(row);
  }
  const Agreement reached = agreement(rows);
  EXPECT_GE(reached.rows, 100);
  EXPECT_LE(reached.mean_error_pct, 16.5);
  EXPECT_LE(reached.worst_error_pct, 60);
  EXPECT_GE(reached.rank_of_rates, 0.96);
  EXPECT_LE(agreement(unseen_rows()).mean_error_pct, 17);
}

// The model supports the conclusions that each document draws from its measurements.
TEST(ModelValidation, DrawsTheConclusionsOfTheDocuments) {
  const auto ms = [](const std::string& document, const std::string& call) {
    for (const ValidationRow& row : rows_of(document)) {
      if (row.call == call) return row.modelled.ms;
    }
    ADD_FAILURE() << document << " has no " << call;
    return 0.0;
  };
  const struct {
    const char *conclusion, *document;
    std::vector<std::string> from_fast_to_slow;
  } conclusions[] = {
      {"an inverted U over results a thread",
       "put2025",
       {"put2025_matmul(n=4096, 16, 6, 6)", "put2025_matmul(n=4096, 16, 2, 2)",
        "put2025_matmul(n=4096, 16, 16, 16)", "put2025_matmul(n=4096, 16, 1, 1)",
        "put2025_matmul(n=4096, 16, 24, 24)"}},
      {"more results are more, up to the top",
       "put2025",
       {"put2025_matmul(n=4096, 16, 6, 6)", "put2025_matmul(n=4096, 16, 4, 4)",
        "put2025_matmul(n=4096, 16, 2, 3)", "put2025_matmul(n=4096, 16, 2, 2)",
        "put2025_matmul(n=4096, 16, 2, 1)", "put2025_matmul(n=4096, 16, 1, 1)"}},
      {"2x2 loses with tile 16, whose registers leave one block",
       "put2014",
       {"matmul_shared(n=640, 16)", "put2014_2x2(n=640, 16)"}},
      {"and wins with tile 8", "put2014", {"put2014_2x2(n=640, 8)", "matmul_shared(n=640, 8)"}},
      {"a second pair of tiles costs",
       "put2014",
       {"matmul_shared(n=640, 16)", "put2014_prefetch_shared(n=640, 16)"}},
      {"tiles, a grid, one block",
       "put2014",
       {"matmul_shared(n=528, 16)", "matmul_grid(n=528, 16, 16)",
        "matmul_single_block(n=528, 16, 16)"}},
      {"a top of many results, far apart",
       "course2025",
       {"matmul_strided(n=2048, 16, 16)", "matmul_strided(n=2048, 16, 8)",
        "matmul_strided(n=2048, 16, 4)", "matmul_strided(n=2048, 16, 1)"}},
      {"tiles before global memory",
       "fing2020",
       {"fing2020_dgemm_shared(n=4096)", "fing2020_dgemm_global(n=4096)"}},
      {"one repair after the other",
       "muni2009",
       {"transpose_padded(n=4000)", "transpose_tiled(n=4000)", "transpose_naive(n=4000)"}},
      {"rank-1 updates, two rows, tiles, global memory",
       "muni2009",
       {"muni2009_rank1(n=2048)", "matmul_two_rows(n=2048)", "matmul_shared(n=2048, 16)",
        "matmul_grid(n=2048, 128, 1)", "matmul_grid(n=2048, 1, 128)"}},
  };
  for (const auto& [conclusion, document, calls] : conclusions) {
    for (std::size_t i = 1; i < calls.size(); ++i) {
      EXPECT_LT(ms(document, calls[i - 1]), ms(document, calls[i]))
          << document << ": " << conclusion << ": " << calls[i - 1] << ", " << calls[i];
    }
  }
  const double plain = ms("put2014", "matmul_shared(n=640, 16)");
  EXPECT_NEAR(ms("put2014", "matmul_prefetch_register(n=640, 16)") / plain, 1, 0.03)
      << "put2014: fetching ahead into registers brings nothing";
}

// The traffic that L2 leaves to DRAM is estimated from a block and its neighbours; put2025 counted
// it.
TEST(ModelValidation, EstimatesWhatL2LeavesToDram) {
  const core::GpuProfile gtx1080 = core::gpu_profile("gtx1080");
  const std::vector<ReferenceRow> counters = reference_table("model_counters.csv");
  const std::vector<ReferenceRow> measurements = reference_table("model_measurements.csv");
  std::map<std::string, double> published;  // keyed by n, tile, rx and ry
  const auto key = [](const ReferenceRow& row, const char* tile, const char* rx, const char* ry) {
    return row.text("n") + " " + row.text(tile) + " " + row.text(rx) + " " + row.text(ry);
  };
  for (const ReferenceRow& row : reference_table("put2025_gtx1080_rx_ry.csv")) {
    published[key(row, "block", "rx", "ry")] = row.number("dram_read_transactions");
  }
  double sum = 0;
  int rows = 0;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    // Spilled words go to DRAM, too.
    if (all_rows()[i].document != "put2025" || all_rows()[i].spilled_words > 0) continue;
    const ReferenceRow& counted = counters[i];
    KernelWork work;
    work.blocks_x = static_cast<std::uint64_t>(counted.number("grid_x"));
    work.blocks_y = static_cast<std::uint64_t>(counted.number("grid_y"));
    work.global_load_sectors = counted.number("global_load_sectors");
    work.block.load_sectors = counted.number("block_load_sectors");
    work.block.shared_along_x = counted.number("block_shared_along_x");
    work.block.shared_along_y = counted.number("block_shared_along_y");
    const int by_registers =
        std::max(1, 65536 / (measurements[i].integer("registers") * counted.integer("threads")));
    const int by_threads = 2048 / counted.integer("threads");
    const double loads =
        dram_traffic(gtx1080, work, 20u * std::min(by_registers, by_threads)).load_sectors;
    const double ratio = loads / published.at(key(measurements[i], "a", "b", "c"));
    EXPECT_GT(ratio, 0.5) << measurements[i].place();
    EXPECT_LT(ratio, 2.0) << measurements[i].place();
    sum += std::abs(ratio - 1);
    ++rows;
  }
  EXPECT_EQ(rows, 28);
  EXPECT_LE(sum / rows, 0.1) << "mean error";
}

TEST(ModelValidation, RanksWithTies) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3}, {10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_NEAR(spearman({1, 2, 2, 4}, {1, 2, 3, 4}), 0.9486832980505138, 1e-12);
  EXPECT_DOUBLE_EQ(spearman({}, {}), 1);
  EXPECT_THROW(spearman({1}, {}), std::invalid_argument);
}

TEST(ModelValidation, IsWhatTheDocumentationShows) {
  const struct {
    const char *page, *known;
    const std::vector<ValidationRow>& rows;
  } pages[] = {{"2026-11-21-model.md", "fitted on", all_rows()},
               {"2026-11-22-model-unseen.md", "looked at", unseen_rows()}};
  const std::string marker = "<!-- from here on written by model_validation_test -->\n\n";
  for (const auto& [page_name, known, rows] : pages) {
    SCOPED_TRACE(page_name);
    const auto path = core::project_root() / "docs/measurements" / page_name;
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    std::string page{std::istreambuf_iterator<char>(file), {}};
    const auto begin = page.find(marker);
    ASSERT_NE(begin, page.npos);
    const std::string wanted = page.substr(0, begin) + marker + validation_tables(rows, known);
    if (std::getenv("TILEWISE_UPDATE_TABLES") != nullptr) {
      std::ofstream(path) << wanted;
    } else {
      EXPECT_TRUE(page == wanted) << "write the tables anew: TILEWISE_UPDATE_TABLES=1 "
                                     "model_validation_test";
    }
  }
}

}  // namespace
}  // namespace tilewise::model
