#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

struct Instruction {
  std::string_view name;
  std::string_view function;  ///< in tilewise/ptx_instructions.hpp; empty: copies its operand
  std::size_t operands;       ///< including the result, which comes first
};

constexpr std::array<Instruction, 30> instructions = {{
    {"mov.u32", "", 2},
    {"mov.s32", "", 2},
    {"mov.b32", "", 2},
    {"mov.u64", "", 2},
    {"bfind.u32", "bfind", 2},
    {"popc.b32", "__popc", 2},
    {"clz.b32", "__clz", 2},
    {"brev.b32", "__brev", 2},
    {"bfe.u32", "bfe", 4},
    {"bfe.s32", "bfe_signed", 4},
    {"bfi.b32", "bfi", 5},
    {"prmt.b32", "__byte_perm", 4},
    {"lop3.b32", "lop3", 5},
    {"vabsdiff4.u32.u32.u32.add", "vabsdiff4_add", 4},
    {"add.u32", "add", 3},
    {"add.s32", "add", 3},
    {"sub.u32", "subtract", 3},
    {"sub.s32", "subtract", 3},
    {"mul.lo.u32", "multiply", 3},
    {"mul.lo.s32", "multiply", 3},
    {"mul.hi.u32", "__umulhi", 3},
    {"mad.lo.u32", "multiply_add", 4},
    {"mad.lo.s32", "multiply_add", 4},
    {"and.b32", "bits_and", 3},
    {"or.b32", "bits_or", 3},
    {"xor.b32", "bits_xor", 3},
    {"fma.rn.f32", "__fmaf_rn", 4},
    {"membar.cta", "__threadfence_block", 0},
    {"membar.gl", "__threadfence", 0},
    {"membar.sys", "__threadfence_system", 0},
}};

constexpr std::array<std::string_view, 22> registers = {
    "laneid",      "warpid",  "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt",
    "lanemask_ge", "tid.x",   "tid.y",       "tid.z",       "ntid.x",      "ntid.y",
    "ntid.z",      "ctaid.x", "ctaid.y",     "ctaid.z",     "nctaid.x",    "nctaid.y",
    "nctaid.z",    "clock",   "clock64",     "globaltimer"};

const Instruction* instruction_named(std::string_view name) {
  for (const Instruction& instruction : instructions) {
    if (instruction.name == name) return &instruction;
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at; (at = text.find(separator)) != text.npos; text.remove_prefix(at + 1)) {
    parts.push_back(trimmed(text.substr(0, at)));
  }
  parts.push_back(trimmed(text));
  return parts;
}

/// Returns the text of a plain string literal; nothing for a raw one or one with a prefix.
std::optional<std::string> said_by(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"') return std::nullopt;
  std::string said;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      said += literal[i];
    } else {
      const char escaped = literal[++i];
      if (escaped != 'n' && escaped != 't') return std::nullopt;
      said += escaped == 'n' ? '\n' : '\t';
    }
  }
  return said;
}

class AssemblyRewriter {
 public:
  AssemblyRewriter(const Outline& outline, Edits& edits)
      : outline_(outline), code_(outline.code()), edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i + 1 < code_.size(); ++i) {
      const Token& word = code_[i];
      if (!word.is("asm") && !word.is("__asm__") && !word.is("__asm")) continue;
      std::size_t open = i + 1;
      while (open < code_.size() && (code_[open].is("volatile") || code_[open].is("__volatile__")))
        ++open;
      if (open >= code_.size() || !code_[open].is("(")) continue;
      const auto close = outline_.partner(open);
      if (!close) continue;
      const auto expression = expression_of(open, *close);
      if (!expression) continue;
      edits_.replace(word, *expression);
      for (std::size_t k = i + 1; k <= *close; ++k) edits_.erase(code_[k]);
      i = *close;
    }
  }

 private:
  /// Returns the C++ expression; nothing for instructions that are not known here, such as those of
  /// x86 in host code.
  std::optional<std::string> expression_of(std::size_t open, std::size_t close) const {
    std::size_t at = open + 1;
    std::string text;
    for (; at < close && code_[at].kind == TokenKind::string; ++at) {
      const auto said = said_by(code_[at].text);
      if (!said) return std::nullopt;
      text += *said;
    }
    const auto operands = operands_of(at, close);
    if (!operands) return std::nullopt;
    std::string all;
    for (const std::string_view statement : split(text, ';')) {
      if (statement.empty()) continue;
      const auto one = statement_of(statement, *operands);
      if (!one) return std::nullopt;
      all += (all.empty() ? "" : ", ") + ("(void)(" + *one + ")");
    }
    if (all.empty()) return std::nullopt;
    return "(" + all + ")";
  }

  /// Returns the expressions behind constraints such as "=r", results first.
  std::optional<std::vector<std::string>> operands_of(std::size_t at, std::size_t close) const {
    std::vector<std::string> operands;
    int colons = 0;
    while (at < close) {
      const Token& token = code_[at];
      if (token.is(":") || token.is("::")) {
        colons += static_cast<int>(token.text.size());
      } else if (token.kind == TokenKind::string && colons < 3) {
        // An operand with "+r" is read as well as written, but it needs no special case: the
        // instructions here have results of their own.
        const auto end = at + 1 < close ? outline_.partner(at + 1) : std::nullopt;
        if (!end || !code_[at + 1].is("(") || *end >= close) return std::nullopt;
        const std::vector<Token> inner(code_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                       code_.begin() + static_cast<std::ptrdiff_t>(*end) + 1);
        operands.push_back(joined(inner));
        at = *end;
      } else if (!token.is(",") && token.kind != TokenKind::string) {
        return std::nullopt;
      }
      ++at;
    }
    return operands;
  }

  static std::optional<std::string> statement_of(std::string_view statement,
                                                 const std::vector<std::string>& operands) {
    const std::size_t blank = statement.find_first_of(" \t\n");
    if (statement == "bar.sync 0") return "__syncthreads()";  // others are for a part of a block
    const Instruction* instruction = instruction_named(statement.substr(0, blank));
    if (instruction == nullptr) return std::nullopt;
    std::vector<std::string> given;
    if (blank != statement.npos) {
      for (const std::string_view word : split(trimmed(statement.substr(blank)), ',')) {
        const auto operand = operand_of(word, operands);
        if (!operand) return std::nullopt;
        given.push_back(*operand);
      }
    }
    if (given.size() != instruction->operands) return std::nullopt;
    const bool has_result = given.size() > 1;
    std::string call;
    for (std::size_t i = has_result ? 1 : 0; i < given.size(); ++i) {
      call += (call.empty() ? "" : ", ") + given[i];
    }
    if (!instruction->function.empty()) {
      call = "::tilewise::simt::ptx_instructions::" + std::string(instruction->function) + "(" +
             call + ")";
    }
    return has_result ? given.front() + " = " + call : call;
  }

  static std::optional<std::string> operand_of(std::string_view word,
                                               const std::vector<std::string>& operands) {
    if (word.empty()) return std::nullopt;
    const auto is_number = [](std::string_view text) {
      return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    };
    if (is_number(word)) return std::string(word);
    if (word.starts_with("0x") &&
        word.find_first_not_of("0123456789abcdefABCDEF", 2) == word.npos && word.size() > 2) {
      return std::string(word);
    }
    if (word.size() > 2 && word.front() == '%' && !is_number(word.substr(1))) {
      // nvcc also accepts a register with a single %.
      const std::string_view given = word.substr(word[1] == '%' ? 2 : 1);
      for (const std::string_view name : registers) {
        if (name != given) continue;
        std::string function(name);
        for (char& c : function) c = c == '.' ? '_' : c;
        return "::tilewise::simt::ptx_instructions::read_" + function + "()";
      }
      return std::nullopt;
    }
    if (!word.starts_with("%") || !is_number(word.substr(1)) || word.size() > 3) {
      return std::nullopt;
    }
    const std::size_t index = std::stoul(std::string(word.substr(1)));
    if (index >= operands.size()) return std::nullopt;
    return operands[index];
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  Edits& edits_;
};

}  // namespace

void rewrite_assembly(const Outline& outline, Edits& edits) {
  AssemblyRewriter(outline, edits).run();
}

}  // namespace tilewise::simt::rewriting
