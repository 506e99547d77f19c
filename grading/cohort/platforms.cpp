#include "grading/cohort/platforms.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/cli/meant_files.hpp"
#include "grading/cohort/archives.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Reads "Doe Jane_123_assignsubmission_file_", which a file's name may follow. The middle is the
/// same in all languages. If there are groups, a group's name and a hyphen come first. If grading
/// is blind, "Participant" in the site's language replaces the name.
std::optional<Delivered> of_moodle(const std::string& name) {
  static const std::regex form(R"((.+?)_(\d+)_assignsubmission_(file|onlinetext)_?(.*))");
  std::smatch found;
  if (!std::regex_match(name, found, form)) return std::nullopt;
  return Delivered{.people = {{found[1], {found[2]}}}, .id = found[2], .file = found[4]};
}

/// Reads "doejane_LATE_123_456_matmul_shared-1.cu", in which a group's name may replace the
/// student's; "LATE_anon_aB3cD_456_matmul_shared.cu", if names are withheld; and
/// "doejane_123_text.html", for text that was typed in.
std::optional<Delivered> of_canvas(const std::string& name) {
  static const std::regex form(R"((.+?)_(LATE_)?(\d+)_(?:\d+_(.+)|((?:text|link)\.html)))");
  static const std::regex anonymous(R"((LATE_)?(anon_\w+?)_(\d+)_(.+))");
  static const std::regex attempt(R"((.+)-(\d{1,4})(\.[^.]+|\.tar\.[^.]+)?)");
  std::smatch found;
  Delivered delivered;
  if (std::regex_match(name, found, anonymous)) {
    delivered = {.people = {{found[2]}}, .file = found[4]};
    delivered.at.marked_late = found[1].matched;
  } else if (std::regex_match(name, found, form)) {
    delivered = {.people = {{found[1], {found[3]}}}, .id = found[3]};
    delivered.file = found[found[4].matched ? 4 : 5];
    delivered.at.marked_late = found[2].matched;
  } else {
    return std::nullopt;
  }
  const std::string file = delivered.file;
  if (std::regex_match(file, found, attempt)) {
    delivered.file = found[1].str() + found[3].str();
    delivered.attempt = std::stoi(found[2]);
  }
  return delivered;
}

HandedInAt said_by(const char* platform, const std::string& time) {
  return {.time = parse_time(time, DayMeans::its_beginning), .said_by = platform};
}

/// Matches "Lab 3_doej_attempt_2026-11-20-23-59-00_matmul_shared.cu", and a receipt, whose name
/// ends after the time. The groups are the title with the login, the time, and the file.
const std::regex blackboard(R"((.+)_attempt_(\d{4}(?:-\d\d){5})(?:_(.+)|(\.txt)))");

std::optional<Delivered> of_blackboard(const std::string& name, const std::string& title) {
  std::smatch found;
  if (!std::regex_match(name, found, blackboard)) return std::nullopt;
  const std::string before = found[1];
  const bool has_title = !title.empty() && before.starts_with(title);
  const std::string login = before.substr(has_title ? title.size() : before.rfind('_') + 1);
  Delivered delivered{.people = {{login, {login}}}, .id = login, .is_whole = true};
  delivered.file = found[3].matched ? found[3].str() : "receipt.txt";
  delivered.at = said_by("Blackboard", found[2]);
  return delivered;
}

/// Reads "123-456 - Jane Doe - Nov 20, 2026 1159 PM", which a file's name may follow. A part with a
/// year is a time, even if the site's language writes it in a way that is not known here.
std::optional<Delivered> of_brightspace(const std::string& name) {
  static const std::regex form(R"((\d+)-\d+ - (.+?) - ([^-]*\d{4}[^-]*?)(?: - (.+))?)");
  std::smatch found;
  if (!std::regex_match(name, found, form)) return std::nullopt;
  return Delivered{.people = {{found[2], {found[1]}}},
                   .id = found[1],
                   .file = found[4],
                   .at = said_by("Brightspace", found[3]),
                   .is_whole = true};
}

/// Reads "Doe_Jane_doej_345": last name, first name, login and the platform's number. Other folders
/// may look the same; all that is gained is a login that a roster may know.
Delivered of_a_folder(const std::string& name) {
  static const std::regex of_ilias(R"([^_]+_.+_([^_]+)_\d+)");
  std::smatch found;
  if (!std::regex_match(name, found, of_ilias)) return {.people = {{name}}};
  return {.people = {{name, {found[1]}}}};
}

/// Reads "Jane Doe - matmul_shared.cu", as Google Classroom names copies, or any name that contains
/// a student's.
Delivered of_a_file(const std::string& name) {
  const std::size_t hyphen = name.find(" - ");
  const std::size_t ending = ending_of_archive(name).size();
  const std::string beside = words_beside_stage(name);
  if (hyphen != name.npos && hyphen > 0 && (ending > 0 || !beside.empty())) {
    return {.people = {{name.substr(0, hyphen)}}, .file = name.substr(hyphen + 3)};
  }
  if (name.starts_with(beside) && !beside.empty()) {
    return {.people = {{beside}}, .file = name.substr(beside.size() + 1)};
  }
  if (!beside.empty()) return {.people = {{beside}}, .file = name};
  return {.people = {{name.substr(0, name.size() - ending)}}};
}

}  // namespace

std::string title_at_blackboard(const std::vector<fs::path>& items) {
  std::optional<std::string> common;
  for (const fs::path& item : items) {
    const std::string name = item.filename().string();
    std::smatch found;
    if (!std::regex_match(name, found, blackboard)) continue;
    const std::string before = found[1];
    if (!common) common = before;
    common->resize(
        static_cast<std::size_t>(std::ranges::mismatch(*common, before).in1 - common->begin()));
  }
  return common ? common->substr(0, common->rfind('_') + 1) : "";
}

Delivered delivered_as(const std::string& name, bool is_folder, const std::string& title) {
  if (auto delivered = of_moodle(name)) return *delivered;
  if (auto delivered = of_blackboard(name, title)) return *delivered;
  if (auto delivered = of_brightspace(name)) return *delivered;
  if (is_folder) return of_a_folder(name);
  if (auto delivered = of_canvas(name)) return *delivered;
  return of_a_file(name);
}

namespace {

/// Returns a YAML value without its quotes.
std::string unquoted(std::string value) {
  if (value.size() > 1 && value.front() == value.back() && (value[0] == '"' || value[0] == '\'')) {
    value = value.substr(1, value.size() - 2);
  }
  return value;
}

}  // namespace

std::map<std::string, Delivered> delivered_by_gradescope(const fs::path& metadata) {
  static const std::regex folder(R"((\S+):\s*)");
  static const std::regex submitter(R"(\s*-?\s*:(name|sid|email):\s*(.*?)\s*)");
  static const std::regex time(R"(  :created_at:\s*(.*?)\s*)");
  std::map<std::string, Delivered> all;
  std::ifstream stream(metadata);
  Delivered* current = nullptr;
  bool is_of_submitters = false;         // those of earlier attempts are indented further
  constexpr std::size_t longest = 1000;  // no name is longer
  for (std::string line; std::getline(stream, line);) {
    if (line.size() > longest) continue;
    std::smatch found;
    if (!line.starts_with(' ') && std::regex_match(line, found, folder)) {
      current = &all[found[1]];
      current->id = found[1];
    } else if (current == nullptr) {
      continue;
    } else if (std::regex_match(line, found, time)) {
      current->at = said_by("Gradescope", unquoted(found[1]));
    } else if (line.starts_with("  :")) {
      is_of_submitters = line.starts_with("  :submitters:");
    } else if (is_of_submitters && std::regex_match(line, found, submitter)) {
      const std::string value = unquoted(found[2]);
      if (found[1] == "name") {
        current->people.push_back({value});
      } else if (!current->people.empty() && !value.empty()) {
        current->people.back().ids.push_back(value);
      }
    }
  }
  std::erase_if(all, [](const auto& one) { return one.second.people.empty(); });
  return all;
}

HandedInAt committed_at(const fs::path& clone) {
  std::error_code error;
  const fs::path git = clone / ".git";
  if (!fs::is_directory(git / "objects", error)) return {};
  std::string head = first_line(text_of(git / "HEAD"));
  if (head.starts_with("ref: ")) {
    const std::string branch = head.substr(5);
    if (branch.find("..") != branch.npos || !branch.starts_with("refs/")) return {};
    head = first_line(text_of(git / branch));
    if (head.empty()) {
      std::ifstream packed(git / "packed-refs");
      for (std::string line; std::getline(packed, line);) {
        if (line.ends_with(" " + branch)) head = line.substr(0, line.find(' '));
      }
    }
  }
  static const std::regex hash("[0-9a-f]{40}|[0-9a-f]{64}");
  if (!std::regex_match(head, hash)) return {};
  // A repository's own settings may name programs to run, so git reads its objects by way of
  // another one.
  const ScratchDirectory empty;
  fs::create_directories(empty.path() / "objects");
  fs::create_directories(empty.path() / "refs");
  write_output(empty.path() / "HEAD", "ref: refs/heads/none\n");
  Command command;
  command.arguments = {"git", "--git-dir=" + empty.path().string(), "log", "-1", "--format=%ct",
                       head};
  command.environment = {
      {"GIT_ALTERNATE_OBJECT_DIRECTORIES", fs::absolute(git / "objects", error).string()}};
  command.time_limit_s = 10;
  command.keeps_errors = false;
  const CommandResult result = run_command(command);
  if (!result.succeeded() || result.output.empty()) return {};
  return {.time = std::stoll(result.output), .said_by = "its Git commit"};
}

bool is_nobodys(const std::string& name) {
  static const std::set<std::string> of_others = {"__MACOSX", "Thumbs.db", "desktop.ini",
                                                  "index.html"};
  // Lists of students, in all the forms that platforms and instructors put beside the submissions.
  static const std::set<std::string> tables = {".csv", ".json", ".ods", ".xls", ".xlsx", ".yml"};
  return name.starts_with('.') || of_others.contains(name) ||
         tables.contains(in_lower_case(fs::path(name).extension().string()));
}

}  // namespace tilewise::grading
