#include "grading/labreport/lab_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/gpu/capability.hpp"
#include "common/model/kernel_metrics.hpp"
#include "common/model/matmul_counts.hpp"
#include "common/model/occupancy.hpp"
#include "grading/page/render.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/results/printable.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Reads the heading and the first paragraph of a page in Markdown.
void read_handout(const fs::path& file, StageNotes& notes) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  for (std::string line; std::getline(stream, line) && notes.purpose.empty();) {
    if (line.starts_with("# ")) {
      notes.title = line.substr(2);
    } else if (!line.empty()) {
      notes.purpose = line;
    }
  }
  std::erase(notes.purpose, '`');
  if (notes.title.empty() || notes.purpose.empty()) {
    throw std::runtime_error(file.string() + " has no heading with a paragraph below");
  }
}

bool computes_in_doubles(const ContractInfo& function) {
  return std::ranges::any_of(function.parameters, [](const ParameterInfo& parameter) {
    return parameter.element_bytes == sizeof(double);
  });
}

/// The order from which a grid fills the GPU, as published and with as many blocks on an SM as the
/// report's kernel has, for each block shape that the report has.
Json saturation_of(const StageNotes& notes, const BenchReport& report) {
  Json found = Json::array();
  for (const SaturatingOrder& order : notes.saturating_orders) {
    const auto row = std::ranges::find_if(report.rows, [&](const BenchRow& row) {
      return row.stage == notes.id && row.block == order.block && row.occupancy &&
             row.occupancy->active_blocks > 0;
    });
    if (row == report.rows.end()) continue;
    const int active = std::min({row->occupancy->by_warps, row->occupancy->by_blocks,
                                 row->occupancy->by_registers, row->occupancy->by_shared});
    found.push_back({{"block", order.block},
                     {"active_blocks", active},
                     {"order", model::saturating_order(order.tiling, report.gpu, active)},
                     {"published", order.published}});
  }
  return found;
}

std::vector<std::string> in_language(std::vector<std::string> texts) {
  for (std::string& text : texts) text = core::in_language(text);
  return texts;
}

Json document_of(const StageNotes& notes, const BenchReport& report) {
  Json doubles = Json::array();
  for (const ContractInfo& function : contracts_of(notes.id)) {
    if (computes_in_doubles(function)) doubles.push_back(function.function);
  }
  Json predictions = Json::array();
  for (const KeptPrediction& each : notes.predictions) {
    predictions.push_back({{"call", each.call},
                           {"figure", each.figure},
                           {"predicted", each.predicted},
                           {"counted", each.counted},
                           {"of_solution", each.of_solution}});
  }
  return {{"id", notes.id},
          {"title", notes.title},
          {"purpose", notes.purpose},
          {"accesses", in_language(notes.accesses)},
          {"questions", in_language(notes.questions)},
          {"saturation", saturation_of(notes, report)},
          {"doubles", std::move(doubles)},
          {"predictions", std::move(predictions)}};
}

void demand_plain(const std::string& name) {
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (name.empty() || name.find_first_not_of(allowed) != name.npos) {
    throw std::invalid_argument(printable(name) + " is no name for a chart's file");
  }
}

}  // namespace

nlohmann::ordered_json gpu_document(const core::GpuProfile& gpu) {
  // These limits hold for every GPU so far: Programming Guide, "Technical Specifications per
  // Compute Capability".
  constexpr int constant_bytes = 65536, most_threads_z = 64, most_blocks_y = 65535;
  const core::Capability& capability = core::capability_of(gpu);
  return {{"name", gpu.name},
          {"compute", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
          {"sms", gpu.sms},
          {"fp32_lanes_per_sm", gpu.fp32_lanes_per_sm},
          {"clock_mhz", gpu.clock_mhz},
          {"peak_fp32_gflops", gpu.peak_fp32_gflops()},
          {"peak_fp64_gflops", 2.0 * gpu.sms * gpu.fp64_lanes_per_sm * gpu.clock_mhz * 1e-3},
          {"dram_gb_s", gpu.dram_gb_s},
          {"shared_gb_s", model::shared_gb_s(gpu)},
          {"l2_bytes", gpu.l2_bytes},
          {"threads_per_sm", gpu.threads_per_sm},
          {"warps_per_sm", gpu.warps_per_sm},
          {"blocks_per_sm", gpu.blocks_per_sm},
          {"registers_per_sm", gpu.registers_per_sm},
          {"shared_bytes_per_sm", gpu.shared_bytes_per_sm},
          {"shared_bytes_per_block", gpu.shared_bytes_per_block},
          {"threads_per_block", gpu.threads_per_block},
          {"banks", gpu.banks},
          {"memory", gpu.memory},
          {"memory_mhz", gpu.memory_mhz},
          {"graphics_mhz", gpu.graphics_mhz},
          {"memory_bytes", gpu.memory_bytes},
          {"constant_bytes", constant_bytes},
          {"threads_per_warp", model::threads_per_warp},
          {"most_threads", {gpu.threads_per_block, gpu.threads_per_block, most_threads_z}},
          {"most_blocks", {capability.most_blocks_x, most_blocks_y, capability.most_blocks_z}}};
}

std::vector<StageNotes> read_stage_notes(const fs::path& root,
                                         const std::vector<StageInfo>& stages) {
  std::vector<StageNotes> all;
  for (const StageInfo& stage : stages) {
    const nlohmann::json file = read_stage_file(root, stage.id);
    try {
      const nlohmann::json& report = file.at("report");
      all.push_back({stage.id, "", "", report.at("accesses"), report.at("questions"), {}, {}});
      for (const nlohmann::json& order :
           report.value("saturating_orders", nlohmann::json::array())) {
        all.back().saturating_orders.push_back({order.at("block"),
                                                {order.at("tile"), order.at("rx"), order.at("ry")},
                                                order.at("published")});
      }
    } catch (const nlohmann::json::exception& error) {
      throw std::runtime_error(stage_file(root, stage.id).string() + ": report: " + error.what());
    }
    read_handout(core::text_in_language(root / "labs" / stage.id / "README.md"), all.back());
  }
  return all;
}

namespace {

/// The rows that reports and charts are drawn from; kernels that run beside a stage's own appear
/// only in the table.
nlohmann::ordered_json drawn_rows(BenchReport report) {
  std::erase_if(report.rows,
                [](const BenchRow& row) { return row.contender.kind == Contender::Kind::beside; });
  for (BenchRow& row : report.rows) row.limiter = core::in_language(row.limiter);
  return bench_document(report);
}

}  // namespace

namespace {

/// Splits "matmul_shared(n=1024, tile=32)" into the function and each argument.
std::vector<std::string> parts_of(const std::string& call) {
  const std::size_t open = call.find('(');
  std::vector<std::string> parts = {call.substr(0, open)};
  std::istringstream arguments(call.substr(open + 1, call.size() - open - 2));
  for (std::string argument; std::getline(arguments >> std::ws, argument, ',');) {
    parts.push_back(argument);
  }
  return parts;
}

/// The parts that calls have in common, as a title, and the parts that each has of its own. The
/// title of a single call is the whole call.
struct CallNames {
  std::string title;
  std::vector<std::string> own;
};

CallNames names_of(const std::vector<ProfileReport>& reports) {
  if (reports.size() == 1) return {reports.front().call, {parts_of(reports.front().call).front()}};
  std::vector<std::vector<std::string>> calls;
  for (const ProfileReport& report : reports) calls.push_back(parts_of(report.call));
  const auto is_common = [&](const std::string& part) {
    return std::ranges::all_of(
        calls, [&](const auto& call) { return std::ranges::find(call, part) != call.end(); });
  };
  std::vector<std::string> common;
  std::ranges::copy_if(calls.front(), std::back_inserter(common), is_common);
  CallNames names{fmt::format("{}", fmt::join(common, ", ")), {}};
  for (auto& call : calls) {
    std::erase_if(call, [&](const std::string& part) {
      return std::ranges::find(common, part) != common.end();
    });
    names.own.push_back(fmt::format("{}", fmt::join(call, ", ")));
  }
  return names;
}

/// The point of a call below the roofs.
Json roof_point_of(const ProfileReport& report, const std::string& name) {
  if (report.operations == 0) {
    throw CannotDraw(
        tr("{} only moves elements; a roofline is of calls that compute something", report.call));
  }
  const auto metrics = metrics_of_call(report);
  const auto time = modelled_call(report);
  if (!metrics || !time) {
    throw CannotDraw(
        tr("{} has no modelled time, so there is no place for it below the roofs; leave out "
           "--exhaustive, or choose a larger order",
           report.call));
  }
  const auto intensity = [&](double bytes) {
    return bytes > 0 ? Json(report.operations / bytes) : Json(nullptr);
  };
  return {{"name", name},
          {"gflops", time->gflops},
          {"dram", intensity(metrics->dram_read_bytes + metrics->dram_write_bytes)},
          {"shared", intensity(metrics->shared_bytes_moved)}};
}

}  // namespace

std::string roofline_of(const std::vector<ProfileReport>& reports) {
  const ProfileReport& first = reports.front();
  const Json gpu = gpu_document(first.gpu);
  const Json& peak = gpu.at(first.double_precision ? "peak_fp64_gflops" : "peak_fp32_gflops");
  if (peak == 0) {
    throw CannotDraw(tr("nobody tells the peak of double precision of {}", first.gpu.name));
  }
  Json points = Json::array();
  const CallNames names = names_of(reports);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    points.push_back(roof_point_of(reports[i], names.own[i]));
  }
  return render("roofline",
                {{"title", tr("{}: roofline, {} (modelled)", names.title, first.gpu.id)},
                 {"roofs",
                  {{"gpu", first.gpu.name},
                   {"peak_gflops", peak},
                   {"dram_gb_s", gpu.at("dram_gb_s")},
                   {"shared_gb_s", gpu.at("shared_gb_s")}}},
                 {"points", std::move(points)}});
}

std::string lab_report_page(const BenchReport& report, const std::vector<StageNotes>& stages) {
  Json notes = Json::array();
  for (const StageNotes& stage : stages) notes.push_back(document_of(stage, report));
  return render("report", {{"bench", drawn_rows(report)},
                           {"gpu", gpu_document(report.gpu)},
                           {"stages", std::move(notes)}});
}

std::vector<NamedChart> charts_of(const BenchReport& report) {
  std::vector<NamedChart> charts;
  for (const Json& chart : Json::parse(
           render("charts", {{"bench", drawn_rows(report)}, {"gpu", gpu_document(report.gpu)}}))) {
    charts.push_back({chart.at(0), chart.at(1)});
  }
  return charts;
}

void write_charts(const fs::path& folder, const BenchReport& report) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(
        tr("cannot make the folder {}: {}", printable(folder.string()), error.message()));
  }
  for (const auto& [name, svg] : charts_of(report)) {
    demand_plain(name);
    const fs::path file = folder / (name + ".svg");
    std::ofstream stream(file, std::ios::binary);
    stream << svg << std::flush;
    if (!stream) {
      throw std::runtime_error(
          tr("cannot write {}: {}", printable(file.string()), std::strerror(errno)));
    }
  }
}

}  // namespace tilewise::grading
