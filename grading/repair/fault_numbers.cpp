#include "grading/repair/fault_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/access_words.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/repair/runner.hpp"
#include "grading/repair/scope.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

using core::Finding;
namespace fs = std::filesystem;
using Triple = std::array<unsigned, 3>;

/// An access that is to write out its numbers.
struct Probe {
  int line = 0;
  std::string array;                   ///< as the kernel calls it
  std::string matrix;                  ///< that it leads to, if it is a pointer of the kernel's own
  bool is_of_extents = false;          ///< an array with sides, as `As[16][17]`
  bool is_of_pointers = false;         ///< an array whose elements lead to the matrix
  std::vector<Part> brackets = {};     ///< what stands in each; none: what it points to
  Part replaced = {0, 0};              ///< by it and what is written out
  std::vector<std::string> told = {};  ///< expressions, in the order in which they are told
};

/// What a probe has written out.
struct Told {
  std::size_t probe;
  ThreadOfGrid place;
  std::vector<std::int64_t> indices, sides, values;
};

constexpr char mark = '\036';  // which no kernel prints; a blank is behind it

/// "(1, 0, 0)" in a message, in whatever language.
std::vector<Triple> triples_in(const std::string& message) {
  std::vector<Triple> found;
  for (std::size_t at = message.find('('); at != message.npos; at = message.find('(', at + 1)) {
    Triple triple{};
    const char* next = message.data() + at + 1;
    const char* const end = message.data() + message.size();
    bool is_one = true;
    for (std::size_t i = 0; i < 3 && is_one; ++i) {
      if (i > 0 && next + 2 < end) next += 2;
      const auto [rest, error] = std::from_chars(next, end, triple[i]);
      is_one = error == std::errc() && rest < end && *rest == (i < 2 ? ',' : ')');
      next = rest;
    }
    if (is_one) found.push_back(triple);
  }
  return found;
}

/// `threadIdx.x == 1 && threadIdx.y == 0 && threadIdx.z == 0`
std::string equals(const char* builtin, const Triple& place) {
  return fmt::format("({0}.x == {1} && {0}.y == {2} && {0}.z == {3})", builtin, place[0], place[1],
                     place[2]);
}

/// Whether a thread is one of those that a finding names.
std::string is_named(const Finding& finding) {
  std::vector<Triple> all = triples_in(finding.message);
  all.push_back(finding.place->thread);
  all.push_back(finding.place->block);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  std::vector<std::string> threads, blocks;
  for (const Triple& each : all) {
    threads.push_back(equals("threadIdx", each));
    blocks.push_back(equals("blockIdx", each));
  }
  return fmt::format("({}) && ({})", fmt::join(threads, " || "), fmt::join(blocks, " || "));
}

/// Finds what to write out at accesses of one source.
class Probes {
 public:
  Probes(const Finding& finding, std::string_view text)
      : finding_(finding), text_(text), source_(text), accesses_(simt::accesses_in(text)) {
    add_on(finding.line);
    if (finding.other_line != finding.line && finding.other_file == finding.file) {
      add_on(finding.other_line);
    }
    // A kernel may call a matrix as the contract does, and need not.
    const auto is_named = [&](const Probe& probe) {
      return probe.array == finding.array || probe.matrix == finding.array;
    };
    if (std::ranges::any_of(probes_, is_named)) std::erase_if(probes_, std::not_fn(is_named));
  }

  const std::vector<Probe>& all() const { return probes_; }

  /// The source with the probes in it. Lines stay where they are.
  std::string written() const {
    const std::vector<Token>& code = source_.outline.code();
    std::string result;
    std::size_t at = 0;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      const Part index = probes_[i].replaced;
      const std::size_t begin = code[index.first].begin, end = code[index.end - 1].end();
      if (begin < at) continue;
      result += std::string(text_.substr(at, begin - at)) + "(" + printing(i) + ", " +
                std::string(text_.substr(begin, end - begin)) + ")";
      at = end;
    }
    return result + std::string(text_.substr(at));
  }

 private:
  std::string words_of(Part words) const {
    return simt::rewriting::joined(
        std::span(source_.outline.code()).subspan(words.first, words.end - words.first));
  }

  void add_on(int line) {
    const std::vector<Token>& code = source_.outline.code();
    for (const WrittenFunction& function : source_.functions) {
      if (!function.is_of_device) continue;
      for (std::size_t i = function.body; i + 1 < function.end; ++i) {
        if (code[i].line != line || !code[i].is_name()) continue;
        const simt::SourceAccess* access = code[i + 1].is("[") ? access_at(i) : nullptr;
        if (access != nullptr) add(*access, i, function);
        const Part pointer = pointer_at(i);
        if (pointer.first < pointer.end) add_pointer(pointer, function);
      }
    }
  }

  /// What is known of the access that a name begins, if the finding may be of it.
  const simt::SourceAccess* access_at(std::size_t name) const {
    const Token& token = source_.outline.code()[name];
    for (const simt::SourceAccess& access : accesses_) {
      const bool may_be = access.array == finding_.array || access.matrix == finding_.array ||
                          access.memory == simt::SourceAccess::Memory::global ||
                          access.memory == simt::SourceAccess::Memory::unknown;
      if (access.line == token.line && access.array == token.text && may_be) return &access;
    }
    return nullptr;
  }

  void add(const simt::SourceAccess& access, std::size_t name, const WrittenFunction& function) {
    const Outline& outline = source_.outline;
    const std::vector<Token>& code = outline.code();
    Probe probe{code[name].line, access.array, access.matrix};
    probe.is_of_pointers = is_of_pointers(access) && !access.matrix.empty();
    probe.is_of_extents =
        !access.declaration.empty() && !access.declaration.ends_with("[]") && !probe.is_of_pointers;
    for (std::size_t open = name + 1; code[open].is("["); open = outline.behind(open)) {
      const Part inside{open + 1, outline.behind(open) - 1};
      if (inside.first >= inside.end) return;
      probe.brackets.push_back(inside);
    }
    probe.replaced = probe.brackets.front();
    const Scope scope(outline, function, block_at(outline, function.body));
    const auto seen = scope.seen_at(name);
    for (const simt::IndexPart& part : access.parts) {
      const bool is_composed = part.text.find(' ') != part.text.npos;
      if (is_composed) probe.told.push_back(part.text);
    }
    for (const Part& bracket : probe.brackets) add_names_in(words_of(bracket), seen, probe);
    add_names_in(access.origin, seen, probe);
    for (const simt::IndexPart& part : access.parts) {
      for (const simt::QuotedLine& made : part.made_of) add_names_in(made.text, seen, probe);
    }
    add_tests(access.conditions, seen, probe);
    probes_.push_back(std::move(probe));
  }

  /// What is handed on or read there of a pointer that begins in a matrix and moves: the pointer of
  /// `*a`, the sum of `copy(to, exists ? a + step : A)`; empty where it is something else.
  Part pointer_at(std::size_t name) const {
    static constexpr auto before_sums = std::to_array<std::string_view>({"(", ",", "?", ":"});
    static constexpr auto behind_sums = std::to_array<std::string_view>({")", ",", ":", ";"});
    const std::vector<Token>& code = source_.outline.code();
    const Token &before = code[name - 1], &left = code[name - 2];
    const bool multiplies = (left.is_name() && !left.is("return")) || left.is(")") ||
                            left.is("]") || left.kind == simt::rewriting::TokenKind::number;
    if (before.is("*") && !multiplies && !code[name + 1].is("[")) return {name, name + 1};
    if (std::ranges::find(before_sums, before.text) == before_sums.end() || !code[name + 1].is("+"))
      return {name, name};
    std::size_t end = name + 1;
    while (std::ranges::find(behind_sums, code[end].text) == behind_sums.end()) {
      end = source_.outline.behind(end);
    }
    return {name, end};
  }

  void add_pointer(Part words, const WrittenFunction& function) {
    const std::vector<Token>& code = source_.outline.code();
    const Scope scope(source_.outline, function, block_at(source_.outline, function.body));
    const Variable* const pointer = scope.find(words.first);
    if (pointer == nullptr || pointer->type != Variable::Type::pointer) return;
    Probe probe{code[words.first].line, words_of(words), ""};
    for (std::size_t i = pointer->value.first; i < pointer->value.end; ++i) {
      const Variable* const from = scope.find(i);
      const bool is_matrix = from != nullptr && from->is_parameter &&
                             from->type == Variable::Type::pointer && probe.matrix.empty();
      if (is_matrix) probe.matrix = from->name;
    }
    if (probe.matrix.empty()) return;
    probe.replaced = words;
    const auto seen = scope.seen_at(words.first);
    probe.told.push_back(fmt::format("{} - {}", pointer->name, probe.matrix));
    add_names_in(words_of(words), seen, probe);
    add_names_in(words_of(pointer->value), seen, probe);
    add_tests(simt::conditions_of(text_, probe.line, pointer->name), seen, probe);
    probes_.push_back(std::move(probe));
  }

  /// Integers among the names in a text, each once.
  void add_names_in(const std::string& text, const std::vector<const Variable*>& seen,
                    Probe& probe) const {
    constexpr std::size_t most = 8;
    for (const Token& token : simt::rewriting::tokenize(text)) {
      if (!token.is_name() || probe.told.size() == most) continue;
      const auto variable = std::ranges::find(seen, token.text, &Variable::name);
      const bool is_known = variable != seen.end() ? (*variable)->type == Variable::Type::integer
                                                   : is_constant(token.text);
      const std::string name(token.text);
      if (is_known && std::ranges::find(probe.told, name) == probe.told.end()) {
        probe.told.push_back(name);
      }
    }
  }

  /// What else is in tests of something that is told.
  void add_tests(const std::vector<simt::SourceCondition>& conditions,
                 const std::vector<const Variable*>& seen, Probe& probe) const {
    for (const simt::SourceCondition& condition : conditions) {
      const bool is_of_it = std::ranges::any_of(
          probe.told, [&](const std::string& each) { return says_word(condition.text, each); });
      if (is_of_it && !condition.is_of_loop) add_names_in(condition.text, seen, probe);
    }
  }

  /// Whether a name is declared as an integer anywhere: a parameter of a template, a constant.
  bool is_constant(std::string_view name) const {
    const std::vector<Token>& code = source_.outline.code();
    for (std::size_t i = 1; i < code.size(); ++i) {
      if (code[i].is(name) && names_integers(code[i - 1])) return true;
    }
    return false;
  }

  /// An expression that writes out what a probe is to tell, for some threads.
  std::string printing(std::size_t number) const {
    const Probe& probe = probes_[number];
    std::vector<std::string> values;
    for (const char* builtin : {"blockIdx", "threadIdx"}) {
      for (const char* side : {".x", ".y", ".z"}) values.push_back(std::string(builtin) + side);
    }
    std::string element = probe.array;
    for (const Part& bracket : probe.brackets) values.push_back(words_of(bracket));
    for (std::size_t i = 0; i < probe.brackets.size(); ++i) {
      const std::string row = element;
      element += "[0]";
      values.push_back(probe.is_of_extents ? fmt::format("sizeof({}) / sizeof({})", row, element)
                                           : "0");
    }
    const bool is_own = !probe.matrix.empty() && probe.matrix != probe.array;
    const std::string pointer =
        probe.array +
        (probe.is_of_pointers ? "[" + words_of(probe.brackets.front()) + "]" : std::string());
    values.push_back(is_own ? fmt::format("({}) - {}", pointer, probe.matrix) : "0");
    values.insert(values.end(), probe.told.begin(), probe.told.end());
    std::string format, arguments;
    for (const std::string& value : values) {
      format += " %lld";
      arguments += ", static_cast<long long>(" + value + ")";
    }
    return fmt::format(
        "({}) ? static_cast<void>(printf(\"\\036 {}{}\\n\"{})) : static_cast<void>(0)",
        is_named(finding_), number, format, arguments);
  }

  const Finding& finding_;
  std::string_view text_;
  simt::rewriting::SourceText source_;
  std::vector<simt::SourceAccess> accesses_;
  std::vector<Probe> probes_;
};

/// What probes have written among the rest of an output.
std::vector<Told> told_in(const std::string& output, const std::vector<Probe>& probes) {
  std::vector<Told> all;
  for (std::size_t at = output.find(mark); at != output.npos; at = output.find(mark, at + 1)) {
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

/// The matrix of a call by its name.
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

/// Whether a message names an element so: "As[3]" is no "As[3][5]".
bool names(const std::string& message, const std::string& element) {
  for (std::size_t at = message.find(element); at != message.npos;
       at = message.find(element, at + 1)) {
    const std::size_t end = at + element.size();
    if (end == message.size() || message[end] != '[') return true;
  }
  return false;
}

/// All that an element may be called: by its brackets, or counted through.
std::set<std::string> names_of(const Told& told, const std::string& array,
                               const std::optional<MatrixShape>& shape) {
  std::string by_brackets = array, counted = array;
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
  all.insert(counted + fmt::format("[{}]", place) + last);
  return all;
}

std::string in_words(const ThreadOfGrid& place) {
  return tr("thread ({}) of block ({})", fmt::join(place.thread, ", "),
            fmt::join(place.block, ", "));
}

std::string sentence(const Told& told, const Probe& probe) {
  std::string list;
  for (std::size_t i = 0; i < probe.told.size(); ++i) {
    list += (list.empty() ? "" : ", ") + fmt::format("{} = {}", probe.told[i], told.values[i]);
  }
  return tr(" On line {} {} has {}.", probe.line, in_words(told.place), list);
}

}  // namespace

std::string numbers_of(const Finding& finding, const RepairRequest& request) {
  static const std::set<std::string_view> kinds = {"out-of-bounds", "uninitialised", "race",
                                                   "warp-race", "misaligned"};
  constexpr double most_operations = 2e8;  // which take seconds
  if (!kinds.contains(finding.kind) || !finding.place || finding.array.empty()) return "";
  const auto posed = posed_call(request.stage, finding.call, most_operations);
  if (!posed || posed->call.text != finding.call) return "";
  const std::string text = core::text_of(request.source_directory / finding.file);
  const Probes probes(finding, text);
  if (probes.all().empty()) return "";
  const fs::path folder = folder_with(request, "numbers", finding.file, probes.written());
  BuildRequest build{request.stage.id, folder, Backend::simt, request.scratch / "numbers",
                     Flavour::checked};
  build.bubblewrap = request.bubblewrap;
  build.varied = true;
  const BuildResult built = build_module(build);
  if (!built.ok) return "";
  const std::vector<Told> all = told_in(output_of(*posed, built.module, request), probes.all());
  const auto& contracts = contracts_of(request.stage.id);
  const auto contract = std::ranges::find(contracts, posed->call.function, &ContractInfo::function);
  if (contract == contracts.end()) return "";
  const auto shape = shape_of(posed->call, *contract, finding.array);
  std::string message;
  std::set<std::pair<int, std::string>> seen;
  for (const Told& told : all) {
    const Probe& probe = probes.all()[told.probe];
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
