#include "common/simt/rewrite/index_parts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt::rewriting {
namespace {

using Words = std::vector<std::string>;

/// Returns the bracket that closes the one that is the first of these words.
std::size_t close_of_first(const Words& words) {
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    depth += (words[i] == "(") - (words[i] == ")");
    if (depth == 0) return i;
  }
  return words.size();
}

/// Removes brackets around nothing, around one name, and around all words.
void simplify(Words& words) {
  for (std::size_t i = 0; i + 2 < words.size();) {
    if (words[i] == "(" && words[i + 2] == ")" && words[i + 1] != "(") {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      i = i > 0 ? i - 1 : 0;
    } else if (words[i] == "(" && words[i + 1] == ")") {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                  words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    } else {
      ++i;
    }
  }
  while (words.size() > 2 && words.front() == "(" && close_of_first(words) == words.size() - 1) {
    words.erase(words.begin());
    words.pop_back();
  }
}

/// Returns the words of an expression without those that do not change its value: casts to other
/// integer types, and brackets around all of it or around one name.
Words plain(const std::vector<Token>& code, Part part) {
  static constexpr auto casts = std::to_array<std::string_view>(
      {"std", "::", "size_t", "ptrdiff_t", "int", "unsigned", "long", "int64_t", "uint64_t",
       "int32_t", "uint32_t", "static_cast"});
  Words words;
  for (std::size_t i = part.first; i < part.end; ++i) {
    if (code[i].is("static_cast") && i + 1 < part.end && code[i + 1].is("<")) {
      while (i < part.end && !code[i].is(">")) ++i;
      continue;
    }
    if (std::ranges::find(casts, code[i].text) != casts.end()) continue;
    words.emplace_back(code[i].text);
  }
  simplify(words);
  return words;
}

/// Returns the names of variables, and names with a member such as "threadIdx.x".
std::set<std::string> names_in(const Words& words) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i].front();
    const bool starts_name = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!starts_name || (i > 0 && words[i - 1] == ".")) continue;
    const bool has_member = i + 2 < words.size() && words[i + 1] == ".";
    names.insert(has_member ? words[i] + "." + words[i + 2] : words[i]);
  }
  return names;
}

}  // namespace

namespace {

/// Adds the counter and its first value, `int half = Threads / 2;`, from before the condition of a
/// `for`.
void add_start(const std::vector<Token>& code, std::size_t condition, SourceCondition& said) {
  if (!code[condition - 1].is(";")) return;
  for (std::size_t i = condition - 2; i > 0 && !code[i].is(";") && !code[i].is("{"); --i) {
    if (code[i].is(",")) return;
    if (!code[i].is("=")) continue;
    said.counter = code[i - 1].text;
    said.start = words_of(code, {i + 1, condition - 1});
    return;
  }
}

}  // namespace

std::string words_of(const std::vector<Token>& code, Part part) {
  return joined(std::span(code).subspan(part.first, part.end - part.first));
}

std::vector<SourceCondition> in_words(const std::vector<Token>& code,
                                      const std::vector<Condition>& conditions) {
  std::vector<SourceCondition> said;
  for (const Condition& condition : conditions) {
    const bool is_of_loop = condition.kind == Condition::Kind::loop;
    said.push_back({code[condition.words.first].line, words_of(code, condition.words),
                    condition.must_not_hold, is_of_loop});
    if (is_of_loop) add_start(code, condition.words.first, said.back());
  }
  return said;
}

IndexParts::Split IndexParts::row_and_column(Part index) const {
  if (index.end == index.first + 1 && code_[index.first].is_name()) {
    const auto made = definition_of(outline_, index.first, body_);
    if (made) index = *made;
  }
  std::optional<Part> row;
  std::string pitch;
  std::vector<Part> terms;
  std::size_t first = index.first;
  for (std::size_t i = index.first; i <= index.end; ++i) {
    if (i == index.end || code_[i].is("+")) {
      terms.push_back({first, i});
      first = i + 1;
    } else if (code_[i].is("(") || code_[i].is("[")) {
      i = outline_.partner(i).value_or(i);
    } else if (code_[i].is("-")) {
      return {{index}};
    }
  }
  std::size_t at = terms.size();
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const Part& term = terms[t];
    if (term.end < term.first + 3) continue;
    const bool behind = sides_.contains(code_[term.end - 1].text) && code_[term.end - 2].is("*");
    const bool before = sides_.contains(code_[term.first].text) && code_[term.first + 1].is("*");
    if (!behind && !before) continue;
    if (row) return {{index}};
    row = behind ? Part{term.first, term.end - 2} : Part{term.first + 2, term.end};
    pitch = code_[behind ? term.end - 1 : term.first].text;
    at = t;
  }
  if (!row) return {{index}};
  // The remaining terms must be adjacent.
  if (terms.size() == 1) return {{*row}, pitch};
  if (at == 0) return {{*row, {terms[1].first, index.end}}, pitch};
  if (at + 1 == terms.size()) return {{*row, {index.first, terms[at - 1].end}}, pitch};
  return {{index}};
}

/// Returns the words of a part, with variables replaced by their initial values.
IndexParts::Words IndexParts::written_out(Part part, int depth) const {
  Words words;
  constexpr int deepest = 4;
  for (std::size_t i = part.first; i < part.end; ++i) {
    const bool is_member = i > part.first && (code_[i - 1].is(".") || code_[i - 1].is("::"));
    const auto made = code_[i].is_name() && !is_member && depth < deepest
                          ? definition_of(outline_, i, body_)
                          : std::nullopt;
    if (!made) {
      for (std::string& word : plain(code_, {i, i + 1})) words.push_back(std::move(word));
      continue;
    }
    const Words inner = written_out(*made, depth + 1);
    if (inner.size() > 1) words.emplace_back("(");
    words.insert(words.end(), inner.begin(), inner.end());
    if (inner.size() > 1) words.emplace_back(")");
  }
  simplify(words);
  return words;
}

/// Returns the part without brackets around all of it and without a cast to an integer.
Part IndexParts::bare(Part part) const {
  for (;;) {
    std::size_t first = part.first;
    while (first < part.end && (code_[first].is("std") || code_[first].is("::") ||
                                code_[first].is("size_t") || code_[first].is("int"))) {
      ++first;
    }
    if (first + 1 >= part.end || !code_[first].is("(") || outline_.partner(first) != part.end - 1) {
      return part;
    }
    part = {first + 1, part.end - 1};
  }
}

IndexPart IndexParts::judged(Part part, const std::vector<Condition>& conditions) const {
  static constexpr auto compares =
      std::to_array<std::string_view>({"<", ">", "<=", ">=", "==", "!="});
  part = bare(part);
  IndexPart judged{words_of(code_, part)};
  const Words used = written_out(part);
  const std::set<std::string> names = names_in(used);
  // A number needs no test, nor does an index that min() clamps to the last element.
  const bool is_held_back = std::ranges::find(used, "min") != used.end();
  if (names.empty() || is_held_back) judged.tested = IndexPart::Tested::exactly;
  for (const Condition& condition : conditions) {
    std::size_t middle = condition.words.first;
    while (middle < condition.words.end &&
           std::ranges::find(compares, code_[middle].text) == compares.end()) {
      middle = outline_.behind(middle);
    }
    if (middle >= condition.words.end) continue;
    const Part left{condition.words.first, middle}, right{middle + 1, condition.words.end};
    for (const Part& side : {left, right}) {
      if (side.first >= side.end) continue;
      const Words compared_words = written_out(side);
      if (plain(code_, side) == plain(code_, part) || compared_words == used) {
        judged.tested = IndexPart::Tested::exactly;
        judged.compared_line = code_[side.first].line;
        judged.bound = words_of(code_, side.first == left.first ? right : left);
        return judged;
      }
      judged.is_touched |= std::ranges::any_of(
          names_in(compared_words), [&](const std::string& name) { return names.contains(name); });
      if (!names.empty() && std::ranges::includes(names_in(compared_words), names)) {
        judged.tested = IndexPart::Tested::alike;
        judged.compared = words_of(code_, side);
        judged.compared_line = code_[side.first].line;
      }
    }
  }
  return judged;
}

}  // namespace tilewise::simt::rewriting
