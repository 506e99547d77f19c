#include "common/simt/rewrite/conditions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt::rewriting {
namespace {

class Collector {
 public:
  Collector(const Outline& outline, std::size_t body)
      : outline_(outline), code_(outline.code()), body_(body) {}

  /// Walks back from the token, and out of the brackets around it.
  std::vector<Condition> run(std::size_t index) {
    bool is_other_statement = false;  // a statement at this depth that does not hold the token
    bool is_second_choice = false;
    for (std::size_t i = index; i-- > body_ + 1;) {
      const Token& token = code_[i];
      if (token.is("{") && opens_lambda(outline_, i)) break;
      if (token.is("{") || token.is("(") || token.is("[")) {
        is_other_statement = false;
        is_second_choice = false;
      } else if (token.is(";")) {
        if (!is_in_header(i)) look_for_exit(i);
        is_other_statement = true;
      } else if (token.is("}")) {
        look_for_exit(i);
        is_other_statement = true;
        i = outline_.partner(i).value_or(i);
      } else if (token.is(")")) {
        const std::size_t open = outline_.partner(i).value_or(i);
        if (open != i && !is_other_statement) read_head(open, i);
        i = open;
      } else if (token.is("]")) {
        i = outline_.partner(i).value_or(i);
      } else if (is_other_statement) {
        continue;
      } else if (token.is("else")) {
        i = read_else(i);
      } else if (token.is(":")) {
        is_second_choice = true;
      } else if (token.is("?")) {
        const std::size_t first = start_of_operand(i);
        add(Condition::Kind::test, {first, i}, is_second_choice);
        is_second_choice = false;
        i = first;
      } else if (token.is("&&")) {
        const std::size_t first = start_of_operand(i);
        add(Condition::Kind::test, {first, i}, false);
        i = first;
      }
    }
    std::ranges::reverse(found_);
    return std::move(found_);
  }

 private:
  /// Whether the semicolon is one of the two in the parentheses of a `for`.
  bool is_in_header(std::size_t semicolon) const {
    for (std::size_t i = semicolon; i-- > body_;) {
      if (code_[i].is("{") || code_[i].is("}")) return false;
      if (code_[i].is("(")) return true;
      if (code_[i].is(")") || code_[i].is("]")) i = outline_.partner(i).value_or(i);
    }
    return false;
  }

  /// Returns the word before parentheses: `if`, also for `if constexpr`.
  std::string_view word_of(std::size_t open) const {
    const bool is_constexpr = code_[open - 1].is("constexpr");
    return code_[open - (is_constexpr ? 2 : 1)].text;
  }

  void read_head(std::size_t open, std::size_t close) {
    const std::string_view word = word_of(open);
    if (word == "if") {
      add(Condition::Kind::test, {open + 1, close}, false);
    } else if (word == "while") {
      add(Condition::Kind::loop, {open + 1, close}, false);
    } else if (word == "for") {
      std::vector<std::size_t> ends;
      for (std::size_t i = open + 1; i < close; ++i) {
        if (code_[i].is("(") || code_[i].is("[") || code_[i].is("{")) {
          i = outline_.partner(i).value_or(i);
        }
        if (code_[i].is(";")) ends.push_back(i);
      }
      if (ends.size() == 2) add(Condition::Kind::loop, {ends[0] + 1, ends[1]}, false);
    }
  }

  /// Returns the parentheses of the `if` whose body is the statement that ends before `end`.
  std::optional<Part> head_of_body(std::size_t end) const {
    std::size_t before = end;
    if (code_[end - 1].is("}")) {
      before = outline_.partner(end - 1).value_or(end - 1);
      if (before == 0 || !code_[before - 1].is(")")) return std::nullopt;
    } else {
      --before;  // its semicolon
      while (before > body_ + 1 && !is_head_before(before)) {
        const Token& token = code_[before - 1];
        if (token.is(";") || token.is("{") || token.is("}")) return std::nullopt;
        before = token.is(")") || token.is("]") ? outline_.partner(before - 1).value_or(before - 1)
                                                : before - 1;
      }
    }
    if (!is_head_before(before)) return std::nullopt;
    return Part{*outline_.partner(before - 1), before - 1};
  }

  bool is_head_before(std::size_t index) const {
    if (!code_[index - 1].is(")")) return false;
    const auto open = outline_.partner(index - 1);
    return open && word_of(*open) == "if";
  }

  /// Looks for `if (row >= n) return;`, of which this is the last token.
  void look_for_exit(std::size_t end) {
    static constexpr auto ways_out =
        std::to_array<std::string_view>({"return", "continue", "break"});
    std::size_t last = end;  // the semicolon of the statement that may leave
    if (code_[end].is("}")) {
      const auto open = outline_.partner(end);
      if (!open || *open + 1 >= end || !code_[end - 1].is(";")) return;
      last = end - 1;
    }
    std::size_t first = last;
    while (first > body_ + 1 && !is_head_before(first) && !code_[first - 1].is(";") &&
           !code_[first - 1].is("{") && !code_[first - 1].is("}")) {
      --first;
    }
    if (std::ranges::find(ways_out, code_[first].text) == ways_out.end()) return;
    const auto head = head_of_body(end + 1);
    if (head) add(Condition::Kind::test, {head->first + 1, head->end}, true);
  }

  /// @return where to continue: at the `if`
  std::size_t read_else(std::size_t word) {
    const auto head = head_of_body(word);
    if (!head) return word;
    add(Condition::Kind::test, {head->first + 1, head->end}, true);
    return head->first - 1;
  }

  /// Returns the start of the operand that ends before an operator.
  std::size_t start_of_operand(std::size_t end) const {
    static constexpr auto weaker = std::to_array<std::string_view>(
        {"(", "[", "{", ",", ";", "=", "?", ":", "return", "&&", "||"});
    std::size_t first = end;
    while (first > body_ + 1 && std::ranges::find(weaker, code_[first - 1].text) == weaker.end()) {
      // Operands joined by && and || form a single condition before ?.
      first = code_[first - 1].is(")") || code_[first - 1].is("]")
                  ? outline_.partner(first - 1).value_or(first - 1)
                  : first - 1;
      if (code_[end].is("?") && (code_[first - 1].is("&&") || code_[first - 1].is("||"))) --first;
    }
    return first;
  }

  /// Adds conditions, split at the operators whose operands must all hold, or must all not hold.
  void add(Condition::Kind kind, Part words, bool must_not_hold) {
    const std::string_view joint = must_not_hold ? "||" : "&&";
    const std::string_view other = must_not_hold ? "&&" : "||";
    // A pair of parentheses around the whole condition means nothing.
    while (words.first + 1 < words.end && code_[words.first].is("(") &&
           outline_.partner(words.first) == words.end - 1) {
      words = {words.first + 1, words.end - 1};
    }
    // A variable, `const bool inside = row < n;`, is replaced by its initial value.
    if (words.first + 1 == words.end && code_[words.first].is_name()) {
      const auto made = definition_of(outline_, words.first, body_);
      if (made && made->first < words.first) return add(kind, *made, must_not_hold);
    }
    std::vector<std::size_t> joints;
    for (std::size_t i = words.first; i < words.end; ++i) {
      if (code_[i].is("(") || code_[i].is("[")) i = outline_.partner(i).value_or(i);
      if (code_[i].is(other) || code_[i].is("?")) {
        joints.clear();
        break;
      }
      if (code_[i].is(joint)) joints.push_back(i);
    }
    std::size_t end = words.end;
    std::ranges::reverse(joints);  // found_ is reversed in the end
    for (const std::size_t joint_at : joints) {
      add(kind, {joint_at + 1, end}, must_not_hold);
      end = joint_at;
    }
    if (words.first >= end) return;
    if (joints.empty()) {
      found_.push_back({kind, {words.first, end}, must_not_hold});
    } else {
      add(kind, {words.first, end}, must_not_hold);
    }
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t body_;
  std::vector<Condition> found_;
};

}  // namespace

std::vector<Condition> conditions_before(const Outline& outline, std::size_t index,
                                         std::size_t body) {
  return Collector(outline, body).run(index);
}

}  // namespace tilewise::simt::rewriting
