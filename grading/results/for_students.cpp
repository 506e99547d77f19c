#include "grading/results/for_students.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {

std::string for_students(std::string_view text, std::size_t most_bytes) {
  // The text is cut before the search, and again afterwards, since a character may have become an
  // escape of up to ten bytes.
  std::string shown = printable(without_places(text.substr(0, most_bytes)));
  const bool was_cut = text.size() > most_bytes || shown.size() > most_bytes;
  if (shown.size() > most_bytes) {
    shown.resize(most_bytes);
    // Do not split a character of several bytes.
    while (!shown.empty() && (shown.back() & 0xC0) == 0x80) shown.pop_back();
    if (!shown.empty() && (shown.back() & 0xC0) == 0xC0) shown.pop_back();
  }
  return was_cut ? shown + "\n[more was cut here]" : shown;
}

TestResult for_students(TestResult test) {
  constexpr std::size_t longest_name_bytes = 300;
  test.finding.message = for_students(test.finding.message, longest_message_bytes);
  test.finding.hint = for_students(test.finding.hint, longest_message_bytes);
  test.finding.file = for_students(test.finding.file, longest_name_bytes);
  return test;
}

std::string feedback(const TestResult& test) {
  std::string text;
  if (!test.finding.file.empty()) {
    text += test.finding.line > 0 ? fmt::format("{}:{}\n", test.finding.file, test.finding.line)
                                  : test.finding.file + "\n";
  }
  if (!test.finding.message.empty()) text += test.finding.message + "\n";
  if (!test.finding.hint.empty()) text += "Hint: " + test.finding.hint + "\n";
  return text;
}

TestResult without_secrets(const TestResult& test, int number) {
  TestResult shown;
  shown.name = fmt::format("Hidden test {}", number);
  shown.category = test.category;
  shown.status = test.status;
  shown.score = test.score;
  shown.max_score = test.max_score;
  shown.hidden = true;
  return shown;
}

StageResult without_hidden(StageResult stage) {
  int number = 0;
  for (TestResult& test : stage.tests) {
    if (test.hidden) test = without_secrets(test, ++number);
  }
  return stage;
}

GradeResult without_hidden(GradeResult grade) {
  for (StageResult& stage : grade.stages) stage = without_hidden(std::move(stage));
  return grade;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view elsewhere = "...";

/// Whether a character is part of a name rather than its end.
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

/// Whether an unknown path ends at this character, because messages put it around names.
bool ends_a_path(char c) {
  constexpr std::string_view around = " \t\n\r'\"`()[]<>,;:=|";
  return around.find(c) != around.npos || static_cast<unsigned char>(c) < ' ';
}

/// Adds the names that messages may use for a folder, with and without links resolved, and without
/// a slash at the end.
void add(std::vector<std::string>& names, const fs::path& folder) {
  std::error_code unknown;
  for (const fs::path& path : {folder, fs::weakly_canonical(folder, unknown)}) {
    std::string name = path.lexically_normal().string();
    while (name.ends_with('/')) name.pop_back();
    if (name.starts_with('/') && std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
}

void replace_known(std::string& text, const std::string& folder, bool is_course) {
  const bool is_top = std::ranges::count(folder, '/') < 2;  // "/root" is part of "a/root", too
  std::size_t at = 0;
  while ((at = text.find(folder, at)) != text.npos) {
    const std::size_t end = at + folder.size();
    const bool is_other = (end < text.size() && is_word(text[end])) ||
                          (is_top && at > 0 && (is_word(text[at - 1]) || text[at - 1] == '/'));
    if (is_other) {
      ++at;
      continue;
    }
    const bool more = end < text.size() && text[end] == '/';
    if (is_course) {
      text.replace(at, folder.size() + (more ? 1 : 0), more ? "" : ".");
      continue;
    }
    // The folders in between may reveal their owner, too.
    const auto path_end =
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ends_a_path);
    const std::size_t last = text.rfind('/', static_cast<std::size_t>(path_end - text.begin()) - 1);
    text.replace(at, (more ? last : end) - at, elsewhere);
  }
}

/// Whether a folder exists on every system, so that it reveals nothing about the user.
bool is_of_the_system(std::string_view top) {
  constexpr std::string_view names[] = {"bin", "boot", "dev",  "etc",  "lib", "lib32", "lib64",
                                        "nix", "opt",  "proc", "sbin", "sys", "usr"};
  return std::ranges::find(names, top) != std::end(names);
}

/// Returns the folders in this machine's root folder. Text that begins otherwise is not one of its
/// paths.
const std::set<std::string, std::less<>>& top_folders() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> found;
    std::error_code unknown;
    for (fs::directory_iterator item("/", unknown), end; !unknown && item != end;
         item.increment(unknown)) {
      const std::string name = item->path().filename().string();
      if (!is_of_the_system(name)) found.insert(name);
    }
    return found;
  }();
  return names;
}

std::string without_other_paths(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const char before = shown.empty() ? ' ' : shown.back();
    const std::size_t slashes = std::min(text.find_first_not_of('/'), text.size());
    const bool is_address = before == ':' && slashes == 2;  // https://
    if (slashes == 0 || is_word(before) || is_address) {
      const std::size_t taken = std::max<std::size_t>(slashes, 1);
      shown += text.substr(0, taken);
      text.remove_prefix(taken);
      continue;
    }
    const auto end = std::find_if(text.begin(), text.end(), ends_a_path);
    const std::string_view path(text.begin(), end);
    const std::string_view names = path.substr(slashes);
    const std::size_t top_end = std::min(names.find('/'), names.size());
    const bool is_private = top_folders().contains(names.substr(0, top_end));
    if (is_private) {
      shown += elsewhere;
      const std::size_t last = path.rfind('/');
      if (top_end < names.size()) shown += path.substr(last);
    } else {
      shown += path;
    }
    text.remove_prefix(path.size());
  }
  return shown;
}

}  // namespace

KnownPlaces places_of_this_process() {
  KnownPlaces places;
  std::error_code unknown;
  places.course = core::project_root();
  places.private_folders = {core::executable_directory().parent_path(), fs::current_path(unknown),
                            fs::temp_directory_path(unknown)};
  if (const char* home = std::getenv("HOME")) places.private_folders.emplace_back(home);
  return places;
}

std::string without_places(std::string_view text, const KnownPlaces& known) {
  std::string shown(text);
  if (shown.find('/') == shown.npos) return shown;
  std::vector<std::string> course, others;
  add(course, known.course);
  for (const fs::path& folder : known.private_folders) add(others, folder);
  // The course may lie below the home folder, and that below another private folder, so the longest
  // names come first.
  for (const std::string& folder : course) replace_known(shown, folder, true);
  std::ranges::sort(others, std::ranges::greater(), &std::string::size);
  for (const std::string& folder : others) {
    const bool is_known_to_all = is_of_the_system(std::string_view(folder).substr(1));
    if (!is_known_to_all) replace_known(shown, folder, false);
  }
  return without_other_paths(shown);
}

std::string without_places(std::string_view text) {
  static const KnownPlaces known = places_of_this_process();
  return without_places(text, known);
}

}  // namespace tilewise::grading
