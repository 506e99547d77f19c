#include "grading/builder/unseen_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>

#include "grading/builder/local_access.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

/// Removes a number and the colon before it from the end of a text; returns nothing if there is
/// none.
std::optional<int> take_place_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  int number = 0;
  const auto [end, error] =
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

/// A statement without the places "[file:line:column] " in it, and the first of these.
struct Statement {
  std::string text;
  std::string file;
  int line = 0;
};

Statement without_places(std::string_view line) {
  Statement statement;
  while (!line.empty()) {
    const std::size_t close = line.front() == '[' ? line.find(']') : line.npos;
    std::string_view inside = close == line.npos ? "" : line.substr(1, close - 1);
    inside = inside.substr(0, inside.find(" discrim"));
    const auto column = take_place_number(inside);
    const auto number = column ? take_place_number(inside) : std::nullopt;
    // The first bracket of "[(T &)[x.cu:16:37] &t]" is not a place.
    if (!number || inside.find('[') != inside.npos) {
      statement.text += line.front();
      line.remove_prefix(1);
      continue;
    }
    if (statement.line == 0) {
      statement.file = inside;
      statement.line = *number;
    }
    line.remove_prefix(std::min(close + 2, line.size()));  // the blank behind it goes, too
  }
  const std::size_t begin = statement.text.find_first_not_of(' ');
  statement.text.erase(0, begin == std::string::npos ? statement.text.size() : begin);
  return statement;
}

/// Returns where `wanted` stands outside of brackets and quotation marks.
std::size_t find_outside(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i, wanted.size()) == wanted) return i;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    } else if (text[i] == '(' || text[i] == '[') {
      ++depth;
    } else if (text[i] == ')' || text[i] == ']') {
      --depth;
    }
  }
  return text.npos;
}

/// Reads the functions in a dump, one after another.
class DumpReader {
 public:
  /// @param types  the types for finding accesses; null to find calls
  explicit DumpReader(const KernelTypes* types = nullptr) : types_(types) {}

  std::vector<UnseenCall> read(std::string_view dump) {
    while (!dump.empty()) {
      const std::string_view line = take_line(dump);
      if (line.starts_with(";; Function ")) {
        start_function(line);
      } else if (line.starts_with("  ")) {
        read_statement(without_places(line));
      } else if (!in_body_) {
        note_parameters(line);
      }
    }
    return std::move(calls_);
  }

 private:
  /// Reads ";; Function sum (_Z3sum2f8, funcdef_no=17, ...".
  void start_function(std::string_view line) {
    const std::size_t end = line.find(", funcdef_no=");
    const std::string_view head = line.substr(0, end);
    function_ = head.substr(head.rfind('(') + 1);
    arguments_.clear();
    locals_.clear();
    unsized_locals_.clear();
    in_body_ = false;
  }

  /// Records all words of "float sum (struct f8 a, int n)"; those that are types do no harm.
  void note_parameters(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t begin = i;
      while (i < line.size() && is_word(line[i])) ++i;
      if (i > begin) locals_.emplace(line.substr(begin, i - begin));
    }
  }

  /// Records "struct f8 D.2985", "float values[8]" or "int _2", which stand before the first block.
  void note_local(std::string_view declaration) {
    const std::string_view last = declaration.substr(declaration.rfind(' ') + 1);
    locals_.emplace(last.substr(0, last.find('[')));
    if (is_unsized(declaration)) unsized_locals_.emplace(last.substr(0, last.find('[')));
  }

  void read_statement(const Statement& statement) {
    std::string_view text = statement.text;
    in_body_ = in_body_ || text.starts_with("<bb ");
    text = text.substr(0, find_outside(text, ";"));
    if (!in_body_) return note_local(text);
    if (types_ != nullptr) return note_unbounded_access(statement, text);
    std::string_view result;
    if (const std::size_t equals = find_outside(text, " = "); equals != text.npos) {
      result = text.substr(0, equals);
      text.remove_prefix(equals + 3);
    }
    if (function_.starts_with(kernel_entry)) note_argument(result, text);
    const std::size_t open = find_outside(text, " (");
    if (text.starts_with('(') || open == text.npos || !text.ends_with(')')) return;
    const std::string_view callee = text.substr(0, open);
    if (callee.starts_with("__tsan_") || callee.starts_with("__ubsan_") || callee == "if" ||
        callee == "switch") {
      return;
    }
    // Atomic operations that are seen have become calls of the sanitizer.
    bool is_unseen =
        callee.starts_with("__atomic_") || callee.starts_with("__sync_") || is_memory(result);
    std::vector<std::string_view> names;
    if (is_name_elsewhere(result)) names.push_back(result);
    std::string_view arguments = text.substr(open + 2, text.size() - open - 3);
    while (!arguments.empty()) {
      const std::size_t comma = std::min(find_outside(arguments, ", "), arguments.size());
      const std::string_view argument = arguments.substr(0, comma);
      is_unseen = is_unseen || is_memory(argument);
      if (is_name_elsewhere(argument)) names.push_back(argument);
      arguments.remove_prefix(std::min(comma + 2, arguments.size()));
    }
    const UnseenCall call{function_, statement.file, statement.line, std::string(callee)};
    if (is_unseen) {
      calls_.push_back(call);
    } else {
      for (const std::string_view name : names) {
        calls_.push_back(call);
        calls_.back().operand = name;
      }
    }
  }

  void note_unbounded_access(const Statement& statement, std::string_view text) {
    const auto is_own = [this](std::string_view name) { return is_local(name); };
    if (!may_leave_a_local(text, unsized_locals_, is_own, *types_)) return;
    calls_.push_back({function_, statement.file, statement.line, ""});
  }

  /// Kernels read their arguments from where the launch has put them, on the host. Records the
  /// addresses that are a fixed distance from there.
  void note_argument(std::string_view result, std::string_view value) {
    const bool is_address = value.starts_with('&') || value.starts_with('(') ||
                            value.starts_with("context_") || value.starts_with('_');
    if (is_address && is_argument(value) && value.find('[', value.find("MEM[") + 4) == value.npos) {
      arguments_.emplace(result);
    }
  }

  /// Whether all pointers in an expression, of which there is at least one, lead to a kernel's
  /// arguments.
  bool is_argument(std::string_view expression) const {
    bool is_any = false;
    for (std::size_t i = 0; i < expression.size(); ++i) {
      std::size_t end = i;
      while (end < expression.size() && is_word(expression[end])) ++end;
      if (end == i) continue;
      const std::string_view word = expression.substr(i, end - i);
      i = end;
      const std::size_t version = word.rfind('_');
      const bool is_versioned = version != word.npos && version + 1 < word.size() &&
                                std::ranges::all_of(word.substr(version + 1), [](unsigned char c) {
                                  return std::isdigit(c) != 0;
                                });
      if (!is_versioned) continue;
      const bool is_context =
          word.starts_with("context_") && expression.substr(end).starts_with("(D)");
      if (!is_context && !arguments_.contains(std::string(word))) return false;
      is_any = true;
    }
    return is_any;
  }

  /// Whether an operand is memory behind a pointer, and not a value, an address or a variable.
  bool is_memory(std::string_view operand) const {
    if (function_.starts_with(kernel_entry) && is_argument(operand)) return false;
    if (operand.empty() || operand.front() == '&' || operand.front() == '"') return false;
    if (operand.front() == '*' || operand.find("(*") != operand.npos ||
        operand.find("->") != operand.npos) {
      return true;
    }
    // MEM[(const struct f8 &)p_2(D)] is, but MEM[(struct f8 *)&t] is part of a variable.
    if (operand.find("MEM") == operand.npos) return is_variable_elsewhere(operand);
    return operand.find('&') == operand.npos || operand.find("&)") != operand.npos;
  }

  /// Whether an operand is a part of a variable that is not local: "table[i_2(D)]".
  bool is_variable_elsewhere(std::string_view operand) const {
    static constexpr std::string_view builtin_variables[] = {"threadIdx", "blockIdx", "blockDim",
                                                             "gridDim"};
    std::size_t end = 0;
    while (end < operand.size() && is_word(operand[end])) ++end;
    if (operand.starts_with("D.")) {  // a variable of the compiler's own: D.2808
      for (++end; end < operand.size() && is_word(operand[end]);) ++end;
    }
    const std::string_view name = operand.substr(0, end);
    const bool is_name = end > 0 && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    if (!is_name || std::ranges::find(builtin_variables, name) != std::end(builtin_variables)) {
      return false;
    }
    // BIT_FIELD_REF <_4, 32, 0> does not count, nor does a name alone, which may be a function's.
    if (end == operand.size() || (operand[end] != '.' && operand[end] != '[')) return false;
    while (end < operand.size() && (is_word(operand[end]) || operand[end] == '.')) ++end;
    return !is_local(name) && !is_local(operand.substr(0, end));
  }

  /// Whether an operand is a name alone that the function does not declare.
  bool is_name_elsewhere(std::string_view operand) const {
    if (operand.empty() || !std::ranges::all_of(operand, is_word)) return false;
    const std::size_t version = operand.find_first_not_of("0123456789", operand.front() == '_');
    return version != operand.npos && !is_local(operand);  // "5" and "_5" are values
  }

  /// Whether a name, or the variable that "name_3" is a version of, is declared in the function.
  bool is_local(std::string_view name) const {
    if (locals_.contains(std::string(name))) return true;
    const std::size_t version = name.rfind('_');
    return version != name.npos && locals_.contains(std::string(name.substr(0, version)));
  }

  const KernelTypes* types_;
  std::vector<UnseenCall> calls_;
  std::string function_;
  bool in_body_ = false;
  std::set<std::string> locals_;                       ///< the function's, including its parameters
  std::set<std::string, std::less<>> unsized_locals_;  ///< arrays without elements
  std::set<std::string> arguments_;                    ///< addresses of a kernel's arguments
};

}  // namespace

std::vector<UnseenCall> unseen_calls_in(std::string_view dump) { return DumpReader().read(dump); }

std::vector<UnseenCall> unbounded_accesses_in(std::string_view dump, const KernelTypes& types) {
  return DumpReader(&types).read(dump);
}

std::string to_text(const std::vector<UnseenCall>& calls) {
  std::string text;
  for (const UnseenCall& call : calls) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", call.function, call.line, call.file, call.callee,
                        call.operand);
  }
  return text;
}

std::vector<UnseenCall> from_text(std::string_view text) {
  std::vector<UnseenCall> calls;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const auto take_field = [&] {
      const std::size_t end = std::min(line.find('\t'), line.size());
      const std::string field(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
      return field;
    };
    UnseenCall& call = calls.emplace_back();
    call.function = take_field();
    call.line = std::atoi(take_field().c_str());
    call.file = take_field();
    call.callee = take_field();
    call.operand = take_field();
  }
  return calls;
}

}  // namespace tilewise::grading
