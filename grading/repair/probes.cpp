#include "grading/repair/probes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <span>
#include <utility>

#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/access_words.hpp"
#include "grading/repair/scope.hpp"

namespace tilewise::grading {
namespace {

using core::Finding;
using Triple = std::array<unsigned, 3>;

/// The triples in a message, such as "(1, 0, 0)", in whatever language it is.
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

/// Writes `(threadIdx.x == 1 && threadIdx.y == 0 && threadIdx.z == 0)`.
std::string equals(const char* builtin, const Triple& place) {
  return fmt::format("({0}.x == {1} && {0}.y == {2} && {0}.z == {3})", builtin, place[0], place[1],
                     place[2]);
}

/// Writes a condition that holds in the threads that a finding names.
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

/// Finds the probes for one source, and writes them into it.
class Probes {
 public:
  Probes(const Finding& finding, std::string_view text)
      : finding_(finding), text_(text), source_(text), accesses_(simt::accesses_in(text)) {
    add_on(finding.line);
    if (finding.other_line != finding.line && finding.other_file == finding.file) {
      add_on(finding.other_line);
    }
    // A kernel may name a matrix as the contract does, but need not.
    const auto is_of_it = [&](const Probe& probe) {
      return probe.array == finding.array || probe.matrix == finding.array;
    };
    if (std::ranges::any_of(probes_, is_of_it)) std::erase_if(probes_, std::not_fn(is_of_it));
  }

  const std::vector<Probe>& all() const { return probes_; }

  /// The source with the probes in it. It keeps its line numbers.
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

  /// The access that begins at a name, if the finding may be about it; else nullptr.
  const simt::SourceAccess* access_at(std::size_t name) const {
    const Token& token = source_.outline.code()[name];
    const std::string first = words_of({name + 2, source_.outline.behind(name + 1) - 1});
    for (const simt::SourceAccess& access : accesses_) {
      const bool may_be = access.array == finding_.array || access.matrix == finding_.array ||
                          access.memory == simt::SourceAccess::Memory::global ||
                          access.memory == simt::SourceAccess::Memory::unknown;
      // A line may have several accesses to one array.
      const bool is_it = access.line == token.line && access.array == token.text &&
                         !access.brackets.empty() && access.brackets.front() == first;
      if (is_it && may_be) return &access;
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

  /// The pointer that is dereferenced or handed on at a name: `a` of `*a`, or `a + step` of
  /// `copy(to, exists ? a + step : A)`. Empty if there is none.
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
    while (end < code.size() &&
           std::ranges::find(behind_sums, code[end].text) == behind_sums.end()) {
      end = source_.outline.behind(end);
    }
    return {name, end < code.size() ? end : name};
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

  /// Adds the integers among the names in a text to a probe, each once.
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

  /// Adds the other integers in conditions that test a reported expression.
  void add_tests(const std::vector<simt::SourceCondition>& conditions,
                 const std::vector<const Variable*>& seen, Probe& probe) const {
    for (const simt::SourceCondition& condition : conditions) {
      const bool is_of_it = std::ranges::any_of(
          probe.told, [&](const std::string& each) { return says_word(condition.text, each); });
      if (is_of_it && !condition.is_of_loop) add_names_in(condition.text, seen, probe);
    }
  }

  /// Whether a name is declared as an integer anywhere, as a constant or a template's parameter.
  bool is_constant(std::string_view name) const {
    const std::vector<Token>& code = source_.outline.code();
    for (std::size_t i = 1; i < code.size(); ++i) {
      if (code[i].is(name) && names_integers(code[i - 1])) return true;
    }
    return false;
  }

  /// Writes an expression that prints a probe's values in the threads that the finding names.
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

}  // namespace

ProbedSource with_probes(const Finding& finding, std::string_view source) {
  const Probes probes(finding, source);
  return {probes.all(), probes.written()};
}

}  // namespace tilewise::grading
