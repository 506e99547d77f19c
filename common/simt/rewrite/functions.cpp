#include "common/simt/rewrite/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/simt/rewrite/accesses.hpp"
#include "common/simt/rewrite/conditions.hpp"
#include "common/simt/rewrite/index_parts.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt {

namespace rewriting {

namespace {

/// Returns the brackets of the parameters of the function whose body may begin at a token. In
/// between there may be `const`, or the member initializers of a constructor.
std::optional<Part> parameters_before(const Outline& outline, std::size_t body) {
  const std::vector<Token>& code = outline.code();
  std::size_t close = body - 1;
  while (close > 0 && (code[close].is("const") || code[close].is("noexcept"))) --close;
  for (;;) {
    const auto open = code[close].is(")") ? outline.partner(close) : std::nullopt;
    if (!open || *open < 1 || !code[*open - 1].is_name()) return std::nullopt;
    const bool is_of_member = *open > 2 && (code[*open - 2].is(",") || code[*open - 2].is(":")) &&
                              code[*open - 3].is(")");
    if (!is_of_member) return Part{*open, close};
    close = *open - 3;
  }
}

}  // namespace

std::vector<WrittenFunction> functions_of(const Outline& outline) {
  const std::vector<Token>& code = outline.code();
  std::vector<WrittenFunction> found;
  std::size_t begin = 0;  // the start of what may be a function
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (outline.scope(i) == Scope::block) continue;
    if (code[i].is(";") || code[i].is("}")) begin = i + 1;
    if (!code[i].is("{") || i == 0) continue;
    const auto parameters = parameters_before(outline, i);
    const auto end = outline.partner(i);
    if (!parameters || !end) {
      begin = i + 1;  // the body of a class or a namespace starts here
      continue;
    }
    const auto says = [&](std::string_view word) {
      return std::any_of(code.begin() + static_cast<std::ptrdiff_t>(begin),
                         code.begin() + static_cast<std::ptrdiff_t>(parameters->first),
                         [&](const Token& token) { return token.is(word); });
    };
    const bool is_kernel = says("__global__");
    found.push_back({std::string(code[parameters->first - 1].text), is_kernel,
                     is_kernel || says("__device__"), parameters->first, i, *end});
    begin = *end + 1;
    i = *end;
  }
  return found;
}

}  // namespace rewriting

namespace {

using rewriting::Token;
using rewriting::words_of;
using rewriting::WrittenFunction;

}  // namespace

std::vector<SourceCondition> conditions_of(std::string_view source, int line,
                                           std::string_view word) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  for (const WrittenFunction& function : text.functions) {
    for (std::size_t i = function.body; function.is_of_device && i < function.end; ++i) {
      if (code[i].line != line || code[i].text != word) continue;
      return rewriting::in_words(code, conditions_before(text.outline, i, function.body));
    }
  }
  return {};
}

std::vector<QuotedLine> changes_of(std::string_view source, std::string_view name,
                                   std::string_view variable) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  std::vector<QuotedLine> found;
  for (const WrittenFunction& function : text.functions) {
    if (function.name != name) continue;
    for (std::size_t i = function.body + 1; i + 1 < function.end; ++i) {
      if (code[i].text != variable || !rewriting::is_changed_at(text.outline, i)) continue;
      if (code[i + 1].is("[")) continue;  // this assigns to an element of it
      const bool is_pointer = code[i - 1].is("*") && code[i - 2].is_name();
      const bool is_declared = is_pointer || (code[i - 1].is_name() && !code[i - 1].is("else"));
      if (is_declared) continue;
      std::size_t end = i;
      while (end < function.end && !code[end].is(";") && !code[end].is(")") && !code[end].is(",")) {
        end = text.outline.behind(end);
      }
      std::size_t first = i;
      while (code[first - 1].is("+") || code[first - 1].is("-")) --first;
      found.push_back({code[i].line, words_of(code, {first, end})});
    }
  }
  return found;
}

SourceCaller callers_of_line(std::string_view source, int line) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  const auto calls_of = [&](std::string_view name, std::size_t declared) {
    SourceCaller caller{std::string(name), {}};
    for (std::size_t i = 1; i + 1 < code.size(); ++i) {
      if (!code[i].is(name) || i == declared) continue;
      const auto close = code[i + 1].is("<") ? text.outline.template_close(i + 1) : std::nullopt;
      const std::size_t open = close ? *close + 1 : i + 1;
      const bool is_call = code[open].is("(") && text.outline.scope(i) == rewriting::Scope::block;
      const auto end = is_call ? text.outline.partner(open) : std::nullopt;
      if (end) caller.calls.push_back({code[i].line, words_of(code, {i, *end + 1})});
    }
    return caller;
  };
  for (const WrittenFunction& function : text.functions) {
    if (code[function.body].line > line || line > code[function.end].line) continue;
    if (!function.is_of_device) return {};
    const auto on_line =
        std::ranges::find_if(code.begin() + static_cast<std::ptrdiff_t>(function.body) + 1,
                             code.begin() + static_cast<std::ptrdiff_t>(function.end),
                             [&](const Token& token) { return token.line >= line; });
    const auto index = static_cast<std::size_t>(on_line - code.begin());
    if (const auto lambda = rewriting::lambda_around(text.outline, index, function.body)) {
      return calls_of(code[lambda->name].text, lambda->name);
    }
    if (function.is_kernel) return {};
    return calls_of(function.name, function.parameters - 1);
  }
  return {};
}

namespace {

/// Returns a function and the functions of the source that it calls, itself or through others.
/// @param by_kernels follows the calls of kernels, too
std::vector<const WrittenFunction*> reached_from(const rewriting::SourceText& text,
                                                 std::string_view name, bool by_kernels = false) {
  const std::vector<Token>& code = text.outline.code();
  std::vector<std::string_view> reached = {name};
  std::vector<const WrittenFunction*> found;
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (const WrittenFunction& function : text.functions) {
      if (function.name != reached[at]) continue;
      found.push_back(&function);
      if (function.is_kernel && !by_kernels) continue;
      for (std::size_t i = function.body; i < function.end; ++i) {
        const bool is_known = std::ranges::find(reached, code[i].text) != reached.end();
        const bool is_function = std::ranges::find(text.functions, code[i].text,
                                                   &WrittenFunction::name) != text.functions.end();
        if (is_function && !is_known) reached.push_back(code[i].text);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<QuotedLine> calls_to(std::string_view source, std::string_view function,
                                 const std::vector<std::string>& names) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  std::vector<QuotedLine> found;
  for (const WrittenFunction* caller : reached_from(text, function)) {
    for (std::size_t i = caller->body + 1; i < caller->end; ++i) {
      if (std::ranges::find(names, code[i].text) == names.end()) continue;
      const auto close = code[i + 1].is("<") ? text.outline.template_close(i + 1) : std::nullopt;
      const std::size_t open = close ? *close + 1 : i + 1;
      const auto end = code[open].is("(") ? text.outline.partner(open) : std::nullopt;
      if (end) found.push_back({code[i].line, words_of(code, {i, *end + 1})});
    }
  }
  return found;
}

std::vector<std::string> host_functions_in(std::string_view source) {
  std::vector<std::string> names;
  for (const WrittenFunction& function : rewriting::SourceText(source).functions) {
    if (!function.is_of_device) names.push_back(function.name);
  }
  return names;
}

std::vector<std::string> kernels_launched_by(std::string_view source, std::string_view name) {
  const rewriting::SourceText text(source);
  std::vector<std::string> kernels;
  for (const WrittenFunction* function : reached_from(text, name)) {
    if (function->is_kernel) kernels.push_back(function->name);
  }
  return kernels;
}

namespace {

/// Whether a token has single precision: `float`, `float2`, `1.5f`.
bool is_of_single_precision(const Token& token) {
  if (token.is_name()) return token.is("float") || token.is("float2") || token.is("float4");
  const bool has_point = token.text.find('.') != std::string_view::npos;
  return token.kind == rewriting::TokenKind::number && has_point &&
         (token.text.ends_with('f') || token.text.ends_with('F'));
}

}  // namespace

std::vector<QuotedLine> single_precision_behind(std::string_view source, std::string_view name) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  const auto ends = [&](std::size_t i) {
    return code[i].is(";") || code[i].is("{") || code[i].is("}");
  };
  std::vector<QuotedLine> found;
  for (const WrittenFunction* function : reached_from(text, name, true)) {
    for (std::size_t i = function->body + 1; i < function->end; ++i) {
      if (!is_of_single_precision(code[i])) continue;
      std::size_t first = i;
      while (!ends(first - 1)) --first;
      while (!ends(i)) ++i;
      found.push_back({code[first].line, words_of(code, {first, i})});
    }
  }
  return found;
}

std::vector<std::string> host_functions_without(std::string_view source, int line) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  const auto holds_line = [&](const WrittenFunction* function) {
    return code[function->parameters].line <= line && line <= code[function->end].line;
  };
  std::vector<std::string> names;
  bool is_reached = false;
  for (const WrittenFunction& function : text.functions) {
    if (function.is_of_device) continue;
    const bool reaches = std::ranges::any_of(reached_from(text, function.name, true), holds_line);
    is_reached |= reaches;
    if (!reaches) names.push_back(function.name);
  }
  return is_reached ? names : std::vector<std::string>();
}

std::vector<std::string> functions_behind(std::string_view source, std::string_view name) {
  const rewriting::SourceText text(source);
  std::vector<std::string> names;
  for (const WrittenFunction* function : reached_from(text, name, true)) {
    names.push_back(function->name);
  }
  return names;
}

namespace {

std::size_t second_argument(const rewriting::SourceText& text, std::size_t at, std::size_t end) {
  while (at < end && !text.outline.code()[at].is(",")) at = text.outline.behind(at);
  return at;
}

/// Returns the declarations of the dim3 variables that a launch names: `block(tile, tile)` or
/// `block{tile, tile}`.
std::vector<QuotedLine> sides_made(const rewriting::SourceText& text, std::size_t body,
                                   std::size_t first, std::size_t end) {
  const std::vector<Token>& code = text.outline.code();
  std::vector<QuotedLine> found;
  for (std::size_t used = first; used < end; ++used) {
    if (!code[used].is_name()) continue;
    for (std::size_t at = first; at-- > body + 1;) {
      const bool is_made = code[at].text == code[used].text &&
                           (code[at + 1].is("(") || code[at + 1].is("{") || code[at + 1].is("="));
      if (!is_made || !(code[at - 1].is("dim3") || code[at - 1].is(","))) continue;
      std::size_t behind = at + 1;
      while (behind < first && !code[behind].is(",") && !code[behind].is(";")) {
        behind = text.outline.behind(behind);
      }
      found.push_back({code[at].line, "dim3 " + words_of(code, {at, behind})});
      break;
    }
  }
  return found;
}

}  // namespace

std::vector<SourceLaunch> launches_of(std::string_view source, std::string_view name,
                                      std::string_view kernel) {
  const rewriting::SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  std::vector<SourceLaunch> found;
  for (const WrittenFunction* function : reached_from(text, name)) {
    for (std::size_t i = function->body + 1; !function->is_kernel && i < function->end; ++i) {
      if (code[i].text != kernel) continue;
      std::size_t open = i + 1;
      if (code[open].is("<")) open = text.outline.template_close(open).value_or(open) + 1;
      if (!code[open].is("<<<")) continue;
      std::size_t end = open + 1;
      const auto closes = [&] {
        return code[end].is(">") && code[end + 1].is(">") && code[end + 2].is(">");
      };
      while (end + 2 < function->end && !closes()) end = text.outline.behind(end);
      if (end + 2 >= function->end) continue;
      found.push_back(
          {{code[i].line,
            fmt::format("{}<<<{}>>>", words_of(code, {i, open}), words_of(code, {open + 1, end}))},
           sides_made(text, function->body, second_argument(text, open + 1, end), end)});
    }
  }
  return found;
}

}  // namespace tilewise::simt
