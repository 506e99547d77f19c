#include "grading/check/program_sources.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string_view>

#include "common/base/files.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Of the toolkit and of the system: these are no files of the user's, and the simulator has its
/// own of many of them.
bool is_of_the_system(const fs::path& file) {
  std::error_code unknown;
  for (fs::path folder = file.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "cuda_runtime.h", unknown)) return true;
  }
  return core::lies_in(file, "/usr/include") || core::lies_in(file, "/usr/lib");
}

/// Where a file is that another includes; nothing where it is not the user's.
std::optional<fs::path> find(const Included& included, const fs::path& includer,
                             const std::vector<fs::path>& folders) {
  std::vector<fs::path> candidates;
  if (included.quoted) candidates.push_back(includer.parent_path());
  candidates.insert(candidates.end(), folders.begin(), folders.end());
  for (const fs::path& folder : candidates) {
    std::error_code unknown;
    const fs::path file = (folder / included.name).lexically_normal();
    if (fs::is_regular_file(file, unknown)) {
      if (is_of_the_system(fs::absolute(file))) return std::nullopt;
      return file;
    }
  }
  return std::nullopt;
}

std::string quoted(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return '"' + text + '"';
}

}  // namespace

std::vector<Included> included_by(const std::string& text) {
  static const std::regex directive(R"(^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)\"|<([^>\n]+)>))",
                                    std::regex::multiline);
  std::vector<Included> all;
  for (std::sregex_iterator match(text.begin(), text.end(), directive), end; match != end;
       ++match) {
    const bool is_quoted = (*match)[1].matched;
    all.push_back({(*match)[is_quoted ? 1 : 2].str(), is_quoted});
  }
  return all;
}

ProgramSources::ProgramSources(fs::path tree, std::vector<fs::path> include_folders, bool checked)
    : tree_(std::move(tree)), include_folders_(std::move(include_folders)), checked_(checked) {}

fs::path ProgramSources::in_tree(const fs::path& file) const {
  return tree_ / fs::absolute(file).lexically_normal().relative_path();
}

fs::path ProgramSources::add(const fs::path& source, bool is_cuda) {
  std::error_code error;
  if (!fs::exists(source, error)) throw CannotGrade(fmt::format("there is no {}", source.string()));
  if (!fs::is_regular_file(source, error)) {
    throw CannotGrade(fmt::format("{} is no file", source.string()));
  }
  if (!std::ifstream(source)) throw CannotGrade(fmt::format("cannot read {}", source.string()));
  if (!is_cuda) return source;
  const fs::path rewritten = rewrite(source, source.string());
  fs::path compiled = rewritten;
  compiled += ".cpp";
  fs::copy_file(rewritten, compiled, fs::copy_options::overwrite_existing);
  return compiled;
}

fs::path ProgramSources::rewrite(const fs::path& file, const std::string& shown) {
  const fs::path target = in_tree(file);
  if (!done_.insert(target).second) return target;
  const std::string text = core::text_of(file);
  const std::string tag = fmt::format("f{}", done_.size());
  const simt::Rewritten rewritten =
      simt::rewrite(text, {.mark_loop_exits = checked_, .file_tag = tag});
  for (const simt::RewriteError& error : rewritten.errors) {
    problems_ += fmt::format("{}:{}: error: {}\n", shown, error.line, error.message);
  }
  const std::string compiled =
      fmt::format("{}#line 1 {}\n{}", rewritten.prologue, quoted(shown), rewritten.text);
  fs::create_directories(target.parent_path());
  std::ofstream stream(target, std::ios::binary);
  stream << compiled << std::flush;
  if (!stream) throw std::runtime_error("cannot write " + target.string());
  texts_.push_back({text, compiled});
  add_included(file, shown, text);
  return target;
}

void ProgramSources::add_included(const fs::path& file, const std::string& shown,
                                  const std::string& text) {
  for (const Included& included : included_by(text)) {
    const auto found = find(included, file, include_folders_);
    if (!found) continue;
    // As a compiler would call it.
    const fs::path beside = (fs::path(shown).parent_path() / included.name).lexically_normal();
    std::error_code unknown;
    const bool is_beside = included.quoted && fs::equivalent(beside, *found, unknown);
    rewrite(*found, is_beside ? beside.string() : found->string());
  }
}

std::vector<fs::path> ProgramSources::folders_to_include() const {
  std::vector<fs::path> folders;
  for (const fs::path& folder : include_folders_) folders.push_back(in_tree(folder));
  return folders;
}

}  // namespace tilewise::grading
