#include "common/simt/rewrite/macros.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

MacroArguments arguments_between(const std::vector<Token>& tokens, std::size_t open,
                                 std::size_t close) {
  MacroArguments arguments;
  std::size_t depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i <= close; ++i) {
    const Token& token = tokens[i];
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (i < close && !(token.is(",") && depth == 1)) continue;
    arguments.push_back(std::span(tokens).subspan(begin, i - begin));
    begin = i + 1;
  }
  return arguments;
}

namespace {

/// A macro may stand for others, each of which may stand for others.
constexpr int most_rounds = 16;
/// Text that grows more than this repeats a macro many times over; the compiler deals with the
/// rest.
constexpr std::size_t most_growth = 1 << 20;

bool is_launch_bracket(const Macro& macro) {
  const auto& body = macro.body;
  return !macro.has_parameters &&
         ((body.size() == 1 && body[0].is("<<<")) ||
          (body.size() == 3 && std::all_of(body.begin(), body.end(),
                                           [](const Token& token) { return token.is(">"); })));
}

/// Substitutes arguments for a macro's parameters.
class Substitution {
 public:
  Substitution(const Macro& macro, const MacroArguments& arguments)
      : macro_(macro), arguments_(arguments) {}

  std::optional<std::string> text() {
    const auto& body = macro_.body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].is("__VA_OPT__")) return std::nullopt;
      if (i > 0 && body[i].begin != body[i - 1].end() && !pastes_) text_ += ' ';
      if (body[i].is("#") && i + 1 < body.size() && body[i + 1].is("#")) {
        while (!text_.empty() && text_.back() == ' ') text_.pop_back();
        pastes_ = true;
        ++i;
      } else if (body[i].is("#") && macro_.has_parameters && i + 1 < body.size()) {
        ++i;
        append(quoted(argument(body[i]).value_or(std::string(body[i].text))));
      } else {
        append_token(i);
      }
    }
    return text_;
  }

 private:
  void append(const std::string& text) {
    text_ += text;
    pastes_ = false;
  }

  void append_token(std::size_t index) {
    const Token& token = macro_.body[index];
    const auto given = argument(token);
    if (!given) return append(std::string(token.text));
    // `, ##__VA_ARGS__` removes the comma where there are no arguments for it.
    if (pastes_ && macro_.takes_any_number && token.is(macro_.parameters.back())) {
      if (given->empty() && !text_.empty() && text_.back() == ',') text_.pop_back();
      return append(*given);
    }
    const bool is_pasted =
        pastes_ || (index + 1 < macro_.body.size() && macro_.body[index + 1].is("#"));
    append(is_pasted ? *given : ' ' + *given + ' ');
  }

  std::optional<std::string> argument(const Token& token) const {
    const auto found = std::find(macro_.parameters.begin(), macro_.parameters.end(), token.text);
    if (found == macro_.parameters.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(found - macro_.parameters.begin());
    if (index >= arguments_.size()) return "";
    if (!macro_.takes_any_number || index + 1 < macro_.parameters.size()) {
      return joined(arguments_[index]);
    }
    std::string all;
    for (std::size_t i = index; i < arguments_.size(); ++i) {
      all += (i > index ? ", " : "") + joined(arguments_[i]);
    }
    return all;
  }

  const Macro& macro_;
  const MacroArguments& arguments_;
  std::string text_;
  bool pastes_ = false;
};

/// One round over a file: it expands the macros that the file uses, but not those in their
/// expansions.
class Round {
 public:
  explicit Round(std::string_view source)
      : source_(source), tokens_(without_disabled(tokenize(source))), macros_(macros_in(tokens_)) {
    std::unordered_map<std::string_view, int> definitions;
    for (const Macro& macro : macros_) ++definitions[macro.name->text];
    for (const Macro& macro : macros_) {
      const bool is_recursive = macro.says(macro.name->text);
      if (definitions[macro.name->text] == 1 && !is_recursive) {
        known_.emplace(macro.name->text, &macro);
      }
    }
    find_declaring();
  }

  bool may_change() const {
    return !known_.empty() && (!wanted_.empty() || source_.find("__shared__") != source_.npos ||
                               source_.find("<<<") != source_.npos);
  }

  std::string run() {
    write_out(tokens_, true);
    for (const Macro& macro : macros_) {
      if (!wanted_.contains(macro.name->text)) write_out(macro.body, false);
    }
    return edits_.apply_to(source_);
  }

  std::unordered_set<std::string> unused() const {
    std::unordered_set<std::string> names;
    for (const std::string_view name : wanted_) {
      if (!left_.contains(name)) names.emplace(name);
    }
    return names;
  }

 private:
  // Finds macros that contain __shared__ or use one that does, and those for half a launch.
  void find_declaring() {
    std::unordered_map<std::string_view, std::vector<std::string_view>> users;
    std::vector<std::string_view> found;
    for (const auto& [name, macro] : known_) {
      for (const Token& token : macro->body) users[token.text].push_back(name);
      if (is_launch_bracket(*macro)) found.push_back(name);
    }
    if (const auto direct = users.find("__shared__"); direct != users.end()) {
      found.insert(found.end(), direct->second.begin(), direct->second.end());
    }
    while (!found.empty()) {
      const auto name = found.back();
      found.pop_back();
      if (!wanted_.insert(name).second) continue;
      const auto& more = users[name];
      found.insert(found.end(), more.begin(), more.end());
    }
  }

  /// The facts about each token, gathered before any is replaced.
  struct Places {
    std::vector<bool> in_declaration;        ///< in a `__shared__` declaration, outside bounds
    std::vector<std::size_t> closes;         ///< the ) of each (, otherwise 0
    std::vector<std::size_t> half_launches;  ///< how many launches before it lack their kernel
  };

  void write_out(const std::vector<Token>& tokens, bool is_code) {
    const Places places{parts_of_declarations(tokens), closing_parentheses(tokens),
                        half_launches(tokens)};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto known = known_.find(tokens[i].text);
      if (known == known_.end() || (is_code && tokens[i].directive != 0)) continue;
      const auto end = write_out_use(tokens, i, *known->second, places);
      if (!end) left_.insert(tokens[i].text);
      i = end.value_or(i);
    }
  }

  // Returns the last token of a use that has been expanded.
  std::optional<std::size_t> write_out_use(const std::vector<Token>& tokens, std::size_t name,
                                           const Macro& macro, const Places& places) {
    bool is_wanted = places.in_declaration[name] || wanted_.contains(macro.name->text);
    if (!macro.has_parameters) {
      return is_wanted && replace(tokens, name, name, joined(macro.body)) ? std::optional(name)
                                                                          : std::nullopt;
    }
    const std::size_t open = name + 1;
    const std::size_t close = open < tokens.size() ? places.closes[open] : 0;
    if (close == 0) return std::nullopt;
    is_wanted = is_wanted || places.half_launches[close] > places.half_launches[open];
    if (!is_wanted) return std::nullopt;
    const MacroArguments arguments = arguments_between(tokens, open, close);
    const auto text = Substitution(macro, arguments).text();
    if (!text || !replace(tokens, name, close, *text)) return std::nullopt;
    return close;
  }

  std::vector<std::size_t> half_launches(const std::vector<Token>& tokens) const {
    std::vector<std::size_t> before(tokens.size());
    std::size_t count = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      before[i] = count;
      if (!tokens[i - 1].is(",") && !tokens[i - 1].is("(")) continue;
      const auto macro = known_.find(tokens[i].text);
      const bool stands_for_one = macro != known_.end() && !macro->second->body.empty() &&
                                  macro->second->body.front().is("<<<");
      if (tokens[i].is("<<<") || stands_for_one) ++count;
    }
    return before;
  }

  static std::vector<std::size_t> closing_parentheses(const std::vector<Token>& tokens) {
    std::vector<std::size_t> closes(tokens.size());
    std::vector<std::size_t> open;
    int directive = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      // Parentheses with a directive between them are left alone.
      if (tokens[i].directive != std::exchange(directive, tokens[i].directive)) open.clear();
      if (tokens[i].is("(")) open.push_back(i);
      if (!tokens[i].is(")") || open.empty()) continue;
      closes[open.back()] = i;
      open.pop_back();
    }
    return closes;
  }

  bool replace(const std::vector<Token>& tokens, std::size_t first, std::size_t last,
               const std::string& text) {
    if (growth_ + text.size() > most_growth) return false;
    growth_ += text.size();
    edits_.replace(tokens[first], text);
    for (std::size_t i = first + 1; i <= last; ++i) edits_.erase(tokens[i]);
    return true;
  }

  static std::vector<bool> parts_of_declarations(const std::vector<Token>& tokens) {
    std::vector<bool> parts(tokens.size());
    std::size_t first = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.is(";") || token.is("{") || token.is("}") || token.directive != 0) first = i + 1;
      if (!token.is("__shared__") || token.directive != 0) continue;
      std::size_t brackets = 0;
      std::size_t end = first;
      for (; end < tokens.size() && tokens[end].directive == 0; ++end) {
        const Token& part = tokens[end];
        if (end > i && (part.is(";") || part.is("{") || part.is("}") || part.is("="))) break;
        if (part.is("[")) ++brackets;
        parts[end] = brackets == 0;
        if (part.is("]") && brackets > 0) --brackets;
      }
      i = end > i ? end - 1 : i;
      first = end;
    }
    return parts;
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<Macro> macros_;
  std::unordered_map<std::string_view, const Macro*> known_;  ///< the macros that are defined once
  std::set<std::string_view> wanted_;                         ///< the macros to expand
  std::set<std::string_view> left_;  ///< the macros with a use that was not expanded
  std::size_t growth_ = 0;
  Edits edits_;
};

// The name before `...`, if there is one, takes all remaining arguments.
void add_parameter(Macro& macro, const Token& token) {
  if (token.kind == TokenKind::identifier) macro.parameters.push_back(token.text);
  if (!token.is(".") || macro.takes_any_number) return;
  macro.takes_any_number = true;
  const bool has_name =
      !macro.parameters.empty() &&
      macro.parameters.back().data() + macro.parameters.back().size() == token.text.data();
  if (!has_name) macro.parameters.push_back("__VA_ARGS__");
}

}  // namespace

bool Macro::says(std::string_view word) const {
  return std::any_of(body.begin(), body.end(), [&](const Token& token) { return token.is(word); });
}

std::vector<Macro> macros_in(const std::vector<Token>& tokens) {
  std::vector<Macro> macros;
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    if (tokens[i].directive == 0 || !tokens[i - 2].is("#") || !tokens[i - 1].is("define")) continue;
    const auto is_part = [&](std::size_t at) {
      return at < tokens.size() && tokens[at].directive == tokens[i].directive;
    };
    std::size_t at = i + 1;
    const bool has_parameters =
        is_part(at) && tokens[at].is("(") && tokens[at].begin == tokens[i].end();
    Macro& macro = macros.emplace_back(Macro{&tokens[i], has_parameters, {}, false, {}});
    while (has_parameters && is_part(at) && !tokens[at].is(")")) add_parameter(macro, tokens[at++]);
    if (has_parameters && is_part(at)) ++at;
    for (; is_part(at); ++at) {
      macro.body.push_back(tokens[at]);
      macro.body.back().directive = 0;
    }
  }
  return macros;
}

WrittenOut with_macros_written_out(std::string_view source) {
  WrittenOut result{std::string(source), {}};
  for (int i = 0; i < most_rounds; ++i) {
    Round round(result.text);
    if (!round.may_change()) break;
    std::string text = round.run();
    result.unused = round.unused();
    if (text == result.text || text.size() > source.size() + most_growth) break;
    result.text = std::move(text);
  }
  return result;
}

}  // namespace tilewise::simt::rewriting
