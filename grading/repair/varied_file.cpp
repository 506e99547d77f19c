#include "grading/repair/varied_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "common/base/files.hpp"
#include "grading/builder/access_words.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/repair/nearness.hpp"
#include "grading/repair/runner.hpp"
#include "grading/skeleton/skeleton.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

namespace {

/// The lines of a source that everybody is given. They are right where they stand.
std::set<int> lines_given_in(const RepairRequest& request, const std::string& name,
                             const std::string& text) {
  const fs::path solution = layout().root / "solutions" / request.stage.id / name;
  return given_lines(text, skeleton_of(core::text_of(solution)).text);
}

bool changes_one_of(const std::set<int>& lines, const Variant& variant, const SourceText& source) {
  const std::vector<Token>& code = source.outline.code();
  return std::ranges::any_of(variant.edits, [&](const Rewording& edit) {
    for (std::size_t i = edit.words.first; i < edit.words.end; ++i) {
      if (lines.contains(code[i].line)) return true;
    }
    return false;
  });
}

bool defines(const SourceText& source, const std::string& function) {
  return std::ranges::find(source.functions, function, &WrittenFunction::name) !=
         source.functions.end();
}

/// The names and signs that a compiler's errors quote, by line of the source. Notes are skipped:
/// they lead to declarations, which are right.
std::map<int, std::set<std::string>> words_by_line(const std::string& text,
                                                   const std::string& file) {
  std::map<int, std::set<std::string>> words;
  for (std::size_t at = text.find(file + ":"); at != text.npos;
       at = text.find(file + ":", at + 1)) {
    const std::string message = text.substr(at, text.find('\n', at) - at);
    if (message.find(": error: ") == message.npos) continue;
    std::set<std::string>& quoted = words[std::atoi(message.c_str() + file.size() + 1)];
    for (std::size_t open = message.find('\''); open != message.npos;) {
      const std::size_t close = message.find('\'', open + 1);
      if (close == message.npos) break;
      quoted.insert(message.substr(open + 1, close - open - 1));
      open = message.find('\'', close + 1);
    }
  }
  return words;
}

/// Removes words that are unknown on a line only because a line above, which declares them, does
/// not compile.
void drop_what_follows(std::map<int, std::set<std::string>>& quoted,
                       const std::vector<Token>& code) {
  for (auto& [line, words] : quoted) {
    std::erase_if(words, [&](const std::string& word) {
      return std::ranges::any_of(code, [&](const Token& token) {
        return token.is(word) && token.line < line && quoted.contains(token.line);
      });
    });
  }
}

}  // namespace

std::optional<VariedFile> file_with(const RepairRequest& request, const std::string& function,
                                    std::set<std::string, std::less<>> wrong) {
  constexpr std::size_t most_variants = 4000;  // they compile in twenty seconds or so
  constexpr std::size_t most_programs = 12;    // each compiles and runs in one to four seconds
  std::vector<VariedFile> files;
  for (const std::string& name : request.stage.sources) {
    files.push_back({name, core::text_of(request.source_directory / name), nullptr, {}, {}});
    files.back().source = std::make_unique<SourceText>(files.back().text);
  }
  const auto defines_a_wrong_one = [&](const VariedFile& file) {
    return std::ranges::any_of(wrong,
                               [&](const auto& each) { return defines(*file.source, each); });
  };
  const bool is_blamed = std::ranges::any_of(files, [&](const VariedFile& file) {
    return file.name == request.file && defines_a_wrong_one(file);
  });
  for (VariedFile& file : files) {
    if (is_blamed ? file.name != request.file : !defines(*file.source, function)) continue;
    file.variants = variants_of(*file.source, file.text, wrong);
    file.fixed = fixed_variants_of(*file.source, file.text, wrong);
    std::set<std::string, std::less<>> right;
    for (const ContractInfo& contract : contracts_of(request.stage.id)) {
      if (!wrong.contains(contract.function)) right.insert(contract.function);
    }
    const std::map<int, int> steps = steps_in(*file.source, request, std::move(right));
    const std::set<int> given = lines_given_in(request, file.name, file.text);
    for (auto [variants, most] :
         {std::pair(&file.variants, most_variants), {&file.fixed, most_programs}}) {
      std::erase_if(*variants, [&](const Variant& variant) {
        return changes_one_of(given, variant, *file.source) ||
               (variant.is_of_pitch && !request.is_of_memory);
      });
      sort_by_likelihood(*variants, request, steps);
      if (variants->size() > most) variants->resize(most);
    }
    return std::move(file);
  }
  return std::nullopt;
}

fs::path build_variants(const RepairRequest& request, const VariedFile& file,
                        std::vector<Variant>& variants) {
  constexpr int most_attempts = 6;
  for (int i = 0; i < most_attempts; ++i) {
    const fs::path folder =
        folder_with(request, "varied", file.name, varied(*file.source, file.text, variants));
    BuildRequest build{request.stage.id, folder, Backend::simt, request.scratch / "varied",
                       Flavour::checked};
    build.bubblewrap = request.bubblewrap;
    build.varied = true;
    build.optimised = request.optimised;
    const BuildResult built = build_module(build);
    if (built.ok) return built.module;
    auto quoted = words_by_line(built.output, file.name);
    quoted.try_emplace(built.finding.line);
    const auto& code = file.source->outline.code();
    const auto stands_there = [&](const Variant& variant) {
      return std::ranges::any_of(variant.changes, [&](const Change& change) {
        return quoted.contains(code[change.words.first].line);
      });
    };
    drop_what_follows(quoted, code);
    const auto says_it = [&](const Variant& variant) {
      return std::ranges::any_of(variant.changes, [&](const Change& change) {
        const auto words = quoted.find(code[change.words.first].line);
        return words != quoted.end() &&
               std::ranges::any_of(words->second, [&](const std::string& word) {
                 constexpr std::string_view sign = "operator";
                 return word.starts_with(sign)
                            ? change.text.find(word.substr(sign.size())) != change.text.npos
                            : says_word(change.text, word);
               });
      });
    };
    if (std::erase_if(variants, says_it) > 0) continue;
    int most = -1;
    for (const Variant& variant : variants) {
      if (stands_there(variant)) most = std::max(most, variant.daring);
    }
    if (most < 0) return {};
    std::erase_if(variants, [&](const Variant& variant) {
      return variant.daring == most && stands_there(variant);
    });
  }
  return {};
}

}  // namespace tilewise::grading
