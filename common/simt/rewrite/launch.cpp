#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {
namespace {

constexpr std::size_t closing_length = 3;  // the length of >>>
constexpr std::size_t most_arguments = 4;  // grid, block, dynamic shared memory, stream

struct Kernel {
  std::size_t first;  // the first token of the expression before <<<
  bool is_name;       // not an expression that yields a function pointer
};

struct Configuration {
  std::size_t closing;  // first > of >>>
  std::size_t arguments;
};

bool cannot_end_expression(const Token& token) {
  static constexpr std::array<std::string_view, 19> keywords = {
      "return",    "else", "do",     "case", "throw",   "goto",   "if",
      "while",     "for",  "switch", "new",  "delete",  "sizeof", "operator",
      "co_return", "and",  "or",     "not",  "co_yield"};
  return token.kind != TokenKind::identifier ||
         std::find(keywords.begin(), keywords.end(), token.text) != keywords.end();
}

/// Walks back from a launch over the expression that names its kernel.
class KernelFinder {
 public:
  KernelFinder(const Outline& outline, std::size_t launch)
      : outline_(outline), code_(outline.code()), first_(launch) {}

  std::optional<Kernel> find() {
    while (true) {
      if (before_is("]")) {
        if (!step_over_group()) return std::nullopt;
        is_name_ = false;
        continue;
      }
      if (before_is(")")) {
        if (!step_over_group()) return std::nullopt;
        is_name_ = false;
        if (is_call()) continue;
        break;
      }
      if (!step_over_name()) return std::nullopt;
      if (before_is("::")) {
        --first_;
        if (!continues_before()) break;
      } else if (before_is(".") || before_is("->")) {
        --first_;
        is_name_ = false;
      } else {
        break;
      }
    }
    return Kernel{first_, is_name_};
  }

 private:
  bool before_is(std::string_view text) const { return first_ > 0 && code_[first_ - 1].is(text); }

  bool step_over_group() {
    const auto open = outline_.partner(first_ - 1);
    if (open) first_ = *open;
    return open.has_value();
  }

  // Steps over a name and its template arguments, if it has any.
  bool step_over_name() {
    if (before_is(">")) {
      const auto open = outline_.template_open(first_ - 1);
      if (!open) return false;
      first_ = *open;
    }
    if (first_ == 0 || cannot_end_expression(code_[first_ - 1])) return false;
    --first_;
    while (first_ > 2 && before_is("#") && code_[first_ - 2].is("#")) first_ -= 3;  // k_##name
    if (before_is("template")) --first_;
    return true;
  }

  // Whether the parentheses belong to a call: they do after a name, unless that is `if` or the
  // like.
  bool is_call() const {
    return first_ > 0 &&
           (before_is("]") || before_is(">") || !cannot_end_expression(code_[first_ - 1]));
  }

  bool continues_before() const {
    return before_is(">") || (first_ > 0 && !cannot_end_expression(code_[first_ - 1]));
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t first_;
  bool is_name_ = true;
};

std::size_t run_length(const std::vector<Token>& code, std::size_t at) {
  auto end = at + 1;
  while (end < code.size() && code[end].is(">") && code[end].begin == code[end - 1].end()) ++end;
  return end - at;
}

/// Finds the >>> of a launch. In a longer run of >, these are the last three: those before end
/// template argument lists, as in `k<<<grid, threads<32>>>>(n)`.
std::optional<Configuration> find_configuration(const Outline& outline, std::size_t launch,
                                                bool in_macro) {
  const auto& code = outline.code();
  auto at = launch + 1;
  std::size_t commas = 0;
  int angles = 0;  // open template argument lists, whose commas do not count
  while (at < code.size()) {
    const auto& token = code[at];
    if (token.is("(") || token.is("[") || token.is("{")) {
      const auto close = outline.partner(at);
      if (!close) return std::nullopt;
      at = *close + 1;
    } else if (token.is(">")) {
      const auto run = run_length(code, at);
      at += run;
      angles = std::max(0, angles - static_cast<int>(run));
      if (run >= closing_length && at < code.size() && code[at].is("(")) {
        const auto closing = at - closing_length;
        return Configuration{closing, closing == launch + 1 ? 0 : commas + 1};
      }
      if (in_macro && run >= closing_length && at == code.size()) {
        return Configuration{at - closing_length, commas + 1};
      }
    } else if (token.is(";") || token.is("<<<") || token.is(")") || token.is("]") ||
               token.is("}")) {
      return std::nullopt;
    } else {
      if (token.is("<")) ++angles;
      if (token.is(",") && angles == 0) ++commas;
      ++at;
    }
  }
  return std::nullopt;
}

using Names = std::unordered_set<std::string_view>;

/// Returns the possible names of kernels that the file declares: names behind `__global__` that
/// parameters or template arguments follow.
Names declared_kernels(const std::vector<Token>& code) {
  Names names;
  bool in_declaration = false;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].is("__global__")) in_declaration = true;
    if (code[i].is("{") || code[i].is(";")) in_declaration = false;
    if (in_declaration && (code[i + 1].is("(") || code[i + 1].is("<"))) names.insert(code[i].text);
  }
  return names;
}

/// Returns those names that some variable or parameter has, too: `const auto kernel = wide ?
/// kernel<4> : kernel<1>;`. A name counts as a variable's if it follows a type, as far as the
/// tokens show that; too many such names do no harm.
Names names_of_variables(const std::vector<Token>& code, const Names& names) {
  static constexpr std::array<std::string_view, 4> types_end = {"*", "&", "&&", ">"};
  static constexpr std::array<std::string_view, 6> names_end = {"=", ",", ")", ";", "{", "["};
  const auto is_any_of = [](const Token& token, const auto& words) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  };
  Names variables;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (!names.contains(code[i].text) || !is_any_of(code[i + 1], names_end)) continue;
    const Token& before = code[i - 1];
    if (before.kind == TokenKind::identifier || is_any_of(before, types_end)) {
      variables.insert(code[i].text);
    }
  }
  return variables;
}

/// Returns the last name of the expression before a launch, without its template arguments.
std::string_view name_before(const Outline& outline, std::size_t launch) {
  const auto& code = outline.code();
  std::size_t at = launch - 1;
  if (code[at].is(">")) at = outline.template_open(at).value_or(at) - 1;
  return code[at].text;
}

/// The text that is put around the kernel's name.
struct Launcher {
  std::string opening, closing = ")";
};

/// A kernel is called by its name, so that its template arguments are deduced. A launch captures
/// the value of a variable, because the kernel may run where the variable does not exist. For a
/// name that is not declared here, or that a macro uses, the compiler decides which of the two it
/// is.
Launcher launcher_for(const Outline& outline, const Names& kernels, const Kernel& kernel,
                      std::size_t launch, const std::string& name, bool in_macro) {
  if (!kernel.is_name) {
    return {"::tilewise::simt::launcher(" + quoted(name) + ", __FILE__, __LINE__, "};
  }
  if (in_macro) return {"TILEWISE_LAUNCHER_OF_MACRO("};
  // Nothing can be captured outside of functions.
  const bool captures =
      outline.scope(launch) == Scope::block && !kernels.contains(name_before(outline, launch));
  return {"TILEWISE_LAUNCHER(" + quoted(name) + ", " + (captures ? "&" : "") + ", "};
}

/// Returns the names that stand for kernels wherever they occur.
Names kernels_alone(const std::vector<Token>& code) {
  Names kernels = declared_kernels(code);
  for (const std::string_view name : names_of_variables(code, kernels)) kernels.erase(name);
  return kernels;
}

class LaunchRewriter {
 public:
  LaunchRewriter(const Outline& outline, bool in_macro, Edits& edits,
                 std::vector<RewriteError>& errors)
      : outline_(outline),
        code_(outline.code()),
        kernels_(kernels_alone(code_)),
        in_macro_(in_macro),
        edits_(edits),
        errors_(errors) {}

  void run(const LaunchMacros& macros) {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      // `operator<<<T>` names a template.
      if (code_[i].is("<<<") && (i == 0 || !code_[i - 1].is("operator"))) rewrite_launch(i);
      if (macros.contains(code_[i].text)) rewrite_kernel_before_macro(i);
    }
  }

 private:
  void rewrite_launch(std::size_t launch) {
    // If a macro begins with <<<, the kernel's name stands before the use of the macro.
    const bool has_kernel = !in_macro_ || launch > 0;
    std::optional<Kernel> kernel;
    std::string name = tr("a kernel");
    if (has_kernel) {
      kernel = KernelFinder(outline_, launch).find();
      if (!kernel) return report(launch, tr("a kernel launch needs the kernel's name before <<<"));
      name = name_of(code_, kernel->first, launch);
    }
    const auto configuration = find_configuration(outline_, launch, in_macro_);
    const auto open = configuration ? configuration->closing + closing_length : code_.size();
    // The arguments may follow the use of a macro.
    const bool is_complete =
        configuration && (open == code_.size() ? in_macro_ : outline_.partner(open).has_value());
    if (!is_complete) {
      return report(
          launch,
          tr("the launch of {0} is not complete: write {0}<<<grid, block>>>(arguments)", name));
    }
    if (configuration->arguments < 1 || configuration->arguments > most_arguments) {
      return report(
          launch, tr("the launch of {} has {} values between <<< and >>>: CUDA takes grid, block, "
                     "bytes of dynamic shared memory and stream, the last two if needed",
                     name, configuration->arguments));
    }
    if (kernel) rewrite_kernel(*kernel, launch, name);
    edits_.replace(code_[launch], ".configure(");
    edits_.replace(code_[configuration->closing], ")");
    edits_.erase(code_[configuration->closing + 1]);
    edits_.erase(code_[configuration->closing + 2]);
  }

  void rewrite_kernel(const Kernel& kernel, std::size_t launch, const std::string& name) {
    // A colon just before the name would merge with ours: `ready ?launch():k<<<1, 1>>>()`.
    const bool follows_colon = kernel.first > 0 && code_[kernel.first - 1].is(":");
    const auto launcher = launcher_for(outline_, kernels_, kernel, launch, name, in_macro_);
    edits_.insert_before(code_[kernel.first], (follows_colon ? " " : "") + launcher.opening);
    edits_.insert_after(code_[launch - 1], launcher.closing);
  }

  void rewrite_kernel_before_macro(std::size_t launch) {
    if (in_macro_ && launch == 0) return;
    const auto kernel = KernelFinder(outline_, launch).find();
    if (kernel) rewrite_kernel(*kernel, launch, name_of(code_, kernel->first, launch));
  }

  void report(std::size_t launch, std::string message) {
    errors_.push_back({code_[launch].line, std::move(message)});
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  Names kernels_;
  bool in_macro_;
  Edits& edits_;
  std::vector<RewriteError>& errors_;
};

}  // namespace

void rewrite_launches(const Outline& outline, const LaunchMacros& macros, bool in_macro,
                      Edits& edits, std::vector<RewriteError>& errors) {
  LaunchRewriter(outline, in_macro, edits, errors).run(macros);
}

std::string with_launches_joined(std::string_view source) {
  std::string joined(source);
  if (source.find("<< ") == source.npos && source.find(">> >") == source.npos) return joined;
  const auto tokens = tokenize(source);
  // Swaps a bracket with the blank before it, so that the text keeps its length.
  const auto join = [&](std::size_t last) {
    const std::size_t behind = tokens[last - 1].end();
    std::swap(joined[behind], joined[tokens[last].begin]);
  };
  const auto is_apart = [&](std::size_t token) {
    const std::size_t end = tokens[token - 1].end();
    const std::string_view between = source.substr(end, tokens[token].begin - end);
    return !between.empty() && between.find_first_not_of(" \t") == between.npos;
  };
  /// Returns the last of the three > that end the launch beginning at `launch`; 0 if there are
  /// none.
  const auto end_of = [&](std::size_t launch) -> std::size_t {
    for (std::size_t i = launch + 3; i + 1 < tokens.size() && !tokens[i].is(";"); ++i) {
      const bool closes = tokens[i].is(">") && tokens[i - 1].is(">") && tokens[i - 2].is(">") &&
                          tokens[i - 1].begin == tokens[i - 2].end() && tokens[i + 1].is("(");
      if (closes && (is_apart(i) || tokens[i].begin == tokens[i - 1].end())) return i;
    }
    return 0;
  };
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const bool apart = tokens[i].is("<") && tokens[i - 1].is("<<") && is_apart(i) &&
                       (i < 2 || !tokens[i - 2].is("operator"));
    if (!apart && !tokens[i].is("<<<")) continue;
    const std::size_t end = end_of(i);
    if (end == 0) continue;
    if (apart) join(i);
    if (is_apart(end)) join(end);
  }
  return joined;
}

}  // namespace tilewise::simt::rewriting
