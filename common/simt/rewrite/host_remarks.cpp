#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Scope;
using rewriting::Token;
using rewriting::TokenKind;
using Names = std::set<std::string_view>;

/// Whether the body of the kernel of this name reads "blockIdx.y", say. Functions that it calls are
/// not searched. `threadIdx.y * blockDim.x` does not count, because it is right for any block.
bool kernel_asks_for(const Outline& outline, std::string_view kernel, std::string_view variable) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].is("__global__")) continue;
    const auto function = outline.function_after(i);
    if (!function || !code[function->first - 1].is(kernel)) continue;
    for (std::size_t j = function->second; j + 6 < *outline.partner(function->second); ++j) {
      if (!code[j].is(variable) || !code[j + 1].is(".") || !code[j + 2].is("y")) continue;
      const bool counts_rows = code[j + 3].is("*") &&
                               (code[j + 4].is("blockDim") || code[j + 4].is("gridDim")) &&
                               code[j + 6].is("x");
      if (!counts_rows) return true;
    }
  }
  return false;
}

/// Whether a name stands in a declaration of dim3: `const dim3 block(16, 16), grid(9);`.
bool is_in_declaration_of_dim3(const Outline& outline, std::size_t name) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = name; i-- > 0;) {
    if (code[i].is(")") || code[i].is("}")) {
      const auto open = outline.partner(i);
      if (!open) return false;
      i = *open;
    } else if (code[i].is("dim3")) {
      return true;
    } else if (code[i].is(";") || code[i].is("{") || code[i].is("(")) {
      return false;
    }
  }
  return false;
}

/// The extents of the grid or block of a launch, and where they are written.
struct Extents {
  std::size_t at;                    ///< the name of the dim3 in its declaration, or the argument
  std::vector<rewriting::Part> all;  ///< the extents along x, y and z
};

/// Returns the extents that a variable of this name is declared with, `dim3 grid(n / 16);`, if
/// nothing else happens to it before the token.
std::optional<Extents> declared_extents(const Outline& outline, std::string_view name,
                                        std::size_t before) {
  const std::vector<Token>& code = outline.code();
  std::optional<Extents> declared;
  for (std::size_t i = 1; i + 1 < before; ++i) {
    if (!code[i].is(name)) continue;
    const bool begins = code[i + 1].is("(") || code[i + 1].is("{");
    if (begins && is_in_declaration_of_dim3(outline, i)) {
      const auto close = outline.partner(i + 1);
      declared.reset();
      if (close && *close > i + 2) declared = Extents{i, outline.parts_between(i + 1, *close)};
    } else if (!code[i + 1].is(",") && !code[i + 1].is(">")) {
      declared.reset();  // `grid.y = ...`, `grid = ...`, or another variable
    }
  }
  return declared;
}

/// Returns the extents that an argument of a launch stands for: a dim3 that is written there or
/// that the argument names. Nothing if they are not known.
std::optional<Extents> extents_of(const Outline& outline, const rewriting::Part& argument) {
  const std::vector<Token>& code = outline.code();
  const std::size_t first = argument.first;
  if (code[first].is("dim3") && first + 2 < argument.end && argument.end - 1 > first + 2 &&
      outline.partner(first + 1) == argument.end - 1) {
    return Extents{first, outline.parts_between(first + 1, argument.end - 1)};
  }
  if (argument.end - first != 1) return std::nullopt;
  return declared_extents(outline, code[first].text, first);
}

/// Returns the arguments between `<<<` and `>>>`.
std::vector<rewriting::Part> launch_arguments(const Outline& outline, std::size_t open) {
  const std::vector<Token>& code = outline.code();
  std::vector<rewriting::Part> parts;
  std::size_t first = open + 1;
  for (std::size_t i = first; i + 3 < code.size() && !code[i].is(";"); ++i) {
    const bool ends =
        code[i].is(">") && code[i + 1].is(">") && code[i + 2].is(">") && code[i + 3].is("(");
    if (ends || code[i].is(",")) {
      if (i == first) return {};
      parts.push_back({first, i});
      if (ends) return parts;
      first = i + 1;
    }
    if (code[i].is("(") || code[i].is("{")) i = outline.partner(i).value_or(i);
    // A comma between < and > need not separate arguments, and no launch stands among arguments.
    if (code[i].is("<") || code[i].is("<<<")) return {};
  }
  return {};
}

/// Which coordinates of "threadIdx", say, a kernel may read: in its body, and in functions that it
/// may call.
struct Asked {
  bool x = false, y = false;
};

std::optional<Asked> asked_by(const Outline& outline, std::string_view kernel,
                              std::string_view variable) {
  const std::vector<Token>& code = outline.code();
  Asked asked;
  bool is_known = false;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    if (code[i].is("__global__")) {
      const auto function = outline.function_after(i);
      if (!function) continue;
      const bool is_it = code[function->first - 1].is(kernel);
      const std::size_t end = *outline.partner(function->second);
      // A body that neither calls anything nor accesses memory is not written yet.
      is_known = is_known ||
                 (is_it && std::any_of(code.begin() + std::ptrdiff_t(function->second),
                                       code.begin() + std::ptrdiff_t(end), [](const Token& token) {
                                         return token.is("(") || token.is("[") || token.is("*");
                                       }));
      if (!is_it) i = end;
      continue;
    }
    // Cooperative groups give threads their positions, too.
    if (code[i].is("cooperative_groups")) return std::nullopt;
    if (!code[i].is(variable)) continue;
    if (!code[i + 1].is(".")) return std::nullopt;
    asked.x = asked.x || code[i + 2].is("x");
    asked.y = asked.y || code[i + 2].is("y");
  }
  return is_known ? std::optional(asked) : std::nullopt;
}

/// Looks for a launch `kernel<<<grid, block>>>` with one extent for a kernel that reads a y
/// coordinate, or with more extents than the kernel reads.
void look_at_launch(const Outline& outline, std::size_t open, bool macros_ask,
                    std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  std::size_t name = open - 1;
  if (code[name].is(">")) {
    const auto start = outline.template_open(name);
    if (!start || *start == 0) return;
    name = *start - 1;
  }
  const auto arguments = launch_arguments(outline, open);
  if (arguments.size() < 2) return;
  const std::string kernel(code[name].text);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool is_grid = i == 0;
    const char* const variable = is_grid ? "blockIdx" : "threadIdx";
    const rewriting::Part& argument = arguments[i];
    const auto extents = extents_of(outline, argument);
    if (extents && extents->all.size() == 1 && kernel_asks_for(outline, kernel, variable)) {
      remarks.push_back(
          {Remark::Kind::doubt, code[extents->at].line,
           is_grid ? tr("the grid has one extent here, so that it is 1 along y, and {} asks for "
                        "{}.y, which is always 0",
                        kernel, variable)
                   : tr("the block has one extent here, so that it is 1 along y, and {} asks for "
                        "{}.y, which is always 0",
                        kernel, variable),
           tr("Give dim3 two values, for x and for y.")});
    }
    const auto is_one = [&](const rewriting::Part& part) {
      return part.end - part.first == 1 && code[part.first].is("1");
    };
    const bool has_one =
        extents ? std::all_of(extents->all.begin(), extents->all.end(), is_one) : is_one(argument);
    const auto asked = macros_ask ? std::nullopt : asked_by(outline, kernel, variable);
    if (!asked || has_one) continue;
    if (!asked->x && !asked->y) {
      remarks.push_back(
          {Remark::Kind::doubt, code[open].line,
           is_grid ? tr("more than one block is launched here, and {} never asks for blockIdx: "
                        "each block does the same once more",
                        kernel)
                   : tr("more than one thread is launched here, and {} never asks for threadIdx: "
                        "each thread of a block does the same once more",
                        kernel),
           is_grid ? tr("Let blockIdx tell the blocks apart, or launch one.")
                   : tr("Let threadIdx tell the threads of a block apart.")});
    } else if (!asked->y && extents && extents->all.size() == 2 && !is_one(extents->all[1])) {
      remarks.push_back(
          {Remark::Kind::doubt, code[extents->at].line,
           is_grid ? tr("the grid has two extents here, and {} never asks for blockIdx.y: blocks "
                        "that lie below each other do the same once more",
                        kernel)
                   : tr("the block has two extents here, and {} never asks for threadIdx.y: "
                        "threads that lie below each other do the same once more",
                        kernel),
           is_grid ? tr("Let blockIdx.y count, too, or launch all blocks along x.")
                   : tr("Let threadIdx.y count, too, or launch all threads of a block along x.")});
    }
  }
}

/// Looks for `dim3 grid = (across, down);`.
void look_for_lost_extent(const Outline& outline, std::size_t type, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  if (!code[type].is("dim3") || type + 3 >= code.size() || !code[type + 2].is("=") ||
      !code[type + 3].is("(")) {
    return;
  }
  const auto close = outline.partner(type + 3);
  if (!close || *close + 1 >= code.size() || !code[*close + 1].is(";")) return;
  if (outline.parts_between(type + 3, *close).size() < 2) return;
  remarks.push_back({Remark::Kind::doubt, code[type].line,
                     tr("of values with a comma between them, C++ takes the last alone: {} has "
                        "that along x, and 1 along y",
                        code[type + 1].text),
                     tr("Leave out the =: dim3 {}(x, y).", code[type + 1].text)});
}

/// Looks for `ceil(n / block.x)`, whose integer division has already rounded down.
void look_for_late_rounding(const Outline& outline, std::size_t call,
                            std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool rounds = code[call].is("ceil") || code[call].is("ceilf");
  const auto close = rounds && code[call + 1].is("(") ? outline.partner(call + 1) : std::nullopt;
  if (!close) return;
  const auto is_fraction = [](const Token& token) {
    return token.is("float") || token.is("double");
  };
  bool divides = false;
  std::string text;
  for (std::size_t i = call + 2; i < *close; ++i) {
    divides = divides || code[i].is("/");
    const bool is_whole_number =
        code[i].kind != TokenKind::number ||
        code[i].text.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_fraction(code[i]) || !is_whole_number) return;
    // A name that is declared with a floating-point type anywhere may be this one.
    for (std::size_t j = 0; code[i].kind == TokenKind::identifier && j + 1 < code.size(); ++j) {
      if (is_fraction(code[j]) && code[j + 1].text == code[i].text) return;
    }
    const bool apart = i > call + 2 && code[i].begin != code[i - 1].end();
    text += (apart ? " " : "") + std::string(code[i].text);
  }
  if (!divides) return;
  remarks.push_back({Remark::Kind::doubt, code[call].line,
                     tr("{} is a division of integers, which rounds down before {}() sees it", text,
                        code[call].text),
                     tr("Round up in integers: (n + side - 1) / side.")});
}

/// Looks for `cudaFree(A)` in a function with a parameter `float* A`.
void look_for_freed_arguments(const Outline& outline, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t body = 1; body < code.size(); ++body) {
    const bool is_function =
        code[body].is("{") && code[body - 1].is(")") && outline.scope(body) == Scope::file;
    const auto open = is_function ? outline.partner(body - 1) : std::nullopt;
    const auto end = is_function ? outline.partner(body) : std::nullopt;
    if (!open || !end) continue;
    Names pointers;
    for (const auto& part : outline.parts_between(*open, body - 1)) {
      if (part.end > part.first + 1 && code[part.end - 2].is("*")) {
        pointers.insert(code[part.end - 1].text);
      }
    }
    for (std::size_t i = body; i + 1 < *end; ++i) {
      const bool frees = code[i].is("cudaFree") || code[i].is("cudaFreeAsync");
      const auto close = frees && code[i + 1].is("(") ? outline.partner(i + 1) : std::nullopt;
      if (!close) continue;
      for (std::size_t j = i + 2; j < *close; ++j) {
        if (!pointers.contains(code[j].text)) continue;
        remarks.push_back({Remark::Kind::freed, code[i].line, std::string(code[j].text)});
        break;
      }
    }
  }
}

/// Looks for `return cudaDeviceSynchronize();`, with which a function waits for its kernel.
void look_for_waiting(const Outline& outline, std::size_t call, std::vector<Remark>& remarks) {
  // With these a function may have reason to wait.
  static constexpr auto reasons = std::to_array<std::string_view>(
      {"cudaStream_t", "cudaMallocManaged", "cudaHostAlloc", "cudaMallocHost", "cudaEvent_t"});
  const std::vector<Token>& code = outline.code();
  const bool is_call = code[call].is("cudaDeviceSynchronize") && code[call + 1].is("(") &&
                       outline.scope(call) == Scope::block;
  const auto is_reason = [](const Token& token) {
    return std::ranges::find(reasons, token.text) != reasons.end();
  };
  if (!is_call || std::ranges::any_of(code, is_reason)) return;
  remarks.push_back(
      {Remark::Kind::waiting, code[call].line,
       tr("cudaDeviceSynchronize() waits for the kernel, and the contract says that "
          "the function does not: its caller has the GPU idle meanwhile. Leave it out, "
          "and return cudaGetLastError() behind the launch")});
}

}  // namespace

void remark_on_host_code(const std::vector<Token>& tokens, const Outline& outline,
                         std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  // For each launch the whole source is searched for its kernel, and no submission may hold the
  // grader up.
  constexpr int most_launches = 100;
  int launches = 0;
  const bool macros_ask = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.directive != 0 && (token.is("threadIdx") || token.is("blockIdx"));
  });
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (code[i].is("<<<") && launches++ < most_launches) {
      look_at_launch(outline, i, macros_ask, remarks);
    }
    look_for_lost_extent(outline, i, remarks);
    look_for_late_rounding(outline, i, remarks);
    look_for_waiting(outline, i, remarks);
  }
  look_for_freed_arguments(outline, remarks);
}

}  // namespace tilewise::simt
