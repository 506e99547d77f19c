#include "grading/profile/occupancy_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/model/reference_table.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

OccupancyReport report_on(std::vector<std::string> ids, const OccupancyQuestion& question) {
  std::vector<core::GpuProfile> gpus;
  std::ranges::transform(ids, std::back_inserter(gpus), core::gpu_profile);
  return occupancy_report(question, gpus);
}

std::string table_of(const std::string& gpu, const OccupancyQuestion& question) {
  return occupancy_table(report_on({gpu}, question));
}

/// Returns the line of a table that begins with `begin`, with one blank between words.
std::string line_of(const std::string& table, const std::string& begin) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    if (joined.starts_with(begin)) return joined;
  }
  return "no line begins with " + begin;
}

std::string with_comma(int number) {
  return number < 1000 ? fmt::format("{}", number)
                       : fmt::format("{},{:03}", number / 1000, number % 1000);
}

// These are all rows that put2014 tabulates: GT 240, versions 1 to 5.
TEST(OccupancyTable, SaysWhatWasPublishedForAGt240) {
  int rows = 0;
  for (const model::ReferenceRow& row : model::reference_table("put2014_gt240_occupancy.csv")) {
    SCOPED_TRACE(row.place());
    ++rows;
    const int edge = row.integer("block");
    OccupancyQuestion question{{edge, edge}};
    question.registers_per_thread = row.integer("registers_per_thread");
    question.shared_bytes_per_block = row.integer("shared_bytes_per_block");
    // A single block walks over all result tiles.
    const bool one_block = row.text("version") == "1";
    if (one_block) question.blocks = 1;
    const std::string table = table_of("gt240", question);

    const int blocks = row.integer("active_blocks");
    EXPECT_EQ(line_of(table, "active on an SM"),
              fmt::format("active on an SM {} block{}, {} of 32 warps, {} of 1,024 threads", blocks,
                          blocks == 1 ? "" : "s", row.integer("active_warps"),
                          with_comma(row.integer("active_threads"))));
    EXPECT_THAT(line_of(table, "occupancy"),
                HasSubstr(fmt::format(" {}%, limited by", row.text("occupancy_pct"))));
    const std::string warps = line_of(table, "warps"), registers = line_of(table, "registers"),
                      shared = line_of(table, "shared memory");
    EXPECT_THAT(warps,
                HasSubstr(fmt::format("warps {} threads {} 32 ", row.integer("threads_per_block"),
                                      row.integer("warps_per_block"))));
    EXPECT_THAT(registers, HasSubstr(fmt::format("registers {} a thread {} 16,384 ",
                                                 row.integer("registers_per_thread"),
                                                 with_comma(row.integer("registers_per_block")))));
    if (one_block) {
      EXPECT_EQ(line_of(table, "the grid's size"), "the grid's size 1 block in all 1 <- limit");
      continue;
    }
    const auto fit = [](const char* of_sm, const std::string& blocks) {
      return testing::ContainsRegex(fmt::format(" {} {}( <- limit)?$", of_sm, blocks));
    };
    EXPECT_THAT(warps, fit("32", row.text("limit_blocks_by_warps")));
    EXPECT_THAT(registers, fit("16,384", row.text("limit_blocks_by_registers")));
    // This is a misprint: sixteen times 1,068 bytes are more than the card has. See
    // occupancy_test.cpp.
    const bool misprint = row.text("version") == "4b" && edge == 8;
    EXPECT_THAT(shared, fit("16,384", misprint ? "10" : row.text("limit_blocks_by_shared")));
  }
  EXPECT_EQ(rows, 15);
}

TEST(OccupancyTable, NamesTheLimitAndHowToHaveOneBlockMore) {
  struct Case {
    const char* gpu;
    OccupancyQuestion question;
    std::vector<const char*> limited;  // the rows that are marked
    const char* advice;
  };
  const Case cases[] = {
      {"gtx1080",
       {{16, 16}, {1, 1}, 40, 2048, {}},
       {"registers"},
       "with at most 32 registers a thread: __launch_bounds__(256, 7) on the kernel"},
      {"gtx1080",
       {{16, 16}, {1, 1}, 32, 20000, {}},
       {"shared memory"},
       "with at most 19,456 bytes of shared memory a block"},
      {"gtx1080", {{32, 18}, {1, 1}, 24, 0, {}}, {"warps"}, "with at most 512 threads a block"},
      {"gtx1080",
       {{16, 16}, {1, 1}, 32, 0, 20},
       {"the grid's size"},
       "with a grid of at least 21 blocks"},
      {"t4",
       {{32, 18}, {1, 1}, 40, 50000, {}},
       {"warps", "shared memory"},
       "with at most 512 threads a block,"},
      {"p100",
       {{8, 4}, {1, 1}, 40, 0, {}},
       {"blocks"},
       "none: an SM holds at most 32 blocks, of any size; they use all its"},
      {"gt240",
       {{8, 8}, {1, 1}, 10, 44, {}},
       {"blocks"},
       "none: an SM holds at most 8 blocks, of any size; they use all its"},
      {"h200",
       {{16, 16}, {1, 1}, 32, 0, {}},
       {"warps", "registers"},
       "not needed: every warp of the SM is in use"},
  };
  for (const Case& c : cases) {
    const std::string table = table_of(c.gpu, c.question);
    SCOPED_TRACE(table);
    for (const char* row : {"blocks", "warps", "registers", "shared memory", "the grid's size"}) {
      const bool limits = std::ranges::find(c.limited, std::string_view(row), [](const char* text) {
                            return std::string_view(text);
                          }) != c.limited.end();
      EXPECT_EQ(line_of(table, row).ends_with("<- limit"), limits) << row;
    }
    EXPECT_EQ(line_of(table, "one block more"), fmt::format("one block more {}", c.advice));
  }
}

TEST(OccupancyTable, ShowsTheFullestSmOfASmallGrid) {
  const auto row_with = [](std::uint64_t blocks) {
    return line_of(table_of("gtx1080", {{16, 16}, {1, 1}, 32, 0, blocks}), "the grid's size");
  };
  EXPECT_EQ(row_with(20), "the grid's size 20 blocks in all 1 <- limit");
  EXPECT_EQ(row_with(21), "the grid's size 21 blocks in all 2 <- limit");
  EXPECT_EQ(row_with(1000), "the grid's size 1,000 blocks in all 50");
}

TEST(OccupancyTable, SaysThatRegistersAreNotKnown) {
  const OccupancyQuestion unknown{{16, 16}}, known{{16, 16}, {1, 1}, 32};
  EXPECT_THAT(table_of("gtx1080", unknown),
              AllOf(HasSubstr("registers not known"), HasSubstr("at most 100%, limited by warps")));
  EXPECT_THAT(table_of("gtx1080", known),
              AllOf(Not(HasSubstr("not known")), HasSubstr(" 100%, limited by warps and registers"),
                    Not(HasSubstr("at most 100%"))));
}

TEST(OccupancyTable, NotesIdleLanesAndSharedMemoryToAskFor) {
  const auto table = [](std::array<int, 2> block, std::size_t shared) {
    return table_of("h200", {block, {1, 1}, 32, shared, {}});
  };
  EXPECT_THAT(table({22, 22}, 49152),
              AllOf(HasSubstr("has 28 idle lanes"), Not(HasSubstr("cudaFuncSetAttribute"))));
  EXPECT_THAT(table({31, 1}, 0), HasSubstr("has 1 idle lane."));
  EXPECT_THAT(table({32, 8}, 49153),
              AllOf(Not(HasSubstr("idle")), HasSubstr("cudaFuncSetAttribute")));
}

TEST(OccupancyTable, SaysWhyALaunchCannotRun) {
  EXPECT_THAT(table_of("gtx1080", {{32, 32}, {5, 6}, 80, 45056}),
              AllOf(HasSubstr("cannot run: 1024 threads of 80 registers"),
                    Not(HasSubstr("active on an SM"))));
}

TEST(OccupancyTable, ComparesGpusLineByLine) {
  const std::string table =
      occupancy_table(report_on({"gt240", "gtx1080", "h200"}, {{32, 32}, {1, 1}, 40, 8192, {}}));
  EXPECT_THAT(line_of(table, "gt240"), HasSubstr("cannot run: a block of 1024 threads"));
  EXPECT_EQ(line_of(table, "gtx1080"), "gtx1080 1 32 1,024 50% 129 registers");
  EXPECT_EQ(line_of(table, "h200"), "h200 1 32 1,024 50% 353 registers");
  EXPECT_THAT(table, Not(HasSubstr("one block more")));
}

// The saturating order is compared with grids counted block by block, for blocks of several shapes.
TEST(Saturation, IsTheSmallestOrderWhoseGridFillsEverySm) {
  struct Case {
    const char* gpu;
    OccupancyQuestion question;
  };
  const Case cases[] = {
      {"gtx1080", {{16, 16}, {1, 1}, 32, 2048, {}}}, {"gtx1080", {{16, 16}, {2, 3}, 40, 5120, {}}},
      {"h200", {{128, 1}, {1, 1}, 32, 0, {}}},       {"h200", {{1, 128}, {1, 1}, 32, 0, {}}},
      {"gtx280", {{64, 1}, {1, 16}, 30, 1100, {}}},  {"gt240", {{22, 22}, {1, 1}, 13, 3916, {}}},
      {"t4", {{32, 8}, {1, 4}, 48, 8192, 7}},  // a small grid does not count
  };
  for (const Case& c : cases) {
    const OccupancyOnGpu answer = report_on({c.gpu}, c.question).gpus.front();
    ASSERT_TRUE(answer.saturation);
    OccupancyQuestion large = c.question;
    large.blocks.reset();
    const std::uint64_t wanted =
        answer.gpu.sms *
        std::uint64_t(report_on({c.gpu}, large).gpus.front().occupancy.active_blocks);
    const auto blocks_of = [&](std::uint64_t n) {
      const auto along = [n](int side) {
        std::uint64_t blocks = 0;
        for (std::uint64_t first = 0; first < n; first += side) ++blocks;
        return blocks;
      };
      return along(c.question.block[0] * c.question.results[0]) *
             along(c.question.block[1] * c.question.results[1]);
    };
    const std::uint64_t n = answer.saturation->n;
    SCOPED_TRACE(testing::Message() << c.gpu << ", n = " << n);
    EXPECT_EQ(answer.saturation->blocks_wanted, wanted);
    EXPECT_GE(blocks_of(n), wanted);
    EXPECT_LT(blocks_of(n - 1), wanted);
    EXPECT_EQ(answer.saturation->blocks_along_x * answer.saturation->blocks_along_y, blocks_of(n));
  }
}

TEST(OccupancyDocument, HasTheNamesOfTheSchema) {
  const auto document =
      occupancy_document(report_on({"gtx1080", "gt240"}, {{16, 16}, {2, 2}, 40, 4096, {}}));
  EXPECT_EQ(document.at("schema"), "tilewise/occupancy/v1");
  EXPECT_EQ(document.at("block"), (std::vector{16, 16}));
  EXPECT_EQ(document.at("results"), (std::vector{2, 2}));
  EXPECT_EQ(document.at("launch").at("registers_per_thread"), 40);
  ASSERT_EQ(document.at("gpus").size(), 2u);
  const nlohmann::ordered_json expected = {
      {"gpu", "gtx1080"},
      {"warps_per_block", 8},
      {"registers_per_block", 10240},
      {"shared_bytes_per_block", 4096},
      {"limit_by_warps", 8},
      {"limit_by_blocks", 32},
      {"limit_by_registers", 6},
      {"limit_by_shared", 24},
      {"active_blocks", 6},
      {"active_warps", 48},
      {"active_threads", 1536},
      {"percent", 75.0},
      {"limited_by", {"registers"}},
      {"cannot_run", ""},
      {"one_block_more",
       {{"threads_per_block", 256},
        {"registers_per_thread", 32},
        {"shared_bytes_per_block", 4096},
        {"blocks", nullptr}}},
      {"saturation",
       {{"n", 321}, {"blocks_along_x", 11}, {"blocks_along_y", 11}, {"blocks_wanted", 120}}}};
  EXPECT_EQ(document["gpus"][0], expected);
}

TEST(OccupancyDocument, HasNullForWhatIsNotKnownOrHasNoLimit) {
  const auto document = occupancy_document(report_on({"gtx1080", "gt240"}, {{32, 32}}));
  EXPECT_TRUE(document.at("launch").at("registers_per_thread").is_null());
  const auto& gtx1080 = document.at("gpus")[0];
  for (const char* name : {"registers_per_block", "limit_by_registers", "limit_by_shared"}) {
    EXPECT_TRUE(gtx1080.at(name).is_null()) << name;
  }
  const auto& gt240 = document.at("gpus")[1];
  EXPECT_THAT(gt240.at("cannot_run").get<std::string>(), HasSubstr("takes 1 to 512"));
  EXPECT_TRUE(gt240.at("saturation").is_null());
  EXPECT_TRUE(gt240.at("one_block_more").is_null());
}

}  // namespace
}  // namespace tilewise::grading
