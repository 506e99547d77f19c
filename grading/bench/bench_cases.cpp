#include "grading/bench/bench_cases.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "grading/profile/numbers.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::json;

/// "n={n}" as "n=64".
std::string replaced(std::string text, std::string_view name, std::string_view value) {
  const std::string placeholder = fmt::format("{{{}}}", name);
  for (std::size_t at = text.find(placeholder); at != text.npos;
       at = text.find(placeholder, at + value.size())) {
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

/// The text with each {name} of the choice in its place; {n} may be left.
std::string filled_in(std::string text, const Json& choice) {
  for (const auto& [name, value] : choice.items()) {
    text = replaced(std::move(text), name, value.get<std::string>());
  }
  if (replaced(text, "n", "").find('{') != text.npos) {
    throw std::invalid_argument(fmt::format("'{}' names what the choice does not have", text));
  }
  return text;
}

Problem problem_of(const std::string& word) {
  if (word == "product") return Problem::product;
  if (word == "transpose") return Problem::transpose;
  if (word == "solve") return Problem::solve;
  throw std::invalid_argument(
      fmt::format("'{}' is no problem; there are product, transpose and solve", word));
}

int side_of(const Json& formula, const char* name, const Json& choice) {
  const std::string text = filled_in(formula.at(name).get<std::string>(), choice);
  const auto number = number_in<int>(text);
  if (!number || *number < 1) {
    throw std::invalid_argument(fmt::format("formula: {}='{}' is no side of a tile", name, text));
  }
  return *number;
}

BenchCase read_case(const std::string& stage, const Json& json, const Json& choice) {
  BenchCase read;
  read.stage = stage;
  read.function = json.at("function").get<std::string>();
  read.problem = problem_of(json.at("problem").get<std::string>());
  read.call_of_n = filled_in(json.at("call").get<std::string>(), choice);
  read.block = filled_in(json.value("block", ""), choice);
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
  for (const Json& element : json.at("cases")) {
    for (const Json& choice : element.at("choices")) {
      read.cases.push_back(read_case(stage, element, choice));
    }
  }
  return read;
}

}  // namespace

std::string BenchCase::call(int n) const { return replaced(call_of_n, "n", std::to_string(n)); }

std::optional<PreviousCall> BenchCase::previous(int n, Backend backend) const {
  if (previous_stage.empty()) return std::nullopt;
  const auto largest = previous_largest.find(backend);
  if (largest != previous_largest.end() && n > largest->second) return std::nullopt;
  return PreviousCall{previous_stage, replaced(previous_call_of_n, "n", std::to_string(n))};
}

std::optional<theory::ElementAccesses> BenchCase::accesses(int n) const {
  const auto order = static_cast<std::uint64_t>(n);
  if (is_naive) return theory::naive_accesses(order);
  if (tiling) return theory::tiled_accesses(*tiling, order);
  return std::nullopt;
}

std::map<std::string, StageCases> load_bench_cases(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::map<std::string, StageCases> stages;
  std::string place = file.string();
  try {
    const Json json = Json::parse(stream);
    for (const auto& [stage, content] : json.items()) {
      place = fmt::format("{}: stage {}", file.string(), stage);
      stages[stage] = read_stage(stage, content);
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", place, error.what()));
  }
  return stages;
}

}  // namespace tilewise::grading
