#include "grading/builder/text_judge.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::grading {
namespace {

using simt::rewriting::Token;
using simt::rewriting::TokenKind;

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns "noinline" for "__noinline__".
std::string_view plain(std::string_view name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    name = name.substr(2, name.size() - 4);
  }
  return name;
}

/// Attributes that neither move code or data nor change what the compiler makes of a load or store.
/// All others are refused: compilers have hundreds, and learn new ones. The list leaves out
/// attributes by which a compiler need not look at what a function does, such as `const` and
/// `malloc`: it takes a variable that passes through such a function for one that nobody else sees.
constexpr auto harmless_attributes = std::to_array<std::string_view>(
    {"abi_tag", "align", "aligned", "always_inline", "annotate", "artificial", "assume",
     "carries_dependency", "cold", "constructor", "deprecated", "destructor", "diagnose_if",
     "enable_if", "enum_extensibility", "error", "externally_visible", "fallthrough", "flag_enum",
     "flatten", "format", "format_arg", "hot", "init_priority", "likely", "may_alias",
     "maybe_unused", "no_unique_address", "noclone", "nodiscard", "noinline", "noipa", "nonnull",
     "noreturn", "nothrow", "overloadable", "packed",
     // This one is part of __global__.
     "patchable_function_entry", "retain", "sentinel", "type_visibility", "unavailable", "unlikely",
     "unused", "used", "visibility", "warn_unused_result", "warning"});

/// Attributes that are refused even in headers of the system, which may have all others.
constexpr auto refused_in_headers = std::to_array<std::string_view>(
    {"alias",          "ifunc",         "naked",
     "optimize",       "optnone",       "section",
     "simd",           "target",        "target_clones",
     "target_version", "code_seg",      "interrupt",
     "no_builtin",     "regparm",       "patchable_function_entry",
     "code_align",     "symver",        "scalar_storage_order",
     "matrix_type",    "address_space", "disable_sanitizer_instrumentation"});

bool hides_accesses(std::string_view name) {
  return name.find("no_sanitize") != name.npos || name.find("disable_sanitizer") != name.npos;
}

/// Whether a string names a sanitizer of arithmetic, which standard libraries turn off here and
/// there.
bool is_about_arithmetic(std::string_view quoted) {
  static constexpr auto names = std::to_array<std::string_view>(
      {"\"unsigned-integer-overflow\"", "\"unsigned-shift-base\"", "\"signed-integer-overflow\"",
       "\"float-divide-by-zero\"", "\"integer\""});
  return is_one_of(quoted, names);
}

/// Whether a name is an intrinsic of a processor, x86 or Arm, in a header or as a builtin. A GPU
/// has none of these.
bool is_intrinsic(std::string_view name) {
  if (name == "__builtin_ia32_pause") return false;  // <thread> waits with it
  for (const std::string_view prefix :
       {"_mm_", "_mm256_", "_mm512_", "__builtin_ia32_", "__builtin_aarch64_", "__builtin_arm_",
        "__builtin_neon_", "__builtin_sve_", "__builtin_sme_", "__builtin_masked_",
        "__builtin_matrix_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

bool is_header_of_intrinsics(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  static constexpr auto others =
      std::to_array<std::string_view>({"arm_neon.h", "arm_sve.h", "arm_sme.h", "arm_acle.h",
                                       "arm_bf16.h", "arm_fp16.h", "cpuid.h", "mm3dnow.h"});
  return name.ends_with("intrin.h") || is_one_of(name, others);
}

/// Builtins that leave a function, or the language, in ways that no GPU has.
constexpr auto refused_builtins = std::to_array<std::string_view>(
    {"__builtin_longjmp", "__builtin_setjmp", "__builtin_eh_return", "__builtin_apply",
     "__builtin_apply_args", "__builtin_return", "__builtin_return_address",
     "__builtin_frame_address", "__builtin_extract_return_addr", "_BitInt", "_ExtInt",
     "__builtin_unwind_init", "__builtin_clear_padding"});

/// Whether a name is a builtin on text or memory: compilers expand these in place, and their loads
/// and stores report nothing.
bool is_builtin_on_text(std::string_view name) {
  for (const std::string_view prefix :
       {"__builtin_str",       "__builtin_stp",     "__builtin_mem",      "__builtin_bcmp",
        "__builtin_bcopy",     "__builtin_bzero",   "__builtin_wmem",     "__builtin_index",
        "__builtin_rindex",    "__builtin_sprintf", "__builtin_snprintf", "__builtin_vsprintf",
        "__builtin_vsnprintf", "__builtin_printf",  "__builtin_vprintf",  "__builtin_fprintf",
        "__builtin_vfprintf",  "__builtin_fputs",   "__builtin_puts",     "__builtin___"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

/// Whether a name is the compiler's name of a function or variable of C++.
bool is_mangled(std::string_view name) {
  int status = 0;
  std::free(abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status));
  return status == 0;
}

/// Whether a name is one by which compilers, the linker and the simulator know functions and
/// variables among themselves. Code that declares one of these names can use the function or
/// variable unseen.
bool is_name_of_ours(std::string_view name) {
  if (name == "__real__" || name == "__imag__") return false;  // operators on complex numbers
  if (name.ends_with("_fcontext") || name == "__tls_get_addr") return true;
  if (name.starts_with("_Z") && is_mangled(name)) return true;  // "_Z" and "_Zone" are free
  for (const std::string_view prefix :
       {"__cxa_", "_Unwind_", "__gxx_", "__tsan_", "__ubsan_", "__asan_", "__sanitizer_", "__wrap_",
        "__real_", "__x86_", "__fentry__", "__llvm_retpoline", "__start_tilewise",
        "__stop_tilewise", "tilewise_simt_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

/// The names that the rewriter puts into a source for launches and variables.
constexpr auto written_by_the_rewriter = std::to_array<std::string_view>(
    {"launcher", "named", "addressed", "by_value", "LoopExit", "note_loop_pass", "note_kernel_end",
     "keep_launch_bounds", "shared", "shared_at_file_scope", "name_shared", "named_shared",
     "dynamic_shared", "VariableShape", "shape_of"});

class TextJudge {
 public:
  TextJudge(const PreprocessedText& text, std::string_view name)
      : tokens_(text.tokens()), name_(name) {
    for (const PreprocessedText::Header& header : text.headers()) {
      if (!is_header_of_intrinsics(header.path) || !lines_of_intrinsics_.insert(header.line).second)
        continue;
      say(header.line, tr("<{}>: intrinsics of a processor do not exist on a GPU; write "
                          "plain C++ (a float4 is loaded and stored whole)",
                          std::filesystem::path(header.path).filename().string()));
    }
  }

  std::string run() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (token().directive != 0) {
        judge_directive();
      } else if (token().kind == TokenKind::identifier) {
        judge_word();
      } else if (token().is("[") && next_is(1, "[")) {
        judge_standard_attributes();
      }
    }
    std::string all;
    for (const auto& [line, message] : problems_) {
      all += fmt::format("{}:{}: error: {}\n", name_, line, message);
    }
    return all;
  }

 private:
  const Token& token(std::size_t ahead = 0) const { return tokens_[at_ + ahead].token; }
  bool is_own() const { return tokens_[at_].is_own; }
  bool next_is(std::size_t ahead, std::string_view text) const {
    return at_ + ahead < tokens_.size() && token(ahead).is(text);
  }

  void say(int line, std::string message) { problems_.emplace(line, std::move(message)); }
  void say(const PreprocessedToken& found, std::string message) {
    // Headers of intrinsics have been reported already.
    if (!found.is_own && lines_of_intrinsics_.contains(found.line)) return;
    say(found.line, std::move(message));
  }
  void say(std::string message) { say(tokens_[at_], std::move(message)); }

  /// Returns the token after the parentheses that open at `open`.
  std::size_t behind_parentheses(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i].token.is("(")) ++depth;
      if (tokens_[i].token.is(")") && --depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  void judge_word() {
    const std::string_view word = token().text;
    if (word == "asm" || word == "__asm" || word == "__asm__") {
      if (is_own() || !is_empty_or_label()) {
        say(
            tr("'{}': inline assembly cannot be simulated; tilewise/ptx.hpp has mma.sync, "
               "ldmatrix and cp.async",
               word));
      }
    } else if ((word == "__attribute__" || word == "__attribute") && next_is(1, "(")) {
      judge_attributes(at_ + 1, behind_parentheses(at_ + 1));
    } else if (is_intrinsic(word)) {
      say(tr("'{}': intrinsics of a processor do not exist on a GPU; write plain C++", word));
    } else if (is_own() && (hides_accesses(word) || is_name_of_ours(word))) {
      say(tr("'{}' hides from the simulator what a kernel loads and stores; leave it out", word));
    } else if (is_own() && (is_one_of(word, refused_builtins) || is_builtin_on_text(word))) {
      say(tr("'{}' has no counterpart on a GPU; leave it out", word));
    } else if (is_own() && word == "tilewise" && !is_for_students() &&
               !is_written_by_the_rewriter()) {
      say(tr("'tilewise' is the simulator's own; name what is yours otherwise"));
    }
  }

  /// Whether the name is from labs/include/tilewise/ptx.hpp. A student's own namespace may not add
  /// to that.
  bool is_for_students() const {
    const bool opens_a_namespace = at_ > 0 && tokens_[at_ - 1].token.is("namespace") &&
                                   (at_ < 2 || !tokens_[at_ - 2].token.is("using"));
    return next_is(1, "::") && next_is(2, "ptx") && !opens_a_namespace;
  }

  bool is_written_by_the_rewriter() const {
    return at_ > 0 && tokens_[at_ - 1].token.is("::") && next_is(1, "::") && next_is(2, "simt") &&
           next_is(3, "::") && at_ + 4 < tokens_.size() &&
           is_one_of(token(4).text, written_by_the_rewriter);
  }

  /// Whether it is one of the forms that headers use: `int f() __asm__("" "name");`, by which the C
  /// library gives a function another symbol, and `asm volatile("")`, which keeps a compiler from
  /// moving code.
  bool is_empty_or_label() const {
    std::size_t open = at_ + 1;
    while (open < tokens_.size() && is_volatile(tokens_[open].token.text)) ++open;
    if (at_ == 0 || open >= tokens_.size() || !tokens_[open].token.is("(")) return false;
    const std::size_t end = behind_parentheses(open);
    std::string name;
    for (std::size_t i = open + 1; i + 1 < end; ++i) {
      const Token& token = tokens_[i].token;
      if (token.kind != TokenKind::string || token.text.size() < 2) return false;
      name += token.text.substr(1, token.text.size() - 2);
    }
    if (name.empty()) return true;
    const Token& before = tokens_[at_ - 1].token;
    const bool follows_a_declarator = open == at_ + 1 && !before.is("else") && !before.is("do") &&
                                      (before.is(")") || before.kind == TokenKind::identifier);
    return follows_a_declarator && std::ranges::all_of(name, [](unsigned char c) {
             return std::isalnum(c) != 0 || c == '_';
           });
  }

  static bool is_volatile(std::string_view word) {
    return word == "volatile" || word == "__volatile__" || word == "__volatile";
  }

  /// Judges the names in `__attribute__((a, b(1)))`, whose outer parentheses are [begin, end).
  void judge_attributes(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Token& word = tokens_[i].token;
      if (word.kind != TokenKind::identifier) continue;
      const bool has_arguments = i + 1 < end && tokens_[i + 1].token.is("(");
      judge_attribute(i, has_arguments);
      if (has_arguments) i = behind_parentheses(i + 1) - 1;
    }
    at_ = std::min(end, tokens_.size()) - 1;
  }

  /// Judges `[[nodiscard]]`, `[[gnu::noinline]]`, `[[using gnu: hot, noinline]]`.
  void judge_standard_attributes() {
    std::size_t i = at_ + 2;
    if (i < tokens_.size() && tokens_[i].token.is("using")) i += 3;
    for (; i < tokens_.size() && !tokens_[i].token.is("]"); ++i) {
      if (tokens_[i].token.kind != TokenKind::identifier) continue;
      if (i + 1 < tokens_.size() && tokens_[i + 1].token.is("::")) continue;  // the namespace
      const bool has_arguments = i + 1 < tokens_.size() && tokens_[i + 1].token.is("(");
      judge_attribute(i, has_arguments);
      if (has_arguments) i = behind_parentheses(i + 1) - 1;
    }
    at_ = std::min(i, tokens_.size() - 1);
  }

  void judge_attribute(std::size_t i, bool has_arguments) {
    const PreprocessedToken& found = tokens_[i];
    const std::string_view name = plain(found.token.text);
    if (hides_accesses(name)) {
      const bool is_harmless = !found.is_own && has_arguments && i + 2 < tokens_.size() &&
                               is_about_arithmetic(tokens_[i + 2].token.text);
      if (is_harmless) return;
      say(found, tr("'{}' hides from the simulator what a kernel loads and stores; leave it out",
                    found.token.text));
    } else if (found.is_own ? !is_one_of(name, harmless_attributes)
                            : is_one_of(name, refused_in_headers)) {
      say(found, tr("the attribute '{}' changes what the compiler makes of the code; "
                    "leave it out",
                    name));
    }
  }

  /// Judges a pragma; the preprocessor has left no other directive.
  void judge_directive() {
    const int directive = token().directive;
    std::vector<std::string_view> words;
    for (std::size_t i = at_; i < tokens_.size() && tokens_[i].token.directive == directive; ++i) {
      words.push_back(tokens_[i].token.text);
    }
    if (refuses(words)) {
      std::string shown = "#pragma";
      for (std::size_t i = 2; i < words.size(); ++i) shown += fmt::format(" {}", words[i]);
      say(tr("'{}' changes what the compiler makes of the code; leave it out", shown));
    }
    at_ += words.size() - 1;
  }

  /// Whether a pragma is refused. Compilers ignore most pragmas, including those of other
  /// compilers.
  static bool refuses(const std::vector<std::string_view>& words) {
    if (words.size() < 3) return false;
    if (words[1] != "pragma") return true;
    static constexpr auto of_gnu = std::to_array<std::string_view>(
        {"unroll", "ivdep", "novector", "diagnostic", "visibility", "poison", "error", "warning",
         "dependency", "system_header"});
    static constexpr auto of_clang = std::to_array<std::string_view>({"loop", "diagnostic", "fp"});
    static constexpr auto refused = std::to_array<std::string_view>(
        {"redefine_extname", "scalar_storage_order", "comment", "init_seg", "section", "code_seg",
         "data_seg", "bss_seg", "optimize", "alloc_text"});
    const std::string_view second = words.size() > 3 ? words[3] : "";
    if (words[2] == "GCC") return !is_one_of(second, of_gnu);
    if (words[2] == "clang") return !is_one_of(second, of_clang);
    if (words[2] == "weak") return std::ranges::find(words, "=") != words.end();
    return is_one_of(words[2], refused);
  }

  const std::vector<PreprocessedToken>& tokens_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::set<int> lines_of_intrinsics_;
  std::set<std::pair<int, std::string>> problems_;  // each use of a macro repeats them
};

}  // namespace

std::string judge_text(const PreprocessedText& text, std::string_view name) {
  return TextJudge(text, name).run();
}

}  // namespace tilewise::grading
