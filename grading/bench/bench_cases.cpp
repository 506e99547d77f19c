#include "grading/bench/bench_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/language.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/numbers.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::json;

/// Replaces a placeholder: turns "n={n}" into "n=64".
std::string replaced(std::string text, std::string_view name, std::string_view value) {
  const std::string placeholder = fmt::format("{{{}}}", name);
  for (std::size_t at = text.find(placeholder); at != text.npos;
       at = text.find(placeholder, at + value.size())) {
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

/// Fills the values of the choice into the text's placeholders; only {n} may be left.
std::string filled_in(std::string text, const Json& choice) {
  for (const auto& [name, value] : choice.items()) {
    text = replaced(std::move(text), name, value.get<std::string>());
  }
  if (replaced(text, "n", "").find('{') != text.npos) {
    throw std::invalid_argument(fmt::format("'{}' names what the choice does not have", text));
  }
  return text;
}

int side_of(const Json& formula, const char* name, const Json& choice) {
  const std::string text = filled_in(formula.at(name).get<std::string>(), choice);
  const auto number = number_in<int>(text);
  if (!number || *number < 1) {
    throw std::invalid_argument(fmt::format("formula: {}='{}' is no side of a tile", name, text));
  }
  return *number;
}

/// @param json  the function's "bench"
BenchCase read_case(const BenchCase& of_function, const Json& json, const Json& choice) {
  BenchCase read = of_function;
  read.call_of_n = filled_in(json.at("call").get<std::string>(), choice);
  read.block = filled_in(json.value("block", ""), choice);
  read.one_result = filled_in(json.value("one_result", ""), choice);
  if (const auto previous = json.find("previous"); previous != json.end()) {
    read.previous_stage = previous->at("stage").get<std::string>();
    read.previous_call_of_n = filled_in(previous->at("call").get<std::string>(), choice);
    if (const auto largest = previous->find("largest"); largest != previous->end()) {
      read.previous_largest = {{Backend::simt, largest->at("simt").get<int>()},
                               {Backend::cuda, largest->at("cuda").get<int>()}};
    }
  }
  const auto formula = json.find("formula");
  if (formula == json.end()) return read;
  read.is_naive = *formula == "naive";
  if (!read.is_naive) {
    read.tiling = {side_of(*formula, "tile", choice), side_of(*formula, "rx", choice),
                   side_of(*formula, "ry", choice)};
  }
  return read;
}

StageCases read_stage(const std::string& stage, const Json& json) {
  StageCases read;
  const Json& orders = json.at("orders");
  read.orders = {{Backend::simt, orders.at("simt").get<std::vector<int>>()},
                 {Backend::cuda, orders.at("cuda").get<std::vector<int>>()}};
  for (const Json& function : json.at("functions")) {
    BenchCase of_function;
    of_function.stage = stage;
    of_function.function = function.at("name").get<std::string>();
    of_function.problem = &problem_called(function.value("problem", ""));
    const Json& bench = function.at("bench");
    for (const Json& choice : bench.at("choices")) {
      read.cases.push_back(read_case(of_function, bench, choice));
    }
  }
  return read;
}

std::vector<KernelBeside> read_beside(const std::filesystem::path& folder, const Json& json) {
  std::vector<KernelBeside> kernels;
  if (!std::filesystem::exists(folder)) return kernels;
  const Json said = json.value("beside", Json::object());
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const Json of_kernel = said.value(name, Json::object());
    kernels.push_back({name, of_kernel.value("heading", name), of_kernel.value("what", ""),
                       of_kernel.value("copies", false)});
  }
  std::ranges::sort(kernels, {}, &KernelBeside::name);
  return kernels;
}

}  // namespace

std::string BenchCase::call(int n) const { return replaced(call_of_n, "n", std::to_string(n)); }

std::optional<PreviousCall> BenchCase::previous(int n, Backend backend) const {
  if (previous_stage.empty()) return std::nullopt;
  const auto largest = previous_largest.find(backend);
  if (largest != previous_largest.end() && n > largest->second) return std::nullopt;
  return PreviousCall{previous_stage, replaced(previous_call_of_n, "n", std::to_string(n))};
}

std::optional<model::ElementAccesses> BenchCase::accesses(int n) const {
  const auto order = static_cast<std::uint64_t>(n);
  if (is_naive) return model::naive_accesses(order);
  if (tiling) return model::tiled_accesses(*tiling, order);
  return std::nullopt;
}

std::map<std::string, StageCases> load_bench_cases(const std::filesystem::path& root) {
  std::map<std::string, StageCases> course;
  for (const StageInfo& stage : read_stages(root)) {
    const Json file = read_stage_file(root, stage.id);
    try {
      course[stage.id] = read_stage(stage.id, file);
      course[stage.id].beside = read_beside(drawer_of(root, stage.id) / "beside", file);
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("{}: {}", stage_file(root, stage.id).string(), error.what()));
    }
  }
  // A course may leave stages out; no case can be compared with a stage that is not there.
  for (auto& [stage, content] : course) {
    for (BenchCase& each : content.cases) {
      if (!course.contains(each.previous_stage)) each.previous_stage.clear();
    }
  }
  return course;
}

std::string gigabytes(std::size_t bytes) {
  constexpr double giga = 1e9, mega = 1e6;
  const auto amount = static_cast<double>(bytes);
  return amount < giga ? fmt::format("{:.0f} MB", amount / mega)
                       : fmt::format("{:.1f} GB", amount / giga);
}

std::string memory_of(const NamedCall& call) {
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      sizes.push_back(matrix->image_bytes);
      total += matrix->image_bytes;
    }
  }
  const bool alike = std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end();
  if (!alike || sizes.size() < 2) return gigabytes(total);
  return tr("{} ({} matrices of {})", gigabytes(total), sizes.size(), gigabytes(sizes.front()));
}

std::optional<std::size_t> available_in(std::string_view meminfo) {
  constexpr std::string_view name = "MemAvailable:";
  const std::size_t at = meminfo.find(name);
  if (at == meminfo.npos) return std::nullopt;
  meminfo.remove_prefix(at + name.size());
  meminfo.remove_prefix(std::min(meminfo.find_first_not_of(' '), meminfo.size()));
  const auto kibibytes = number_in<std::size_t>(meminfo.substr(0, meminfo.find(' ')));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::optional<std::size_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  return available_in(std::string(std::istreambuf_iterator<char>(file), {}));
}

const Problem& problem_of(const std::filesystem::path& root, const std::string& stage,
                          const std::string& function) {
  const std::map<std::string, StageCases> course = load_bench_cases(root);
  for (const BenchCase& one : course.at(stage).cases) {
    if (one.function == function) return *one.problem;
  }
  return problem_called("");
}

}  // namespace tilewise::grading
