#include "grading/profile/profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/base/json.hpp"
#include "common/base/language.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/printable.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

// Students name their kernels, so bytes that are not UTF-8 in a name are replaced.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompiledKernel, name, static_shared_bytes, registers_per_thread,
                                   local_bytes_per_thread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompiledKernels, submission, reference)

void write_compiled_kernels(const std::filesystem::path& file, const CompiledKernels& kernels) {
  std::ofstream stream(file);
  stream << core::json_text(nlohmann::json(kernels));
  if (!stream.flush()) throw std::runtime_error(tr("cannot write {}", file.string()));
}

CompiledKernels read_compiled_kernels(const std::filesystem::path& file) {
  try {
    std::ifstream stream(file);
    return nlohmann::json::parse(stream).get<CompiledKernels>();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is no list of compiled kernels: {}", file.string(), error.what()));
  }
}

namespace {

using Json = nlohmann::ordered_json;

Json counters_of(const simt::Counters& counters) {
  Json document;
  for (const NamedCounter& counter : all_counters) {
    document[counter.name] = counters.*counter.value;
  }
  document["global_load_efficiency_pct"] = efficiency_pct(counters, global_loads);
  document["global_store_efficiency_pct"] = efficiency_pct(counters, global_stores);
  return document;
}

/// Returns null for a value that is not known.
Json known(double value, bool is_known) { return is_known ? Json(value) : Json(nullptr); }

Json modelled_document(const KernelProfile& kernel, const ProfileReport& report) {
  const Registers registers = registers_of(kernel, report);
  const model::Occupancy occupancy = occupancy_of(kernel, report.gpu, registers.per_thread);
  const auto time = modelled_time(kernel, report);
  Json document = {{"ms", known(time ? time->ms : 0, time.has_value())},
                   {"gflops", known(time ? time->gflops : 0, time && time->gflops > 0)},
                   {"gb_s", known(time ? time->gb_s : 0, time.has_value())},
                   {"limiter", time ? Json(time->limiter) : Json(nullptr)},
                   {"occupancy_pct", occupancy.percent},
                   {"occupancy_limiter", limiter_of(occupancy)},
                   {"registers_per_thread", registers.per_thread},
                   {"registers_from", registers.from_nvcc ? "nvcc" : "estimate"},
                   {"spilled_words_per_thread", work_of(kernel, report).spilled_words}};
  if (!time) return document;
  Json parts = Json::array();
  for (const model::TimePart& part : time->parts) {
    parts.push_back({{"name", part.name}, {"ms", part.ms}});
  }
  document["parts"] = parts;
  return document;
}

/// Returns the metrics by name, or null if there is no modelled time.
Json metrics_document(const std::optional<model::KernelMetrics>& metrics) {
  if (!metrics) return nullptr;
  Json document;
  for (const model::NamedMetric& metric : model::all_metrics) {
    document[metric.name] = {{"value", *metrics.*metric.value},
                             {"unit", metric.unit},
                             {"from", metric.known},
                             {"nsight_compute", metric.nsight_compute}};
  }
  return document;
}

Json kernel_document(const KernelProfile& kernel, const ProfileReport& report) {
  Json lines = Json::array();
  for (const simt::LineCounters& line : kernel.lines) {
    lines.push_back(
        {{"file", line.file}, {"line", line.line}, {"counters", counters_of(line.counters)}});
  }
  Json document = {{"name", kernel.launch.kernel},
                   {"grid", kernel.launch.grid},
                   {"block", kernel.launch.block},
                   {"shared_bytes", shared_bytes(kernel, report.gpu)},
                   {"blocks", kernel.blocks},
                   {"simulated_blocks", kernel.simulated_blocks},
                   {"counters", counters_of(kernel.counters)},
                   {"lines", lines}};
  if (!kernel.partition_bytes.empty()) document["partition_bytes"] = kernel.partition_bytes;
  document["modelled"] = modelled_document(kernel, report);
  document["metrics"] = metrics_document(metrics_of(kernel, report));
  const int registers = registers_of(kernel, report).per_thread;
  if (const auto spread = spread_over_partitions(kernel, report.gpu, registers)) {
    document["modelled"]["partitions_busy"] = {{"blocks_at_a_time", spread->blocks_at_a_time},
                                               {"loads", spread->loads.busy},
                                               {"stores", spread->stores.busy}};
  }
  return document;
}

}  // namespace

Json profile_document(const ProfileReport& report) {
  Json kernels = Json::array();
  for (const KernelProfile& kernel : report.kernels) {
    kernels.push_back(kernel_document(kernel, report));
  }
  Json document = {{"schema", "tilewise/profile/v1"}, {"gpu", report.gpu.id},
                   {"stage", report.stage},           {"call", report.call},
                   {"launches", report.launches},     {"kernels", kernels}};
  if (const auto call = modelled_call(report)) {
    document["modelled"] = {{"ms", call->ms},
                            {"gflops", known(call->gflops, call->gflops > 0)},
                            {"gb_s", call->gb_s},
                            {"gips", call->gips},
                            {"limiter", call->limiter}};
  }
  return document;
}

namespace {

/// Formats a count in at most seven characters: exactly if it fits, otherwise as "12.3M".
std::string in_short(std::uint64_t number) {
  constexpr std::uint64_t fits = 10'000'000;
  if (number < fits) return std::to_string(number);
  double rest = static_cast<double>(number) / 1e6;
  for (const char* unit : {"M", "G", "T"}) {
    if (rest < 1000) return fmt::format("{:.1f}{}", rest, unit);
    rest /= 1000;
  }
  return fmt::format("{:.0f}P", rest);
}

std::string extent(const std::array<unsigned, 3>& sides) {
  std::string text = fmt::format("{}x{}", sides[0], sides[1]);
  if (sides[2] != 1) text += fmt::format("x{}", sides[2]);
  return text;
}

std::string heading(const KernelProfile& kernel, const core::GpuProfile& gpu) {
  return tr("{}  grid {}, block {}, {} bytes of shared memory a block\n",
            printable(kernel.launch.kernel), extent(kernel.launch.grid),
            extent(kernel.launch.block), with_commas(shared_bytes(kernel, gpu)));
}

std::string extent_of_simulation(const KernelProfile& kernel) {
  if (kernel.simulated_blocks >= kernel.blocks) return tr("  counted in every block\n");
  return tr("  counted in {} of {} blocks, which stand for the others\n",
            with_commas(kernel.simulated_blocks), with_commas(kernel.blocks));
}

std::string occupancy_line(const KernelProfile& kernel, const ProfileReport& report) {
  const Registers registers = registers_of(kernel, report);
  const model::Occupancy occupancy = occupancy_of(kernel, report.gpu, registers.per_thread);
  if (!occupancy.cannot_run.empty()) {
    return tr("  cannot run there: {}\n", occupancy.cannot_run);
  }
  const double spilled = work_of(kernel, report).spilled_words;
  return tr("  occupancy {:.0f}% (modelled; {} registers a thread, {}{}), limited by {}\n",
            occupancy.percent, registers.per_thread,
            registers.from_nvcc ? tr("from nvcc") : tr("estimated"),
            spilled > 0 ? tr("; {:.0f} words of each step spilled", spilled) : "",
            limiter_in_words(occupancy));
}

std::string rate_in_words(double gflops, double gb_s) {
  return gflops > 0 ? fmt::format("{:.0f} GFLOPS", gflops) : fmt::format("{:.0f} GB/s", gb_s);
}

std::string time_line(const KernelProfile& kernel, const ProfileReport& report) {
  const auto time = modelled_time(kernel, report);
  if (!time && kernel.simulated_blocks == kernel.blocks && !has_footprint(kernel)) {
    return tr(
        "  time not modelled: every block was counted, and none compared with its neighbours; "
        "leave --exhaustive out\n");
  }
  if (!time) return "";
  return tr("  time {:.4g} ms, {} (modelled), limited by: {}\n", time->ms,
            rate_in_words(time->gflops, time->gb_s), core::in_language(time->limiter));
}

/// Returns a line for each metric that is not 0, or nothing if there is no modelled time.
std::string metrics_table(const KernelProfile& kernel, const ProfileReport& report) {
  const auto metrics = metrics_of(kernel, report);
  if (!metrics) return "";
  std::string text = fmt::format("\n  {:<28}{:>16}  {:<12}{}\n", tr("metric, as nvprof names it"),
                                 "", "", tr("and Nsight Compute"));
  for (const model::NamedMetric& metric : model::all_metrics) {
    const double value = *metrics.*metric.value;
    if (value == 0) continue;
    const bool is_share = metric.unit == std::string_view("%");
    text += fmt::format("  {:<28}{:>16}  {:<12}{}\n", metric.name,
                        is_share ? fmt::format("{:.1f}%", value) : significant(value), metric.known,
                        metric.nsight_compute);
  }
  return text;
}

/// Returns a line for all kernels together, if there are several.
std::string call_line(const ProfileReport& report) {
  if (report.launches < 2) return "";
  const auto call = modelled_call(report);
  if (!call) return "";
  return tr("\nall {} kernels: {:.4g} ms, {} (modelled), limited by: {}\n", report.launches,
            call->ms, rate_in_words(call->gflops, call->gb_s), core::in_language(call->limiter));
}

/// Returns an empty text if nothing is known about partitions.
std::string partitions_line(const KernelProfile& kernel, const ProfileReport& report) {
  const auto spread =
      spread_over_partitions(kernel, report.gpu, registers_of(kernel, report).per_thread);
  if (!spread) return "";
  return tr(
      "  of {} DRAM partitions, {} blocks at a time keep {:.1f} busy with loads, {:.1f} with "
      "stores (modelled)\n",
      simt::dram_partitions, with_commas(spread->blocks_at_a_time), spread->loads.busy,
      spread->stores.busy);
}

/// Returns the line for a kind of access, with the sectors or wavefronts per request; empty if
/// there were no requests.
std::string total(std::string_view name, std::uint64_t requests, std::uint64_t served) {
  if (requests == 0) return "";
  return fmt::format("  {:<16}{:>18}{:>18}{:>9.1f}", name, with_commas(requests),
                     with_commas(served),
                     static_cast<double>(served) / static_cast<double>(requests));
}

std::string global_total(const simt::Counters& counters, const AccessKind& kind) {
  const std::string text =
      total(fmt::format("global {}", kind.name), counters.*kind.requests, counters.*kind.sectors);
  return text.empty() ? "" : text + fmt::format("{:>9.1f}%\n", efficiency_pct(counters, kind));
}

std::string shared_total(const char* name, std::uint64_t requests, std::uint64_t wavefronts) {
  const std::string text = total(name, requests, wavefronts);
  return text.empty() ? "" : text + "\n";
}

std::string shared_totals(const simt::Counters& counters) {
  const std::string rows =
      shared_total("shared loads", counters.shared_load_requests, counters.shared_load_wavefronts) +
      shared_total("  once merged", counters.shared_load_requests_merged,
                   counters.shared_load_wavefronts_merged) +
      shared_total("shared stores", counters.shared_store_requests,
                   counters.shared_store_wavefronts) +
      shared_total("shared atomics", counters.shared_atomic_requests,
                   counters.shared_atomic_wavefronts);
  if (rows.empty()) return "";
  return fmt::format("  {:<16}{:>18}{:>18}{:>9}\n", "", "requests", "wavefronts", "each") + rows +
         fmt::format("  {:<16}{:>18}\n", "bank conflicts",
                     with_commas(counters.shared_bank_conflicts));
}

std::string totals(const simt::Counters& counters) {
  std::string text = fmt::format("\n  {:<16}{:>18}{:>18}{:>9}{:>10}\n", "", "requests", "sectors",
                                 "each", "used") +
                     global_total(counters, global_loads) + global_total(counters, global_stores) +
                     global_total(counters, global_atomics) + shared_totals(counters);
  for (const auto& [name, count] :
       {std::pair{"barriers", counters.barriers}, std::pair{"shuffles", counters.shuffles},
        std::pair{"constant loads", counters.constant_requests},
        std::pair{"mma.sync", counters.tensor_instructions}}) {
    if (count > 0) text += fmt::format("  {:<16}{:>18}\n", name, with_commas(count));
  }
  return text;
}

/// The loads, stores and atomics of a line together.
struct GlobalUse {
  explicit GlobalUse(const simt::Counters& counters)
      : requests(counters.global_load_requests + counters.global_store_requests +
                 counters.global_atomic_requests),
        sectors(counters.global_load_sectors + counters.global_store_sectors +
                counters.global_atomic_sectors),
        bytes(counters.global_load_bytes + counters.global_store_bytes +
              counters.global_atomic_bytes) {}
  std::uint64_t requests, sectors, bytes;
};

std::string global_cells(const simt::Counters& counters) {
  const GlobalUse use(counters);
  if (use.requests == 0) return fmt::format("{:>9}{:>9}{:>7}{:>8}", "", "", "", "");
  return fmt::format("{:>9}{:>9}{:>7.1f}{:>7.1f}%", in_short(use.requests), in_short(use.sectors),
                     static_cast<double>(use.sectors) / static_cast<double>(use.requests),
                     100.0 * static_cast<double>(use.bytes) /
                         static_cast<double>(std::max<std::uint64_t>(use.sectors, 1)) /
                         sector_bytes);
}

std::string shared_cells(const simt::Counters& counters) {
  const std::uint64_t requests = counters.shared_load_requests + counters.shared_store_requests +
                                 counters.shared_atomic_requests;
  if (requests == 0) return fmt::format("{:>10}{:>12}{:>11}", "", "", "");
  return fmt::format("{:>10}{:>12}{:>11}", in_short(requests),
                     in_short(counters.shared_load_wavefronts + counters.shared_store_wavefronts +
                              counters.shared_atomic_wavefronts),
                     in_short(counters.shared_bank_conflicts));
}

/// Returns the text of a source line, or nothing if it is not known.
std::string source_of(const simt::LineCounters& line, const SourceTexts& sources) {
  const auto file = sources.find(line.file);
  const auto index = static_cast<std::size_t>(line.line) - 1;
  if (file == sources.end() || index >= file->second.size()) return "";
  const std::string& text = file->second[index];
  return printable(text.substr(std::min(text.find_first_not_of(" \t\r"), text.size())));
}

std::string lines_table(const KernelProfile& kernel, const SourceTexts& sources) {
  std::vector<std::string> places;
  std::size_t width = 0;
  for (const simt::LineCounters& line : kernel.lines) {
    places.push_back(printable(fmt::format("{}:{}", line.file, line.line)));
    width = std::max(width, places.back().size());
  }
  const auto worst = worst_line(kernel.lines);
  std::string text =
      fmt::format("\n  {:<{}}{:>33}{:>33}\n", "", width, "global memory", "shared memory") +
      fmt::format("  {:<{}}{:>9}{:>9}{:>7}{:>8}{:>10}{:>12}{:>11}\n", "line", width, "requests",
                  "sectors", "each", "used", "requests", "wavefronts", "conflicts");
  for (std::size_t i = 0; i < kernel.lines.size(); ++i) {
    const simt::LineCounters& line = kernel.lines[i];
    text += fmt::format("  {:<{}}{}{}  {}\n", places[i], width, global_cells(line.counters),
                        shared_cells(line.counters), source_of(line, sources));
    if (line.file == worst->line.file && line.line == worst->line.line) {
      text += fmt::format("  {:<{}}  ^ {}\n", "", width, worst->why);
    }
  }
  return text;
}

/// Returns means over the launches of each kernel that was launched more than once, as nvprof has
/// them, or nothing if there is no such kernel.
std::string means_over_launches(const ProfileReport& report) {
  std::vector<std::string> names;  // in the order of their first launches
  std::map<std::string, std::vector<const KernelProfile*>> launches;
  for (const KernelProfile& kernel : report.kernels) {
    std::vector<const KernelProfile*>& of_name = launches[kernel.launch.kernel];
    if (of_name.empty()) names.push_back(kernel.launch.kernel);
    of_name.push_back(&kernel);
  }
  std::string text;
  for (const std::string& name : names) {
    const std::vector<const KernelProfile*>& all = launches[name];
    if (all.size() < 2) continue;
    const auto mean = [&](auto&& figure) {
      double sum = 0;
      for (const KernelProfile* kernel : all) sum += figure(*kernel);
      return sum / static_cast<double>(all.size());
    };
    const auto mean_of = [&](double model::KernelMetrics::*metric) {
      return mean([&](const KernelProfile& kernel) {
        const auto metrics = metrics_of(kernel, report);
        return metrics ? *metrics.*metric : 0;
      });
    };
    text += fmt::format(
        "  {:>8}{:>13.4g}{:>10.1f}%{:>11.1f}%{:>11.1f}%{:>9.1f}%{:>7.1f}%  {}\n", all.size(),
        mean([&](const KernelProfile& kernel) {
          const auto time = modelled_time(kernel, report);
          return time ? time->ms : 0;
        }),
        mean([&](const KernelProfile& kernel) {
          return occupancy_of(kernel, report.gpu, registers_of(kernel, report).per_thread).percent;
        }),
        mean([](const KernelProfile& kernel) {
          return efficiency_pct(kernel.counters, global_loads);
        }),
        mean([](const KernelProfile& kernel) {
          return efficiency_pct(kernel.counters, global_stores);
        }),
        mean_of(&model::KernelMetrics::achieved_occupancy_pct),
        mean_of(&model::KernelMetrics::shared_efficiency_of_lanes_pct), printable(name));
  }
  if (text.empty()) return "";
  return tr("\nmeans over the launches of a kernel (time and occupancies modelled; shared: each "
            "lane's bytes)\n") +
         fmt::format("  {:>8}{:>13}{:>11}{:>12}{:>12}{:>10}{:>8}\n", "launches", "ms", "occupancy",
                     "loads used", "stores used", "achieved", "shared") +
         text;
}

}  // namespace

std::string profile_table(const ProfileReport& report, const SourceTexts& sources) {
  std::string text = tr("{} on {}, simulated\n", report.call, report.gpu.name);
  for (const KernelProfile& kernel : report.kernels) {
    text += "\n" + heading(kernel, report.gpu) + extent_of_simulation(kernel) +
            occupancy_line(kernel, report) + time_line(kernel, report) +
            partitions_line(kernel, report) + totals(kernel.counters) +
            metrics_table(kernel, report);
    if (!kernel.lines.empty()) text += lines_table(kernel, sources);
  }
  if (report.launches > std::ssize(report.kernels)) {
    text += tr("\n{} launches in all; the first {} are shown.\n", report.launches,
               report.kernels.size());
  }
  return text + means_over_launches(report) + call_line(report);
}

}  // namespace tilewise::grading
