#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

constexpr std::string_view target = "__CUDA_ARCH__";

/// The branches of a conditional, from `#if` to `#endif`.
struct Chain {
  std::vector<const Token*> uses;  ///< occurrences of the target in its directives
  bool is_in_body = false;  ///< it lies in the body of a function that runs only on the device
  bool has_assembly = false;
  bool has_else = false;
  bool has_device_code = false;
  bool has_code_for_both = false;

  /// Whether the directives are meant to be answered as on a device.
  bool is_of_device() const {
    return is_in_body ? !has_assembly || !has_else
                      : has_device_code && !has_code_for_both && !has_assembly && !has_else;
  }
};

/// The positions of a brace and its partner, in characters of the source.
using Extent = std::pair<std::size_t, std::size_t>;

/// Returns the bodies of functions that run only on the device.
std::vector<Extent> device_bodies(const Outline& outline) {
  const std::vector<Token>& code = outline.code();
  std::vector<Extent> bodies;
  bool on_device = false, on_host = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].is("__global__") || code[i].is("__device__")) on_device = true;
    if (code[i].is("__host__")) on_host = true;
    if (!code[i].is("{") && !code[i].is("}") && !code[i].is(";")) continue;
    const auto close = outline.partner(i);
    const bool is_body = code[i].is("{") && close && i + 1 < code.size() &&
                         outline.scope(i + 1) == Scope::block && on_device && !on_host;
    if (is_body) bodies.emplace_back(code[i].begin, code[*close].begin);
    if (is_body) i = *close;
    on_device = on_host = false;
  }
  return bodies;
}

bool lies_in(const std::vector<Extent>& bodies, const Token& token) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const Extent& body) {
    return body.first < token.begin && token.begin < body.second;
  });
}

}  // namespace

void name_target_of_device_code(const std::vector<Token>& tokens, const Outline& outline,
                                Edits& edits) {
  const bool is_asked = std::any_of(tokens.begin(), tokens.end(),
                                    [](const Token& token) { return token.is(target); });
  if (!is_asked) return;
  const std::vector<Extent> bodies = device_bodies(outline);
  std::vector<Chain> chains;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.directive == 0) {
      const bool is_assembly = token.is("asm") || token.is("__asm__") || token.is("__asm");
      for (Chain& chain : chains) {
        chain.has_assembly |= is_assembly;
        chain.has_device_code |= token.is("__device__") || token.is("__global__");
        chain.has_code_for_both |= token.is("__host__");
      }
      continue;
    }
    if (token.is("#")) {
      const Token& word = tokens[i + 1];
      if (word.is("if") || word.is("ifdef") || word.is("ifndef")) {
        chains.emplace_back();
        chains.back().is_in_body = lies_in(bodies, token);
      }
      if (word.is("else") && !chains.empty()) chains.back().has_else = true;
      if (word.is("endif") && !chains.empty()) {
        const Chain& chain = chains.back();
        for (const Token* use : chain.uses) {
          if (chain.is_of_device()) edits.replace(*use, "TILEWISE_CUDA_ARCH");
        }
        chains.pop_back();
      }
    }
    if (token.is(target) && !chains.empty()) chains.back().uses.push_back(&token);
  }
}

}  // namespace tilewise::simt::rewriting
