#include "grading/check/program_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/simt/rewrite/rewrite.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

const std::regex& include_directive() {
  static const std::regex directive(R"((^[ \t]*#[ \t]*include[ \t]*)("[^"\n]+"|<[^>\n]+>))",
                                    std::regex::multiline);
  return directive;
}

/// Whether a file belongs to the toolkit or the system. These are not the user's files, and the
/// simulator replaces many of them with its own.
bool is_of_the_system(const fs::path& file) {
  std::error_code unknown;
  for (fs::path folder = file.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "cuda_runtime.h", unknown)) return true;
  }
  return core::lies_in(file, "/usr/include") || core::lies_in(file, "/usr/lib");
}

fs::path absolute_path(const fs::path& file) { return fs::absolute(file).lexically_normal(); }

/// Returns the file that an include directive names, or nothing if it is not the user's.
std::optional<fs::path> find(const std::string& include, const fs::path& includer,
                             const std::vector<fs::path>& folders) {
  const std::string name = include.substr(1, include.size() - 2);
  std::vector<fs::path> candidates;
  if (include.front() == '"') candidates.push_back(includer.parent_path());
  candidates.insert(candidates.end(), folders.begin(), folders.end());
  for (const fs::path& folder : candidates) {
    std::error_code unknown;
    const fs::path file = (folder / name).lexically_normal();
    if (!fs::is_regular_file(file, unknown)) continue;
    if (is_of_the_system(absolute_path(file))) return std::nullopt;
    return file;
  }
  return std::nullopt;
}

std::string in_quotes(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return '"' + text + '"';
}

void add_words(const std::string& text, std::set<std::string, std::less<>>& words) {
  const auto is_of_a_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_a_word(text[end])) ++end;
    if (end > i) words.insert(text.substr(i, end - i));
    i = end + 1;
  }
}

void add_macros(const std::string& text, std::set<std::string, std::less<>>& macros) {
  static const std::regex definition(R"(^[ \t]*#[ \t]*define[ \t]+(\w+))", std::regex::multiline);
  for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end;
       ++match) {
    macros.insert((*match)[1].str());
  }
}

}  // namespace

std::set<std::string> included_by(const std::string& text) {
  std::set<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), include_directive()), end; match != end;
       ++match) {
    all.insert((*match)[2].str());
  }
  return all;
}

ProgramSources::ProgramSources(fs::path tree, std::vector<fs::path> include_folders, bool checked)
    : tree_(std::move(tree)), include_folders_(std::move(include_folders)), checked_(checked) {}

fs::path ProgramSources::in_tree(const fs::path& file) const {
  return tree_ / absolute_path(file).relative_path();
}

fs::path ProgramSources::add(const fs::path& source) {
  File& file = read(source, source.string());
  for (auto& [path, each] : files_) rewrite(each);
  // The file is compiled as C++, whatever its ending.
  fs::path compiled = file.target;
  compiled += ".cpp";
  fs::copy_file(file.target, compiled, fs::copy_options::overwrite_existing);
  return compiled;
}

ProgramSources::File& ProgramSources::read(const fs::path& path, const std::string& shown) {
  const auto [place, is_new] = files_.try_emplace(absolute_path(path).string());
  File& file = place->second;
  if (!is_new) return file;
  file.shown = shown;
  file.target = in_tree(path);
  file.text = core::text_of(path);
  for (const std::string& include : included_by(file.text)) {
    const auto found = find(include, path, include_folders_);
    if (!found) continue;
    file.included[include] = absolute_path(*found).string();
    // Messages use the name that a compiler would use.
    read(*found, found->string());
  }
  return file;
}

std::vector<const ProgramSources::File*> ProgramSources::all_included_by(const File& file) const {
  std::vector<const File*> all = {&file};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [include, path] : all[i]->included) {
      const File* each = &files_.at(path);
      if (std::ranges::find(all, each) == all.end()) all.push_back(each);
    }
  }
  all.erase(all.begin());
  return all;
}

void ProgramSources::rewrite(File& file) {
  if (std::exchange(file.is_rewritten, true)) return;
  simt::RewriteOptions options{.mark_loop_exits = checked_,
                               .watch_private_variables = checked_,
                               .file_tag = fmt::format("f{}", texts_.size())};
  for (const File* included : all_included_by(file)) {
    add_words(included->text, options.words_elsewhere);
    add_macros(included->text, options.macros_elsewhere);
  }
  const simt::Rewritten rewritten = simt::rewrite(file.text, options);
  for (const simt::RewriteError& error : rewritten.errors) {
    problems_ += fmt::format("{}:{}: error: {}\n", file.shown, error.line, error.message);
  }
  std::string compiled = fmt::format("{}#line 1 {}\n", rewritten.prologue, in_quotes(file.shown));
  std::size_t copied = 0;
  const std::string& text = rewritten.text;
  for (std::sregex_iterator match(text.begin(), text.end(), include_directive()), end; match != end;
       ++match) {
    const auto found = file.included.find((*match)[2].str());
    if (found == file.included.end()) continue;
    const auto begin = static_cast<std::size_t>(match->position(2));
    compiled.append(text, copied, begin - copied);
    compiled += in_quotes(files_.at(found->second).target.string());
    copied = begin + static_cast<std::size_t>(match->length(2));
  }
  compiled.append(text, copied);
  fs::create_directories(file.target.parent_path());
  std::ofstream stream(file.target, std::ios::binary);
  stream << compiled << std::flush;
  if (!stream) throw std::runtime_error(tr("cannot write {}", file.target.string()));
  texts_.push_back({file.text, std::move(compiled)});
}

std::vector<fs::path> ProgramSources::files() const {
  std::vector<fs::path> paths;
  for (const auto& [path, file] : files_) paths.emplace_back(path);
  return paths;
}

bool ProgramSources::has_in_headers(const std::string& word) const {
  std::set<std::string, std::less<>> words;
  for (const auto& [path, file] : files_) {
    for (const auto& [include, header] : file.included) add_words(files_.at(header).text, words);
  }
  return words.contains(word);
}

bool ProgramSources::allocates_by_its_own() const {
  static const std::regex own(
      R"((cudaError_t|define|\.|->)[ \t\n]*cudaMalloc(Managed|Async|FromPoolAsync|Pitch)?\b)");
  return std::ranges::any_of(
      files_, [](const auto& file) { return std::regex_search(file.second.text, own); });
}

std::vector<fs::path> ProgramSources::folders_to_include() const {
  std::vector<fs::path> folders;
  for (const fs::path& folder : include_folders_) folders.push_back(in_tree(folder));
  return folders;
}

}  // namespace tilewise::grading
