#include "grading/bench/bench_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/base/json.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* bench_schema = "tilewise/bench/v1";

// --- Writing ----------------------------------------------------------------------------------

template <class Value>
OrderedJson or_null(const std::optional<Value>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

OrderedJson document_of(const std::optional<ElementTraffic>& traffic) {
  if (!traffic) return nullptr;
  return {{"loads", traffic->loads}, {"stores", traffic->stores}};
}

OrderedJson document_of(const std::optional<OccupancyFigures>& occupancy) {
  if (!occupancy) return nullptr;
  return {{"threads_per_block", occupancy->threads_per_block},
          {"registers_per_thread", occupancy->registers_per_thread},
          {"registers_from_nvcc", occupancy->registers_from_nvcc},
          {"shared_bytes_per_block", occupancy->shared_bytes_per_block},
          {"blocks_by_warps", occupancy->by_warps},
          {"blocks_by_blocks", occupancy->by_blocks},
          {"blocks_by_registers", occupancy->by_registers},
          {"blocks_by_shared", occupancy->by_shared},
          {"active_blocks", occupancy->active_blocks},
          {"percent", occupancy->percent},
          {"limited_by", occupancy->limited_by}};
}

OrderedJson document_of(const std::optional<model::KernelMetrics>& metrics) {
  if (!metrics) return nullptr;
  OrderedJson document;
  for (const model::NamedMetric& metric : model::all_metrics) {
    document[metric.name] = *metrics.*metric.value;
  }
  return document;
}

/// Explains the names of metrics to readers of the file.
OrderedJson document_of_names() {
  OrderedJson document;
  for (const model::NamedMetric& metric : model::all_metrics) {
    document[metric.name] = {
        {"unit", metric.unit}, {"from", metric.known}, {"nsight_compute", metric.nsight_compute}};
  }
  return document;
}

OrderedJson document_of(const BenchRow& row) {
  OrderedJson document = {{"stage", row.stage},
                          {"function", row.function},
                          {"block", row.block},
                          {"contender", row.contender.name},
                          {"n", row.n},
                          {"call", row.call},
                          {"problem", row.problem},
                          {"not_written", row.not_written},
                          {"excused", row.excused},
                          {"ms", row.ms},
                          {"uncertainty_pct", or_null(row.uncertainty_pct)},
                          {"mean_ms", or_null(row.mean_ms)},
                          {"speedup", or_null(row.speedup)},
                          {"rate", row.rate},
                          {"unit", row.unit},
                          {"right", or_null(row.right)},
                          {"gips", or_null(row.gips)},
                          {"gips_measured", row.gips_measured},
                          {"limiter", row.limiter},
                          {"counted", document_of(row.counted)},
                          {"by_formula", document_of(row.by_formula)},
                          {"cgma", or_null(row.cgma)},
                          {"cgma_by_formula", or_null(row.cgma_by_formula)},
                          {"occupancy", document_of(row.occupancy)},
                          {"metrics", document_of(row.metrics)}};
  if (row.total_ms) document["total_ms"] = *row.total_ms;
  if (row.contender.kind == Contender::Kind::beside) document["beside"] = true;
  return document;
}

// --- Reading ----------------------------------------------------------------------------------

/// Reads the fields of one object of a document and notes which it has read, so that unknown fields
/// can be refused.
class Fields {
 public:
  Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) {
      throw std::runtime_error((place_.empty() ? "the document" : place_) + " is no object");
    }
  }

  bool has(const char* name) const { return object_.contains(name); }

  const Json& at(const char* name) {
    taken_.insert(name);
    const auto field = object_.find(name);
    if (field == object_.end()) throw std::runtime_error(path(name) + " is missing");
    return *field;
  }

  std::string path(const std::string& name) const {
    return place_.empty() ? name : place_ + "." + name;
  }

  [[noreturn]] void refuse(const char* name, const std::string& expected) const {
    std::string shown = core::json_text(object_.at(name));
    constexpr std::size_t enough = 60;
    if (shown.size() > enough) shown = shown.substr(0, enough) + "...";
    throw std::runtime_error(
        fmt::format("{} is {}, expected {}", path(name), printable(shown), expected));
  }

  std::string text(const char* name) {
    const Json& field = at(name);
    if (!field.is_string()) refuse(name, "a text");
    return field.get<std::string>();
  }

  bool truth(const char* name) {
    const Json& field = at(name);
    if (!field.is_boolean()) refuse(name, "true or false");
    return field.get<bool>();
  }

  /// A limit far beyond what any GPU does, so that sums and tables stay sound.
  static constexpr double most = 1e18;

  double number(const char* name) {
    const Json& field = at(name);
    if (!field.is_number()) refuse(name, "a number");
    const double value = field.get<double>();
    if (!(value >= 0 && value <= most)) refuse(name, "a number from 0 to 1e18");
    return value;
  }

  template <std::integral Integer>
  Integer whole(const char* name) {
    const Json& field = at(name);
    constexpr auto largest = std::numeric_limits<int>::max();
    const bool fits = field.is_number_integer() && field >= 0 && field <= largest;
    if (!fits) refuse(name, fmt::format("a whole number from 0 to {}", largest));
    return field.get<Integer>();
  }

  bool is_null(const char* name) { return at(name).is_null(); }

  /// Whether the field has a value. Fields that the schema did not have from the beginning may be
  /// missing.
  bool has(const char* name) {
    taken_.insert(name);
    const auto field = object_.find(name);
    return field != object_.end() && !field->is_null();
  }

  std::optional<double> number_or_null(const char* name) {
    if (is_null(name)) return std::nullopt;
    return number(name);
  }

  /// Refuses fields that were not read. To be called after all known fields have been read.
  void demand_no_others() const {
    for (const auto& [name, value] : object_.items()) {
      if (!taken_.contains(name)) {
        throw std::runtime_error(
            fmt::format("{} is no field of {}", printable(path(name)), bench_schema));
      }
    }
  }

 private:
  const Json& object_;
  std::string place_;
  std::set<std::string> taken_;
};

std::optional<ElementTraffic> read_traffic(Fields& row, const char* name) {
  if (row.is_null(name)) return std::nullopt;
  Fields fields(row.at(name), row.path(name));
  const ElementTraffic traffic{fields.number("loads"), fields.number("stores")};
  fields.demand_no_others();
  return traffic;
}

std::optional<OccupancyFigures> read_occupancy(Fields& row) {
  if (row.is_null("occupancy")) return std::nullopt;
  Fields fields(row.at("occupancy"), row.path("occupancy"));
  OccupancyFigures occupancy;
  occupancy.threads_per_block = fields.whole<int>("threads_per_block");
  occupancy.registers_per_thread = fields.whole<int>("registers_per_thread");
  occupancy.registers_from_nvcc = fields.truth("registers_from_nvcc");
  occupancy.shared_bytes_per_block = fields.whole<std::size_t>("shared_bytes_per_block");
  occupancy.by_warps = fields.whole<int>("blocks_by_warps");
  occupancy.by_blocks = fields.whole<int>("blocks_by_blocks");
  occupancy.by_registers = fields.whole<int>("blocks_by_registers");
  occupancy.by_shared = fields.whole<int>("blocks_by_shared");
  occupancy.active_blocks = fields.whole<int>("active_blocks");
  occupancy.percent = fields.number("percent");
  if (occupancy.percent > 100) fields.refuse("percent", "at most 100");
  occupancy.limited_by = fields.text("limited_by");
  fields.demand_no_others();
  return occupancy;
}

std::optional<model::KernelMetrics> read_metrics(Fields& row) {
  if (!row.has("metrics")) return std::nullopt;
  Fields fields(row.at("metrics"), row.path("metrics"));
  model::KernelMetrics metrics;
  for (const model::NamedMetric& metric : model::all_metrics) {
    // This metric is newer than the others, so that old reports lack it.
    const bool later = metric.value == &model::KernelMetrics::shared_bytes_moved;
    if (later && !fields.has(metric.name)) continue;
    metrics.*metric.value = fields.number(metric.name);
  }
  fields.demand_no_others();
  return metrics;
}

/// Reads a number that is newer than other figures, so that rows of old reports lack it.
std::optional<double> read_later_number(Fields& row, const char* name) {
  if (!row.has(name)) return std::nullopt;
  return row.number(name);
}

Contender read_contender(Fields& row) {
  const std::string name = row.text("contender");
  if (row.has("beside") && row.truth("beside")) return Contender::beside(name);
  const Contender* const contenders[] = {&Contender::student,        &Contender::solution,
                                         &Contender::previous_stage, &Contender::cublas,
                                         &Contender::openblas,       &Contender::copy};
  std::vector<std::string_view> names;
  for (const Contender* contender : contenders) {
    if (contender->name == name) return *contender;
    names.push_back(contender->name);
  }
  row.refuse("contender", fmt::format("{}", fmt::join(names, ", ")));
}

/// Checks the figures of a row beyond their being numbers.
void demand_figures(Fields& fields, const BenchRow& row) {
  if (!row.problem.empty()) return;
  if (row.n == 0) fields.refuse("n", "an order of at least 1");
  if (row.ms == 0) fields.refuse("ms", "more than 0");
  if (row.unit != "GFLOPS" && row.unit != "GB/s") fields.refuse("unit", "GFLOPS or GB/s");
}

BenchRow read_row(const Json& document, std::size_t index) {
  Fields fields(document, fmt::format("rows[{}]", index));
  BenchRow row;
  row.stage = fields.text("stage");
  row.function = fields.text("function");
  row.block = fields.text("block");
  row.contender = read_contender(fields);
  row.n = fields.whole<int>("n");
  row.call = fields.text("call");
  row.problem = fields.text("problem");
  row.not_written = fields.truth("not_written");
  row.excused = fields.truth("excused");
  row.ms = fields.number("ms");
  if (fields.has("total_ms")) row.total_ms = fields.number("total_ms");
  row.rate = fields.number("rate");
  row.unit = fields.text("unit");
  if (!fields.is_null("right")) row.right = fields.truth("right");
  row.gips = fields.number_or_null("gips");
  row.gips_measured = fields.truth("gips_measured");
  row.limiter = fields.text("limiter");
  row.counted = read_traffic(fields, "counted");
  row.by_formula = read_traffic(fields, "by_formula");
  row.cgma = fields.number_or_null("cgma");
  row.cgma_by_formula = fields.number_or_null("cgma_by_formula");
  row.occupancy = read_occupancy(fields);
  row.uncertainty_pct = read_later_number(fields, "uncertainty_pct");
  row.mean_ms = read_later_number(fields, "mean_ms");
  row.speedup = read_later_number(fields, "speedup");
  row.metrics = read_metrics(fields);
  demand_figures(fields, row);
  fields.demand_no_others();
  return row;
}

core::GpuProfile read_gpu(Fields& fields) {
  const std::string id = fields.text("gpu");
  if (core::is_card_file(id)) fields.refuse("gpu", "a profile's name");
  if (!fields.has("card")) return core::gpu_profile(id);
  const std::vector<core::GpuProfile> cards = core::gpu_profiles_in(fields.at("card"));
  if (cards.size() != 1 || cards.front().id != id) fields.refuse("card", "that of gpu alone");
  return cards.front();
}

/// Returns whose kernels the report is about: the student's, or the solution's if there are none.
const Contender& subject_of(const BenchReport& report) {
  const bool has_student =
      std::ranges::find(report.rows, Contender::student, &BenchRow::contender) != report.rows.end();
  return has_student ? Contender::student : Contender::solution;
}

}  // namespace

bool is_sound(const BenchReport& report) {
  const Contender& subject = subject_of(report);
  return std::ranges::all_of(report.rows, [&](const BenchRow& row) {
    if (row.contender != subject || row.not_written || row.excused) return true;
    // A solution may use blocks that are too large for a GPU.
    const bool may_fail = subject == Contender::solution;
    return (row.problem.empty() || may_fail) && row.right != false;
  });
}

std::string where_taken(const BenchReport& report) {
  return report.modelled ? report.device : report.device + " (measured)";
}

OrderedJson bench_document(const BenchReport& report) {
  OrderedJson rows = OrderedJson::array();
  for (const BenchRow& row : report.rows) rows.push_back(document_of(row));
  OrderedJson document = {
      {"schema", bench_schema},  {"modelled", report.modelled},         {"device", report.device},
      {"gpu", report.gpu.id},    {"command", report.command},           {"date", report.date},
      {"inputs", report.inputs}, {"metric_names", document_of_names()}, {"rows", rows}};
  // Readers elsewhere know the course's cards, but no others.
  if (!core::is_of_the_course(report.gpu)) document["card"] = core::card_document(report.gpu);
  return document;
}

BenchReport read_bench_report(const Json& document) {
  Fields fields(document, "");
  if (fields.text("schema") != bench_schema) fields.refuse("schema", bench_schema);
  BenchReport report;
  report.modelled = fields.truth("modelled");
  report.device = fields.text("device");
  report.gpu = read_gpu(fields);
  report.command = fields.text("command");
  report.date = fields.text("date");
  report.inputs = fields.text("inputs");
  fields.has("metric_names");  // only for other readers
  const Json& rows = fields.at("rows");
  if (!rows.is_array()) fields.refuse("rows", "an array");
  for (std::size_t i = 0; i < rows.size(); ++i) report.rows.push_back(read_row(rows[i], i));
  fields.demand_no_others();
  return report;
}

}  // namespace tilewise::grading
