#include "grading/repair/fault_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/repair/probes.hpp"
#include "grading/repair/runner.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

using core::Finding;
using core::ThreadOfGrid;
namespace fs = std::filesystem;

/// What a probe has printed once.
struct Told {
  std::size_t probe;
  ThreadOfGrid place;
  std::vector<std::int64_t> indices, sides, values;
};

/// Finds in an output what probes have printed.
std::vector<Told> told_in(const std::string& output, const std::vector<Probe>& probes) {
  std::vector<Told> all;
  for (std::size_t at = output.find(probe_mark); at != output.npos;
       at = output.find(probe_mark, at + 1)) {
    const std::size_t end = output.find('\n', at);
    if (end == output.npos) break;
    std::vector<std::int64_t> numbers;
    const char* next = output.data() + at + 2;
    while (next < output.data() + end) {
      std::int64_t number = 0;
      const auto [rest, error] = std::from_chars(next, output.data() + end, number);
      if (error != std::errc()) break;
      numbers.push_back(number);
      next = rest + 1;
    }
    if (numbers.empty() || numbers[0] < 0 || std::size_t(numbers[0]) >= probes.size()) continue;
    const Probe& probe = probes[std::size_t(numbers[0])];
    const std::size_t brackets = probe.brackets.size();
    if (numbers.size() != 8 + 2 * brackets + probe.told.size()) continue;
    Told told{std::size_t(numbers[0]), {}, {}, {}, {}};
    for (std::size_t i = 0; i < 3; ++i) {
      told.place.block[i] = unsigned(numbers[1 + i]);
      told.place.thread[i] = unsigned(numbers[4 + i]);
    }
    auto from = numbers.begin() + 7;
    const auto take = [&](std::size_t count) {
      const auto begin = from;
      from += std::ptrdiff_t(count);
      return std::vector<std::int64_t>(begin, from);
    };
    told.indices = take(brackets);
    told.sides = take(brackets);
    const std::int64_t start = take(1).front();
    if (probe.is_of_pointers) {
      told.indices.erase(told.indices.begin());
      told.sides.erase(told.sides.begin());
    }
    if (told.indices.empty()) told.indices = told.sides = {0};
    if (told.indices.size() == 1) told.indices[0] += start;
    told.values = take(probe.told.size());
    all.push_back(std::move(told));
  }
  return all;
}

/// The shape of a call's matrix, by the matrix's name.
std::optional<MatrixShape> shape_of(const NamedCall& call, const ContractInfo& contract,
                                    const std::string& name) {
  std::size_t number = 0;
  for (const ParameterInfo& parameter : contract.parameters) {
    if (parameter.kind != ParameterKind::matrix) continue;
    if (number == call.matrices.size()) break;
    if (parameter.name == name) return call.matrices[number];
    ++number;
  }
  return std::nullopt;
}

/// Whether a message names an element in this form: "As[3]" does not match "As[3][5]".
bool names(const std::string& message, const std::string& element) {
  for (std::size_t at = message.find(element); at != message.npos;
       at = message.find(element, at + 1)) {
    const std::size_t end = at + element.size();
    if (end == message.size() || message[end] != '[') return true;
  }
  return false;
}

/// All names that an element may have in a message: by its own brackets, or by the row and column
/// that its position in the array or matrix gives.
std::set<std::string> names_of(const Told& told, const std::string& array,
                               const std::optional<MatrixShape>& shape) {
  std::string by_brackets = array;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < told.indices.size(); ++i) {
    by_brackets += fmt::format("[{}]", told.indices[i]);
    place = place * (i == 0 ? 1 : told.sides[i]) + told.indices[i];
  }
  std::set<std::string> all = {by_brackets};
  std::vector<std::int64_t> sides(told.sides.begin(), told.sides.end());
  if (told.indices.size() == 1 && shape && shape->leading_dimension > 0) {
    sides = {0, shape->leading_dimension};
  }
  if (place < 0) return all;
  std::string last;
  for (std::size_t i = sides.size(); i-- > 1;) {
    if (sides[i] <= 0) return all;
    last = fmt::format("[{}]", place % sides[i]) + last;
    place /= sides[i];
  }
  all.insert(array + fmt::format("[{}]", place) + last);
  return all;
}

std::string sentence(const Told& told, const Probe& probe) {
  std::string list;
  for (std::size_t i = 0; i < probe.told.size(); ++i) {
    list += (list.empty() ? "" : ", ") + fmt::format("{} = {}", probe.told[i], told.values[i]);
  }
  return tr(" On line {} {} has {}.", probe.line, in_words(told.place), list);
}

}  // namespace

std::string in_words(const ThreadOfGrid& place) {
  return tr("thread ({}) of block ({})", fmt::join(place.thread, ", "),
            fmt::join(place.block, ", "));
}

std::string numbers_of(const Finding& finding, const RepairRequest& request) {
  static const std::set<std::string_view> kinds = {"out-of-bounds", "uninitialised", "race",
                                                   "warp-race", "misaligned"};
  constexpr double most_operations = 2e8;  // they take seconds
  if (!kinds.contains(finding.kind) || !finding.place || finding.array.empty()) return "";
  const auto posed = posed_call(request.stage, finding.call, most_operations);
  if (!posed || posed->call.text != finding.call) return "";
  const std::string text = core::text_of(request.source_directory / finding.file);
  const auto [probes, probed] = with_probes(finding, text);
  if (probes.empty()) return "";
  const fs::path folder = folder_with(request, "numbers", finding.file, probed);
  BuildRequest build{request.stage.id, folder, Backend::simt, request.scratch / "numbers",
                     Flavour::checked};
  build.bubblewrap = request.bubblewrap;
  build.varied = true;
  const BuildResult built = build_module(build);
  if (!built.ok) return "";
  const std::vector<Told> all = told_in(output_of(*posed, built.module, request), probes);
  const auto& contracts = contracts_of(request.stage.id);
  const auto contract = std::ranges::find(contracts, posed->call.function, &ContractInfo::function);
  if (contract == contracts.end()) return "";
  const auto shape = shape_of(posed->call, *contract, finding.array);
  std::string message;
  std::set<std::pair<int, std::string>> seen;
  for (const Told& told : all) {
    const Probe& probe = probes[told.probe];
    const auto called = names_of(told, finding.array, probe.is_of_extents ? std::nullopt : shape);
    const bool is_it = std::ranges::any_of(
        called, [&](const std::string& name) { return names(finding.message, name); });
    const bool is_at_fault = finding.other_line != 0 || told.place == *finding.place;
    if (!is_it || !is_at_fault || probe.told.empty()) continue;
    if (!seen.emplace(probe.line, in_words(told.place)).second) continue;
    message += sentence(told, probe);
  }
  return message;
}

}  // namespace tilewise::grading
