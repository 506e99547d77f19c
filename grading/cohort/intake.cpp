#include "grading/cohort/intake.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <system_error>

#include "common/base/files.hpp"
#include "grading/cohort/archives.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Files of a folder that have a place; where it has none, those of archives that lie at its top,
/// of which one that cannot be read is told of only where no other has any.
std::string take_from_tree(const fs::path& folder, const fs::path& to,
                           const PlaceInLabs& place_of) {
  if (std::string problem = take_from_folder(folder, to, place_of); !problem.empty()) {
    return problem;
  }
  std::vector<fs::path> archives;
  std::error_code error;
  if (fs::exists(to / "labs", error)) return "";
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = item->path().filename().string();
    if (!name.starts_with('.') && !ending_of_archive(name).empty()) archives.push_back(*item);
  }
  std::ranges::sort(archives);
  std::string told;
  for (const fs::path& archive : archives) {
    const std::string problem = take_from_archive(archive, to, place_of);
    if (!problem.empty() && told.empty()) {
      told = fmt::format("{}: {}", printable(archive.filename().string()), problem);
    }
  }
  return fs::exists(to / "labs", error) ? "" : told;
}

std::string take_one(const HandedIn& source, const fs::path& to) {
  std::error_code error;
  return take_submission(to, [&](const PlaceInLabs& place_of) -> std::string {
    if (fs::is_directory(source.path, error)) return take_from_tree(source.path, to, place_of);
    const std::string name = source.name.empty() ? source.path.filename().string() : source.name;
    const auto place = place_of(name);
    // Where it has no place as a part of labs, it may have one by its name.
    const bool is_source = in_lower_case(name).find(".cu") != std::string::npos;
    if (!place && is_source && ending_of_archive(name).empty()) return "";
    if (!place) return take_from_archive(source.path, to, place_of);
    if (!fs::is_regular_file(fs::symlink_status(source.path, error))) return no_archive;
    std::ifstream stream(source.path, std::ios::binary);
    std::string text(largest_source_bytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return put_in_place(text, to, *place);
  });
}

/// Places of the files below labs.
std::vector<fs::path> places_in(const fs::path& submission) {
  std::vector<fs::path> places;
  for (const StageInfo& stage : stages()) {
    for (const std::string& source : stage.sources) {
      const fs::path place = fs::path(stage.id) / source;
      if (fs::exists(submission / "labs" / place)) places.push_back(place);
    }
  }
  return places;
}

}  // namespace

bool same_sources(const fs::path& one, const fs::path& other) {
  const std::vector<fs::path> places = places_in(one);
  return places == places_in(other) && std::ranges::all_of(places, [&](const fs::path& place) {
           return text_of(one / "labs" / place) == text_of(other / "labs" / place);
         });
}

std::string take_sources(const CohortEntry& entry, const fs::path& to) {
  if (entry.sources.size() == 1) {
    std::string problem = take_one(entry.sources.front(), to);
    if (problem.empty() && places_in(to).empty()) {
      problem = "it holds no labs/NN_topic/*.cu of a stage";
    }
    return problem;
  }
  std::map<fs::path, std::string> from;
  std::string last_problem = "it holds no labs/NN_topic/*.cu of a stage";
  for (const HandedIn& source : entry.sources) {
    const ScratchDirectory scratch;
    const std::string name = source.path.filename().string();
    // A report beside the code is no archive, and need be none.
    if (std::string problem = take_one(source, scratch.path()); !problem.empty()) {
      if (problem != no_archive) return fmt::format("{}: {}", printable(name), problem);
      last_problem = std::move(problem);
    }
    for (const fs::path& place : places_in(scratch.path())) {
      const std::string text = text_of(scratch.path() / "labs" / place);
      const auto [first, is_new] = from.emplace(place, name);
      if (is_new) {
        if (auto problem = put_in_place(text, to, place); !problem.empty()) return problem;
      } else if (text != text_of(to / "labs" / place)) {
        return fmt::format("{} and {} differ in {}, and either may be meant: keep one of them",
                           printable(first->second), printable(name),
                           printable(place.filename().string()));
      }
    }
  }
  return from.empty() ? last_problem : "";
}

namespace {

/// What a platform's name for something that was handed in tells.
struct Delivered {
  std::string student;
  std::string id;    ///< tells students of one name apart; empty: there is none
  std::string file;  ///< as its owner called it; empty where it is a folder
  bool late = false;
};

/// "Doe Jane_123_assignsubmission_file_", or that and a file's name.
std::optional<Delivered> of_moodle(const std::string& name) {
  static const std::regex form(R"((.+?)_(\d+)_assignsubmission_(file|onlinetext)_?(.*))");
  std::smatch found;
  if (!std::regex_match(name, found, form)) return std::nullopt;
  return Delivered{found[1], found[2], found[4]};
}

/// "doejane_LATE_123_456_matmul_shared-1.cu".
std::optional<Delivered> of_canvas(const std::string& name) {
  static const std::regex form(R"(([^_]+)(_LATE)?_(\d+)_(\d+)_(.+))");
  std::smatch found;
  if (!std::regex_match(name, found, form)) return std::nullopt;
  return Delivered{found[1], found[3], found[5], found[2].matched};
}

/// "matmul_shared.cu" and 2 for Canvas' "matmul_shared-2.cu", the third attempt.
std::pair<std::string, int> attempt_of(const std::string& file) {
  static const std::regex form(R"((.+)-(\d{1,4})(\.[^.]+|\.tar\.[^.]+)?)");
  std::smatch found;
  if (!std::regex_match(file, found, form)) return {file, 0};
  return {found[1].str() + found[3].str(), std::stoi(found[2])};
}

/// Of what Gradescope exports: the students of each folder.
std::map<std::string, std::string> students_of_gradescope(const fs::path& metadata) {
  static const std::regex folder(R"((\S+):\s*)"), name(R"(\s*-?\s*:name:\s*(.*?)\s*)");
  std::map<std::string, std::string> students;
  std::ifstream stream(metadata);
  std::string current;
  constexpr std::size_t longest = 1000;  // as far as names go
  for (std::string line; std::getline(stream, line);) {
    if (line.size() > longest) continue;
    std::smatch found;
    if (std::regex_match(line, found, folder) && !line.starts_with(' ')) {
      current = found[1];
    } else if (!current.empty() && std::regex_match(line, found, name)) {
      std::string& all = students[current];
      std::string one = found[1];
      if (one.size() > 1 && one.front() == one.back() && (one[0] == '"' || one[0] == '\'')) {
        one = one.substr(1, one.size() - 2);
      }
      all += (all.empty() ? "" : " and ") + one;
    }
  }
  return students;
}

bool is_nobodys(const std::string& name) {
  static const std::set<std::string> of_systems = {"__MACOSX", "Thumbs.db", "desktop.ini",
                                                   "submission_metadata.yml"};
  return name.starts_with('.') || of_systems.contains(name);
}

/// What one student has handed in, by what keeps students apart.
struct Collected {
  std::string student, id;
  bool late = false;
  struct Part {
    HandedIn source;
    int attempt;
  };
  std::map<std::string, std::vector<Part>> by_file;  ///< by name without the attempt
};

CohortEntry entry_of(const Collected& one, bool needs_id) {
  CohortEntry entry{needs_id ? fmt::format("{} ({})", one.student, one.id) : one.student, {}};
  if (one.late) entry.notes.push_back("late");
  for (const auto& [file, parts] : one.by_file) {
    const int last = std::ranges::max(parts, {}, &Collected::Part::attempt).attempt;
    if (last > 0) {
      entry.notes.push_back(fmt::format("attempt {} of {}", last + 1, file));
    }
    for (const Collected::Part& part : parts) {
      if (part.attempt == last) entry.sources.push_back(part.source);
    }
  }
  return entry;
}

/// What lies in a folder, by name.
std::vector<fs::path> items_of(const fs::path& folder) {
  std::vector<fs::path> items;
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    if (!is_nobodys(item->path().filename().string())) items.push_back(item->path());
  }
  if (error || items.empty()) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "the folder is empty"));
  }
  std::ranges::sort(items);
  return items;
}

}  // namespace

Intake take_in(const fs::path& class_of_submissions) {
  Intake intake;
  fs::path folder = class_of_submissions;
  std::error_code error;
  if (fs::is_regular_file(folder, error)) {
    const auto scratch = std::make_shared<const ScratchDirectory>();
    unpack_class(folder, scratch->path());
    intake.scratch = scratch;
    folder = scratch->path();
    // As archives have it that were made of a folder.
    const std::vector<fs::path> items = items_of(folder);
    if (items.size() == 1 && fs::is_directory(items.front())) folder = items.front();
  }
  if (!fs::is_directory(folder, error)) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "no folder and no archive"));
  }
  const auto by_gradescope = students_of_gradescope(folder / "submission_metadata.yml");
  std::map<std::pair<std::string, std::string>, Collected> collected;
  for (const fs::path& item : items_of(folder)) {
    const std::string name = item.filename().string();
    const bool is_folder = fs::is_directory(item, error);
    std::optional<Delivered> delivered = of_moodle(name);
    if (!delivered && !is_folder) delivered = of_canvas(name);
    if (const auto known = by_gradescope.find(name); known != by_gradescope.end()) {
      delivered = Delivered{known->second, name, ""};
    }
    if (!delivered) {
      const std::size_t ending = is_folder ? 0 : ending_of_archive(name).size();
      delivered = Delivered{name.substr(0, name.size() - ending), "", ""};
    }
    Collected& of_student = collected[{delivered->student, delivered->id}];
    of_student.student = delivered->student;
    of_student.id = delivered->id;
    of_student.late |= delivered->late;
    const auto [file, attempt] =
        of_canvas(name) && !is_folder ? attempt_of(delivered->file) : std::pair(name, 0);
    of_student.by_file[file].push_back({{item, delivered->file.empty() ? "" : file}, attempt});
  }
  std::map<std::string, int> with_name;
  for (const auto& [key, one] : collected) ++with_name[one.student];
  for (const auto& [key, one] : collected) {
    intake.entries.push_back(entry_of(one, with_name[one.student] > 1 && !one.id.empty()));
  }
  std::ranges::sort(intake.entries, {}, &CohortEntry::name);
  return intake;
}

std::string in_words(const Intake& intake) {
  std::string text;
  std::size_t without = 0;
  for (const CohortEntry& entry : intake.entries) {
    const ScratchDirectory scratch;
    const std::string problem = take_sources(entry, scratch.path());
    text += printable(entry.name);
    if (!entry.notes.empty())
      text += fmt::format(" ({})", printable(fmt::format("{}", fmt::join(entry.notes, "; "))));
    text += "\n";
    if (!problem.empty()) {
      text += fmt::format("  not to be graded: {}\n", problem);
      ++without;
      continue;
    }
    for (const fs::path& place : places_in(scratch.path())) {
      text += fmt::format("  labs/{}, {} bytes\n", place.string(),
                          fs::file_size(scratch.path() / "labs" / place));
    }
  }
  return text + fmt::format("{} submissions: {} to be graded, {} not\n", intake.entries.size(),
                            intake.entries.size() - without, without);
}

}  // namespace tilewise::grading
