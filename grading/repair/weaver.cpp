// Writes variants as text: one of them into the source, or all woven into one source.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "grading/repair/blocks.hpp"

namespace tilewise::grading {

namespace {

/// Weaves variants into a source, from the outermost exchanges inwards.
class Weaver {
 public:
  Weaver(const SourceText& source, std::string_view text, const std::vector<Variant>& variants)
      : code_(source.outline.code()), text_(text) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      for (const Change& change : variants[i].changes) {
        const auto key =
            std::tuple(change.words.first, code_.size() - change.words.end, change.form);
        places_[key].push_back({i + 1, &change});
      }
    }
    const std::vector<Part> blocks = blocks_of(source);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks_[blocks[i].first] = i;
    for (const auto& [key, choices] : places_) {
      const Change& change = *choices.front().change;
      if (change.form == Change::Form::operand) {
        operands_[change.words.first] = &choices;
      } else if (change.form == Change::Form::insertion) {
        insertions_[change.words.first] = &choices;
      } else {
        exchanges_[change.words.first].push_back(&choices);
      }
    }
  }

  std::string weave() const {
    if (code_.empty()) return std::string(text_);
    return std::string(text_.substr(0, code_.front().begin)) + weave({0, code_.size()}, 0, true) +
           std::string(text_.substr(code_.back().end()));
  }

 private:
  struct Choice {
    std::size_t variant;
    const Change* change;
  };
  using Choices = std::vector<Choice>;

  /// @param passed how many exchanges at the first token already enclose these tokens
  std::string weave(Part words, std::size_t passed, bool begins_statement) const {
    std::string result;
    for (std::size_t i = words.first; i < words.end;) {
      if (i > words.first) {
        result += text_.substr(code_[i - 1].end(), code_[i].begin - code_[i - 1].end());
      }
      const bool is_inside = i == words.first && !begins_statement;
      const auto inserted = insertions_.find(i);
      if (inserted != insertions_.end() && !is_inside) result += inserts(*inserted->second);
      const Choices* exchange = next_exchange(i, words.end, i == words.first ? passed : 0);
      if (exchange != nullptr) {
        const Part part = exchange->front().change->words;
        const std::size_t depth = depth_of(i, exchange);
        result += exchanged(*exchange, part, weave(part, depth + 1, false));
        i = part.end;
        continue;
      }
      const auto operand = operands_.find(i);
      if (operand != operands_.end()) result += before_operand(*operand->second);
      result += code_[i].text;
      const auto block = blocks_.find(i);
      if (block != blocks_.end()) {
        result += fmt::format(" ::tilewise::simt::enter({});", block->second);
      }
      ++i;
    }
    return result;
  }

  const Choices* next_exchange(std::size_t token, std::size_t end, std::size_t passed) const {
    const auto here = exchanges_.find(token);
    if (here == exchanges_.end()) return nullptr;
    for (std::size_t i = passed; i < here->second.size(); ++i) {
      if (here->second[i]->front().change->words.end <= end) return here->second[i];
    }
    return nullptr;
  }

  std::size_t depth_of(std::size_t token, const Choices* exchange) const {
    const auto& here = exchanges_.at(token);
    return std::size_t(std::ranges::find(here, exchange) - here.begin());
  }

  static std::string chosen(std::size_t variant) {
    return fmt::format("(tilewise_chosen_variant == {})", variant);
  }

  /// The condition that none of these variants is chosen. In a loop it is tested far more often
  /// than the conditions that choose one. Variants at one place have consecutive numbers, or
  /// nearly, so it compares with ranges.
  static std::string none_of(const Choices& choices) {
    std::string test;
    for (std::size_t i = 0, end = 1; i < choices.size(); i = end++) {
      while (end < choices.size() && choices[end].variant == choices[end - 1].variant + 1) ++end;
      const std::size_t least = choices[i].variant, most = choices[end - 1].variant;
      test += fmt::format("{}unsigned(tilewise_chosen_variant - {}) > {}U",
                          test.empty() ? "" : " && ", least, most - least);
    }
    return "(" + test + ")";
  }

  std::string exchanged(const Choices& choices, Part part, const std::string& given) const {
    std::string result;
    if (choices.front().change->form == Change::Form::statement) {
      result = "{ if " + none_of(choices) + " { " + given + " }";
      for (const Choice& each : choices) {
        result += " else if " + chosen(each.variant) + " { " + each.change->text + " }";
      }
      return result + " }";
    }
    const Change::Form form = choices.front().change->form;
    if (form == Change::Form::condition || form == Change::Form::sides) {
      const std::string type = form == Change::Form::sides ? "::dim3" : "bool";
      result = type + "(" + none_of(choices) + " ? " + type + "(" + given + ")";
      for (const Choice& each : choices) {
        result += " : " + (&each == &choices.back() ? "" : chosen(each.variant) + " ? ") + type +
                  "(" + each.change->text + ")";
      }
      return result + ")";
    }
    const std::size_t begin = code_[part.first].begin;
    std::string plain(text_.substr(begin, code_[part.end - 1].end() - begin));
    std::ranges::replace(plain, '\n', ' ');
    const std::string type = "decltype(" + plain + ")";
    // g++ 12 confuses types if a template takes an element of the result of ?:.
    result = "::tilewise::simt::as<" + type + ">(" + none_of(choices) + " ? ::tilewise::simt::as<" +
             type + ">(" + given + ")";
    for (const Choice& each : choices) {
      std::string text = each.change->text;
      for (std::size_t at; (at = text.find('@')) != text.npos;)
        text.replace(at, 1, "::std::decay_t<" + type + ">");
      result += " : " + (&each == &choices.back() ? "" : chosen(each.variant) + " ? ") +
                fmt::format("::tilewise::simt::as<{}>({})", type, text);
    }
    return result + ")";
  }

  static std::string inserts(const Choices& choices) {
    std::string result;
    for (const Choice& each : choices) {
      result += "if " + chosen(each.variant) + " { " + each.change->text + " } ";
    }
    return result;
  }

  static std::string before_operand(const Choices& choices) {
    std::string result;
    for (const Choice& each : choices) {
      const std::string& text = each.change->text;
      const std::size_t at = text.find('@');
      result += text.substr(0, at) + chosen(each.variant) + text.substr(at + 1) + " ";
    }
    return result;
  }

  const std::vector<Token>& code_;
  std::string_view text_;
  std::map<std::tuple<std::size_t, std::size_t, Change::Form>, Choices> places_;
  std::map<std::size_t, std::vector<const Choices*>> exchanges_;  ///< by token, the longest first
  std::map<std::size_t, const Choices*> operands_, insertions_;
  std::map<std::size_t, std::size_t> blocks_;  ///< by the token that opens them
};

}  // namespace

std::size_t before_pragmas(std::string_view text, std::size_t begin) {
  constexpr std::string_view blanks = " \t";
  std::size_t line = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  if (text.substr(line, begin - line).find_first_not_of(blanks) != text.npos) return begin;
  while (line > 1) {
    const std::size_t above = text.rfind('\n', line - 2) + 1;
    const std::size_t first = text.find_first_not_of(blanks, above);
    if (!text.substr(first).starts_with("#pragma")) break;
    line = above;
    begin = first;
  }
  return begin;
}

std::string with_edits(const SourceText& source, std::string_view text, const Variant& variant) {
  const std::vector<Token>& code = source.outline.code();
  std::vector<Rewording> edits = variant.edits;
  std::ranges::stable_sort(edits, {}, [](const Rewording& each) { return each.words.first; });
  std::string result;
  std::size_t at = 0;
  for (const Rewording& each : edits) {
    const bool replaces = each.words.end > each.words.first;
    const std::size_t first = code[each.words.first].begin;
    const std::size_t begin = replaces ? first : before_pragmas(text, first);
    if (begin < at) continue;
    const char* const end = replaces ? "" : begin < first ? "\n" : " ";
    result += std::string(text.substr(at, begin - at)) + each.text + end;
    at = replaces ? code[each.words.end - 1].end() : begin;
  }
  return result + std::string(text.substr(at));
}

std::string varied(const SourceText& source, std::string_view text,
                   const std::vector<Variant>& variants) {
  return Weaver(source, text, variants).weave();
}

}  // namespace tilewise::grading
