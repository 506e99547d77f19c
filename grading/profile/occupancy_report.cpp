#include "grading/profile/occupancy_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "common/model/occupancy.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/numbers.hpp"

namespace tilewise::grading {
namespace {

model::LaunchNeeds needs_of(const OccupancyQuestion& question) {
  return {question.block[0] * question.block[1], question.registers_per_thread,
          question.shared_bytes_per_block, question.blocks};
}

Saturation saturation_of(const OccupancyQuestion& question, const core::GpuProfile& gpu) {
  // The order is to make the grid large enough, so the limit by a small grid does not count.
  model::LaunchNeeds launch = needs_of(question);
  launch.blocks.reset();
  const int resident = model::occupancy(gpu, launch).active_blocks;
  // model::Tiling describes square blocks only. The grid does not depend on how a block's columns
  // and rows are divided among threads: one thread with all of them makes the same grid.
  const model::Tiling whole_block{1, question.block[0] * question.results[0],
                                  question.block[1] * question.results[1]};
  const std::uint64_t n = model::saturating_order(whole_block, gpu, resident);
  return {n, model::blocks_along_x(whole_block, n), model::blocks_along_y(whole_block, n),
          std::uint64_t(gpu.sms) * resident};
}

}  // namespace

OccupancyReport occupancy_report(const OccupancyQuestion& question,
                                 const std::vector<core::GpuProfile>& gpus) {
  OccupancyReport report{question, needs_of(question), {}};
  for (const core::GpuProfile& gpu : gpus) {
    OccupancyOnGpu& answer = report.gpus.emplace_back();
    answer.gpu = gpu;
    answer.occupancy = model::occupancy(gpu, report.launch);
    if (!answer.occupancy.cannot_run.empty()) continue;
    answer.one_block_more = model::for_one_block_more(gpu, report.launch);
    answer.saturation = saturation_of(question, gpu);
  }
  return report;
}

namespace {

using Json = nlohmann::ordered_json;

Json limit(int blocks) { return blocks == model::unlimited ? Json() : Json(blocks); }

Json launch_document(const model::LaunchNeeds& launch) {
  const int registers = launch.registers_per_thread;
  return {{"threads_per_block", launch.threads_per_block},
          {"registers_per_thread", registers == 0 ? Json() : Json(registers)},
          {"shared_bytes_per_block", launch.shared_bytes_per_block},
          {"blocks", launch.blocks ? Json(*launch.blocks) : Json()}};
}

Json gpu_document(const OccupancyOnGpu& answer, bool registers_known) {
  const model::Occupancy& occupancy = answer.occupancy;
  Json document = {
      {"gpu", answer.gpu.id},
      {"warps_per_block", occupancy.warps_per_block},
      {"registers_per_block", registers_known ? Json(occupancy.registers_per_block) : Json()},
      {"shared_bytes_per_block", occupancy.shared_bytes_per_block},
      {"limit_by_warps", limit(occupancy.limit_by_warps)},
      {"limit_by_blocks", limit(occupancy.limit_by_blocks)},
      {"limit_by_registers", limit(occupancy.limit_by_registers)},
      {"limit_by_shared", limit(occupancy.limit_by_shared)},
      {"active_blocks", occupancy.active_blocks},
      {"active_warps", occupancy.active_warps},
      {"active_threads", occupancy.active_threads},
      {"percent", occupancy.percent},
      {"limited_by", occupancy.limited_by},
      {"cannot_run", occupancy.cannot_run}};
  document["one_block_more"] =
      answer.one_block_more ? launch_document(*answer.one_block_more) : Json();
  document["saturation"] = nullptr;
  if (const auto& saturation = answer.saturation) {
    document["saturation"] = {{"n", saturation->n},
                              {"blocks_along_x", saturation->blocks_along_x},
                              {"blocks_along_y", saturation->blocks_along_y},
                              {"blocks_wanted", saturation->blocks_wanted}};
  }
  return document;
}

}  // namespace

Json occupancy_document(const OccupancyReport& report) {
  Json gpus = Json::array();
  for (const OccupancyOnGpu& answer : report.gpus) {
    gpus.push_back(gpu_document(answer, report.launch.registers_per_thread != 0));
  }
  return {{"schema", "tilewise/occupancy/v1"},
          {"block", report.question.block},
          {"results", report.question.results},
          {"launch", launch_document(report.launch)},
          {"gpus", gpus}};
}

namespace {

constexpr int threads_per_warp = 32;

std::string sides(const std::array<int, 2>& extent) {
  return fmt::format("{}x{}", extent[0], extent[1]);
}

std::string in_blocks(std::uint64_t number) {
  return number == 1 ? tr("1 block") : tr("{} blocks", with_commas(number));
}

std::string in_threads(std::uint64_t number) {
  return number == 1 ? tr("1 thread") : tr("{} threads", with_commas(number));
}

std::string in_bytes(std::uint64_t number) {
  return number == 1 ? tr("1 byte") : tr("{} bytes", with_commas(number));
}

std::string in_registers(std::uint64_t number) {
  return number == 1 ? tr("1 register") : tr("{} registers", with_commas(number));
}

/// The labels at the left, in the user's language.
struct Labels {
  std::string active = tr("active on an SM");
  std::string occupancy = tr("occupancy");
  std::string one_more = tr("one block more");
  std::string fills = tr("fills the GPU");
  std::size_t width = std::max({std::size_t{17}, active.size(), occupancy.size(), one_more.size(),
                                fills.size(), core::in_language("shared memory").size(),
                                core::in_language("the grid's size").size()});

  /// Returns the indentation of continued lines.
  std::string indent() const { return std::string(2 + width, ' '); }
};

/// Formats 6.25 as "6.25%" and 28.125 as "28.12%".
std::string percent(double value) { return fmt::format("{:.4g}%", value); }

bool registers_known(const OccupancyReport& report) {
  return report.launch.registers_per_thread != 0;
}

/// The table's row for a resource of an SM: what a block asks for, what it gets, what the SM has,
/// and the number of blocks that fit.
struct Row {
  const char* resource;  ///< named as in Occupancy::limited_by
  std::string asked, taken, of_sm, blocks;
};

std::vector<Row> rows_of(const OccupancyReport& report, const OccupancyOnGpu& answer) {
  const model::LaunchNeeds& launch = report.launch;
  const model::Occupancy& occupancy = answer.occupancy;
  const core::GpuProfile& gpu = answer.gpu;
  const auto blocks = [](int limit) {
    return limit == model::unlimited ? tr("any") : with_commas(limit);
  };
  std::vector<Row> rows = {
      {marked("blocks"), "", "1", with_commas(gpu.blocks_per_sm),
       blocks(occupancy.limit_by_blocks)},
      {marked("warps"), in_threads(launch.threads_per_block),
       with_commas(occupancy.warps_per_block), with_commas(gpu.warps_per_sm),
       blocks(occupancy.limit_by_warps)},
  };
  if (registers_known(report)) {
    rows.push_back({marked("registers"), tr("{} a thread", launch.registers_per_thread),
                    with_commas(occupancy.registers_per_block), with_commas(gpu.registers_per_sm),
                    blocks(occupancy.limit_by_registers)});
  } else {
    rows.push_back({"registers", tr("not known"), "-", with_commas(gpu.registers_per_sm), "-"});
  }
  rows.push_back({marked("shared memory"), in_bytes(launch.shared_bytes_per_block),
                  with_commas(occupancy.shared_bytes_per_block),
                  with_commas(gpu.shared_bytes_per_sm), blocks(occupancy.limit_by_shared)});
  if (launch.blocks) {
    const std::uint64_t of_each_sm = (*launch.blocks + gpu.sms - 1) / gpu.sms;
    rows.push_back({marked("the grid's size"), "", "", tr("{} in all", in_blocks(*launch.blocks)),
                    with_commas(of_each_sm)});
  }
  return rows;
}

std::string resources(const OccupancyReport& report, const OccupancyOnGpu& answer) {
  const std::size_t width = Labels().width;
  std::string text =
      fmt::format("  {:<{}}{:>16}{:>10}{:>20}{:>17}\n", "", width, tr("a block asks for"),
                  tr("takes"), tr("of an SM's"), tr("blocks that fit"));
  for (const Row& row : rows_of(report, answer)) {
    const auto& limits = answer.occupancy.limited_by;
    const bool is_limit = std::ranges::find(limits, row.resource) != limits.end();
    text +=
        fmt::format("  {:<{}}{:>16}{:>10}{:>20}{:>17}{}\n", core::in_language(row.resource), width,
                    row.asked, row.taken, row.of_sm, row.blocks, is_limit ? tr("  <- limit") : "");
  }
  return text;
}

/// Says what to change so that one more block fits. Several changes must all be made.
std::string advice(const OccupancyReport& report, const OccupancyOnGpu& answer,
                   const std::string& indent) {
  const model::LaunchNeeds& now = report.launch;
  const core::GpuProfile& gpu = answer.gpu;
  if (answer.occupancy.active_warps == gpu.warps_per_sm) {
    return tr("not needed: every warp of the SM is in use");
  }
  if (!answer.one_block_more) {
    const int warps = (gpu.warps_per_sm + gpu.blocks_per_sm - 1) / gpu.blocks_per_sm;
    return tr(
        "none: an SM holds at most {}, of any size; they use all its\n"
        "{}warps only with more than {} each",
        in_blocks(gpu.blocks_per_sm), indent, in_threads((warps - 1) * threads_per_warp));
  }
  const model::LaunchNeeds& then = *answer.one_block_more;
  std::vector<std::string> changes;
  if (then.threads_per_block < now.threads_per_block) {
    changes.push_back(tr("at most {} a block", in_threads(then.threads_per_block)));
  }
  if (then.registers_per_thread < now.registers_per_thread) {
    changes.push_back(tr("at most {} a thread: __launch_bounds__({}, {}) on the kernel",
                         in_registers(then.registers_per_thread), then.threads_per_block,
                         answer.occupancy.active_blocks + 1));
  }
  if (then.shared_bytes_per_block < now.shared_bytes_per_block) {
    changes.push_back(
        tr("at most {} of shared memory a block", in_bytes(then.shared_bytes_per_block)));
  }
  if (then.blocks != now.blocks) {
    changes.push_back(tr("a grid of at least {}", in_blocks(*then.blocks)));
  }
  return tr("with {}", fmt::join(changes, fmt::format(",\n{}{} ", indent, tr("and"))));
}

std::string saturation_line(const OccupancyReport& report, const OccupancyOnGpu& answer,
                            const std::string& indent) {
  const Saturation& saturation = *answer.saturation;
  const auto& block = report.question.block;
  const auto& results = report.question.results;
  return tr(
      "from n = {} on: {} x {} blocks are at least {} SMs x {}.\n"
      "{}This holds where each block has {} x {} (x, y) results of its own.\n",
      with_commas(saturation.n), with_commas(saturation.blocks_along_x),
      with_commas(saturation.blocks_along_y), answer.gpu.sms,
      saturation.blocks_wanted / answer.gpu.sms, indent, block[0] * results[0],
      block[1] * results[1]);
}

std::string notes(const OccupancyReport& report, const core::GpuProfile& gpu) {
  std::string text;
  if (!registers_known(report)) {
    text +=
        tr("  registers not known: nvcc -Xptxas -v prints them; --registers R takes them in. "
           "Until\n"
           "  then this is the most that the launch can reach.\n");
  }
  const int threads = report.launch.threads_per_block;
  if (threads % threads_per_warp != 0) {
    const int idle = threads_per_warp - threads % threads_per_warp;
    text += idle == 1 ? tr("  the last of a block's warps has 1 idle lane.\n")
                      : tr("  the last of a block's warps has {} idle lanes.\n", idle);
  }
  const std::size_t without_asking = gpu.default_shared_bytes_per_block();
  if (report.launch.shared_bytes_per_block > without_asking) {
    text +=
        tr("  more than {} bytes of shared memory must be dynamic, and asked for: "
           "cudaFuncSetAttribute\n"
           "  with cudaFuncAttributeMaxDynamicSharedMemorySize.\n",
           with_commas(without_asking));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string at_most(const OccupancyReport& report) {
  return registers_known(report) ? "" : tr("at most ");
}

std::string whole_table(const OccupancyReport& report, const OccupancyOnGpu& answer) {
  const model::Occupancy& occupancy = answer.occupancy;
  if (!occupancy.cannot_run.empty()) return tr("  cannot run: {}\n", occupancy.cannot_run);
  const Labels labels;
  const core::GpuProfile& gpu = answer.gpu;
  return "\n" + resources(report, answer) +
         fmt::format("\n  {:<{}}{}\n", labels.active, labels.width,
                     tr("{}, {} of {} warps, {} of {} threads", in_blocks(occupancy.active_blocks),
                        occupancy.active_warps, gpu.warps_per_sm,
                        with_commas(occupancy.active_threads), with_commas(gpu.threads_per_sm))) +
         fmt::format("  {:<{}}{}\n", labels.occupancy, labels.width,
                     tr("{}{}, limited by {}", at_most(report), percent(occupancy.percent),
                        limiter_in_words(occupancy))) +
         fmt::format("  {:<{}}{}\n", labels.one_more, labels.width,
                     advice(report, answer, labels.indent())) +
         fmt::format("  {:<{}}{}", labels.fills, labels.width,
                     saturation_line(report, answer, labels.indent())) +
         notes(report, gpu);
}

std::string comparison(const OccupancyReport& report) {
  std::string text =
      fmt::format("\n  {:<10}{:>8}{:>7}{:>9}{:>11}{:>18}  {}\n", "GPU", core::in_language("blocks"),
                  core::in_language("warps"), tr("threads"), tr("occupancy"), tr("fills it from n"),
                  tr("limited by"));
  for (const OccupancyOnGpu& answer : report.gpus) {
    const model::Occupancy& occupancy = answer.occupancy;
    if (!occupancy.cannot_run.empty()) {
      text += tr("  {:<10}cannot run: {}\n", answer.gpu.id, occupancy.cannot_run);
      continue;
    }
    text += fmt::format("  {:<10}{:>8}{:>7}{:>9}{:>11}{:>18}  {}\n", answer.gpu.id,
                        occupancy.active_blocks, occupancy.active_warps,
                        with_commas(occupancy.active_threads), percent(occupancy.percent),
                        with_commas(answer.saturation->n), limiter_in_words(occupancy));
  }
  return text +
         (registers_known(report)
              ? tr("\n  blocks, warps and threads are those active on an SM.\n")
              : tr("\n  blocks, warps and threads are those active on an SM; registers not known, "
                   "so at most.\n"));
}

}  // namespace

std::string occupancy_table(const OccupancyReport& report) {
  const bool one = report.gpus.size() == 1;
  const std::string block = sides(report.question.block), results = sides(report.question.results);
  const std::string gpus = one ? report.gpus.front().gpu.name : tr("{} GPUs", report.gpus.size());
  const std::string heading =
      report.question.results == std::array{1, 1}
          ? tr("A block of {} threads on {}, in theory\n", block, gpus)
          : tr("A block of {} threads, {} results a thread, on {}, in theory\n", block, results,
               gpus);
  return heading + (one ? whole_table(report, report.gpus.front()) : comparison(report));
}

}  // namespace tilewise::grading
