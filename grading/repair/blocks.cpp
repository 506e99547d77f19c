#include "grading/repair/blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace tilewise::grading {
namespace {

void add_blocks(const Statement& statement, const std::vector<Token>& code, bool is_of_switch,
                std::vector<Part>& blocks) {
  if (statement.kind == Statement::Kind::block && !is_of_switch) blocks.push_back(statement.words);
  const bool is_switch =
      statement.kind == Statement::Kind::control && code[statement.words.first].is("switch");
  for (const Statement& inner : statement.inner) add_blocks(inner, code, is_switch, blocks);
}

/// The innermost of some blocks that holds a token; nothing if none does.
std::optional<std::size_t> block_with(const std::vector<Part>& blocks, std::size_t token) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool holds_it = blocks[i].first < token && token < blocks[i].end;
    if (holds_it && (!found || blocks[i].first > blocks[*found].first)) found = i;
  }
  return found;
}

}  // namespace

std::vector<Part> blocks_of(const SourceText& source) {
  const std::vector<Token>& code = source.outline.code();
  std::vector<Part> blocks;
  for (const WrittenFunction& function : source.functions) {
    const auto jumps = [&](std::size_t i) { return code[i].is("goto"); };
    bool has_jumps = false;
    for (std::size_t i = function.body; i < function.end; ++i) has_jumps |= jumps(i);
    // A jump may lead past the beginning of a block.
    if (has_jumps || is_constant(code, function)) continue;
    add_blocks(block_at(source.outline, function.body), code, false, blocks);
  }
  return blocks;
}

std::set<std::size_t> blocks_in(const std::string& output, std::int32_t number) {
  const std::string mark = "\036" + std::to_string(number) + " ";
  std::set<std::size_t> blocks;
  for (std::size_t at = output.find(mark); at != output.npos; at = output.find(mark, at + 1)) {
    blocks.insert(std::strtoul(output.c_str() + at + mark.size(), nullptr, 10));
  }
  return blocks;
}

void narrow_down(std::vector<Variant>& variants, const SourceText& source,
                 const std::vector<Entered>& calls) {
  const std::vector<Part> blocks = blocks_of(source);
  const auto is_entered = [&](const Variant& variant, const Entered& call) {
    return std::ranges::any_of(variant.changes, [&](const Change& change) {
      const auto block = block_with(blocks, change.words.first);
      return !block || call.blocks.contains(*block);
    });
  };
  std::erase_if(variants, [&](const Variant& variant) {
    return std::ranges::any_of(
        calls, [&](const Entered& call) { return !call.is_right && !is_entered(variant, call); });
  });
  for (Variant& variant : variants) {
    variant.distance += std::ranges::any_of(
        calls, [&](const Entered& call) { return call.is_right && is_entered(variant, call); });
  }
  std::ranges::stable_sort(variants, {}, &Variant::distance);
}

}  // namespace tilewise::grading
