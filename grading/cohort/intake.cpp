#include "grading/cohort/intake.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "common/base/files.hpp"
#include "grading/cli/meant_files.hpp"
#include "grading/cohort/archives.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Returns the archives in a folder and up to two levels below it, where platforms may put a
/// student's files.
std::vector<fs::path> archives_in(const fs::path& folder) {
  constexpr int deepest = 2;
  constexpr std::size_t most = 20;
  std::vector<fs::path> archives;
  std::error_code error;
  fs::recursive_directory_iterator item(folder, error), end;
  for (; !error && item != end && archives.size() < most; item.increment(error)) {
    const std::string name = item->path().filename().string();
    const bool is_hidden = name.starts_with('.') || name == "__MACOSX";
    if (is_hidden || item.depth() >= deepest) item.disable_recursion_pending();
    if (!is_hidden && !ending_of_archive(name).empty()) archives.push_back(*item);
  }
  std::ranges::sort(archives);
  return archives;
}

/// Takes the files of a folder that have a place or, if there are none, those of the archives in
/// it. An archive that cannot be read is reported only if no other one has such files.
std::string take_from_tree(const fs::path& folder, const fs::path& to,
                           const PlaceInLabs& place_of) {
  if (std::string problem = take_from_folder(folder, to, place_of); !problem.empty()) {
    return problem;
  }
  std::error_code error;
  if (fs::exists(to / "labs", error)) return "";
  std::string told;
  for (const fs::path& archive : archives_in(folder)) {
    const std::string problem = take_from_archive(archive, to, place_of);
    if (!problem.empty() && told.empty()) {
      told = fmt::format("{}: {}", printable(archive.filename().string()), problem);
    }
  }
  return fs::exists(to / "labs", error) ? "" : told;
}

std::string name_of(const HandedIn& source) {
  return source.name.empty() ? source.path.filename().string() : source.name;
}

/// Looks through something that was handed in for files with a place, and copies them there.
std::string take_placed(const HandedIn& source, const fs::path& to, const PlaceInLabs& place_of) {
  std::error_code error;
  if (fs::is_directory(source.path, error)) return take_from_tree(source.path, to, place_of);
  const std::string name = name_of(source);
  const auto place = place_of(name);
  // A source file without a place in labs may still have one by its name.
  const bool is_source = in_lower_case(name).find(".cu") != std::string::npos;
  if (!place && is_source && ending_of_archive(name).empty()) return "";
  if (!place) return take_from_archive(source.path, to, place_of);
  if (!fs::is_regular_file(fs::symlink_status(source.path, error))) return no_archive;
  std::ifstream stream(source.path, std::ios::binary);
  std::string text(largest_source_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return put_in_place(text, to, *place, name);
}

std::string take_one(const HandedIn& source, const fs::path& to) {
  return take_submission(
      to, [&](const PlaceInLabs& place_of) { return take_placed(source, to, place_of); });
}

/// Returns why nothing that was handed in has a place.
std::string nothing_of_a_stage(const CohortEntry& entry) {
  std::set<std::string> others;
  const auto look_at = [&](const fs::path& path) -> std::optional<fs::path> {
    constexpr std::size_t most_told = 3, longest_told = 60;
    const std::string name = path.filename().string();
    const std::string ending = in_lower_case(path.extension().string());
    const bool is_code = ending == ".cu" || ending == ".cuh" || ending == ".cpp" || ending == ".c";
    const bool is_told = is_code && !name.starts_with('.') && name.size() <= longest_told;
    if (is_told && others.size() < most_told) others.insert(printable(name));
    return std::nullopt;
  };
  const ScratchDirectory nothing;
  for (const HandedIn& source : entry.sources) take_placed(source, nothing.path(), look_at);
  std::string text = "it holds no labs/NN_topic/*.cu of a stage";
  // If students go by pseudonyms, their files may reveal names that are not known to be secret.
  if (others.empty() || !entry.secrets.empty()) return text;
  return text + fmt::format("; {} {} called as none of the course's files", fmt::join(others, ", "),
                            others.size() == 1 ? "is" : "are");
}

}  // namespace

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

bool same_sources(const fs::path& one, const fs::path& other) {
  const std::vector<fs::path> places = places_in(one);
  return places == places_in(other) && std::ranges::all_of(places, [&](const fs::path& place) {
           return text_of(one / "labs" / place) == text_of(other / "labs" / place);
         });
}

std::string take_sources(const CohortEntry& entry, const fs::path& to) {
  if (entry.sources.size() == 1) {
    const HandedIn& source = entry.sources.front();
    const std::string problem = take_one(source, to);
    if (problem.empty()) return places_in(to).empty() ? nothing_of_a_stage(entry) : "";
    std::error_code error;
    const bool is_folder = fs::is_directory(source.path, error);
    return is_folder ? problem : fmt::format("{}: {}", printable(name_of(source)), problem);
  }
  std::map<fs::path, std::string> from;
  std::string last_problem;
  for (const HandedIn& source : entry.sources) {
    const ScratchDirectory scratch;
    const std::string name = source.path.filename().string();
    // A report beside the code is no archive, and need not be one.
    if (std::string problem = take_one(source, scratch.path()); !problem.empty()) {
      last_problem = fmt::format("{}: {}", printable(name_of(source)), problem);
      if (problem != no_archive) return last_problem;
    }
    for (const fs::path& place : places_in(scratch.path())) {
      const fs::path file = scratch.path() / "labs" / place;
      const auto [first, is_new] = from.emplace(place, name);
      if (is_new) {
        fs::create_directories((to / "labs" / place).parent_path());
        fs::copy_file(file, to / "labs" / place, fs::copy_options::overwrite_existing);
        write_origin(to, place, *origin_of(scratch.path(), place));
      } else if (text_of(file) != text_of(to / "labs" / place)) {
        return fmt::format("{} and {} differ in {}, and either may be meant: keep one of them",
                           printable(first->second), printable(name),
                           printable(place.filename().string()));
      }
    }
  }
  if (!from.empty()) return "";
  return last_problem.empty() ? nothing_of_a_stage(entry) : last_problem;
}

std::string without_secrets(std::string text, const CohortEntry& entry) {
  const auto is_of_a_word = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  for (const std::string& secret : entry.secrets) {
    for (std::size_t at = text.find(secret); at != text.npos; at = text.find(secret, at)) {
      // A secret inside a longer word stays, because a number may be a part of another.
      if (is_of_a_word(at - 1) || is_of_a_word(at + secret.size())) {
        ++at;
        continue;
      }
      text.replace(at, secret.size(), entry.name);
      at += entry.name.size();
    }
  }
  return text;
}

namespace {

/// All that one student has handed in.
struct Collected {
  std::string student;
  std::vector<std::pair<HandedIn, Delivered>> parts = {};
};

std::string name_of(const std::vector<Person>& people) {
  std::vector<std::string> names;
  for (const Person& person : people) names.push_back(person.name);
  return fmt::format("{}", fmt::join(names, " and "));
}

/// Removes all but the last attempt: of everything, or of each file, depending on what the platform
/// counts.
void leave_the_last(Collected& one, std::vector<std::string>& notes) {
  std::optional<std::time_t> last, first;
  for (const auto& [source, delivered] : one.parts) {
    if (!delivered.is_whole || !delivered.at.time) continue;
    last = std::max(last, delivered.at.time);
    first = first ? std::min(first, delivered.at.time) : delivered.at.time;
  }
  if (last != first) notes.push_back("the last of several attempts, of " + in_words(*last));
  std::map<std::string, int> attempts;
  for (const auto& [source, delivered] : one.parts) {
    int& attempt = attempts[delivered.file];
    attempt = std::max(attempt, delivered.attempt);
  }
  std::erase_if(one.parts, [&](const auto& part) {
    const Delivered& delivered = part.second;
    return (delivered.is_whole && delivered.at.time < last) ||
           delivered.attempt < attempts[delivered.file];
  });
  for (const auto& [file, attempt] : attempts) {
    if (attempt > 0) notes.push_back(fmt::format("attempt {} of {}", attempt + 1, file));
  }
}

CohortEntry entry_of(Collected one, bool needs_id) {
  const std::string id = one.parts.front().second.id;
  CohortEntry entry{.name = needs_id ? fmt::format("{} ({})", one.student, id) : one.student,
                    .sources = {}};
  std::vector<std::string> of_attempts;
  leave_the_last(one, of_attempts);
  for (const auto& [source, delivered] : one.parts) {
    entry.sources.push_back(source);
    entry.people = delivered.people;
    entry.at.marked_late |= delivered.at.marked_late;
    if (delivered.at.time > entry.at.time) {
      entry.at.time = delivered.at.time;
      entry.at.said_by = delivered.at.said_by;
    }
  }
  if (!entry.at.time && entry.sources.size() == 1) {
    const HandedInAt commit = committed_at(entry.sources.front().path);
    entry.at.time = commit.time;
    entry.at.said_by = commit.said_by;
  }
  if (entry.at.marked_late) entry.notes.push_back("late");
  entry.notes.insert(entry.notes.end(), of_attempts.begin(), of_attempts.end());
  return entry;
}

/// Returns the items of a folder, sorted by name.
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

/// Whether the items belong to one submission rather than to a class.
bool is_of_one(const std::vector<fs::path>& items) {
  return std::ranges::any_of(items, [](const fs::path& item) {
    return item.filename() == "labs" || candidate_by_name(item.filename()).has_value();
  });
}

/// Returns the folder in a class's archive that holds the submissions, such as "Lab 3/Submissions".
/// A single outer folder is skipped, because archives that were made of a folder have one. Further
/// single folders are skipped only if they hold more than one thing, since the only student of a
/// class may hand in a folder, too.
fs::path below_folders_of_all(fs::path folder) {
  std::vector<fs::path> items = items_of(folder);
  for (bool is_first = true; items.size() == 1 && fs::is_directory(items.front());
       is_first = false) {
    const fs::path inner = items.front();
    if (fs::is_empty(inner)) return folder;
    items = items_of(inner);
    if (!is_first && (items.size() < 2 || is_of_one(items))) return folder;
    folder = inner;
  }
  return folder;
}

/// Returns the inner folder if a folder holds only that and a platform delivers a class in it,
/// otherwise the folder itself. Such an inner folder has submission_metadata.yml, or the names of
/// at least two students that the platform has numbered.
fs::path below_folder_of_platform(const fs::path& folder) {
  const std::vector<fs::path> items = items_of(folder);
  std::error_code error;
  if (items.size() != 1 || !fs::is_directory(items.front(), error)) return folder;
  const fs::path inner = items.front();
  if (fs::exists(inner / gradescope_metadata, error)) return inner;
  std::set<std::string> numbers;
  for (fs::directory_iterator item(inner, error), end; !error && item != end;
       item.increment(error)) {
    const bool is_folder = fs::is_directory(item->path());
    numbers.insert(delivered_as(item->path().filename().string(), is_folder, "").id);
  }
  numbers.erase("");
  return numbers.size() > 1 ? inner : folder;
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
    folder = below_folders_of_all(scratch->path());
  } else if (fs::is_directory(folder, error)) {
    folder = below_folder_of_platform(folder);
  }
  if (!fs::is_directory(folder, error)) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "no folder and no archive"));
  }
  const auto by_gradescope = delivered_by_gradescope(folder / gradescope_metadata);
  const std::vector<fs::path> items = items_of(folder);
  if (fs::is_directory(folder / "labs", error)) {
    throw CannotGrade(fmt::format(
        "{} holds labs, so it is one submission: name the folder that it lies in, or grade it with "
        "./lab grade --submission",
        printable(folder.string())));
  }
  const std::string title = title_at_blackboard(items);
  std::map<std::pair<std::string, std::string>, Collected> collected;
  for (const fs::path& item : items) {
    const std::string name = item.filename().string();
    const auto known = by_gradescope.find(name);
    Delivered delivered = known != by_gradescope.end()
                              ? known->second
                              : delivered_as(name, fs::is_directory(item, error), title);
    Collected& of_student = collected[{name_of(delivered.people), delivered.id}];
    of_student.student = name_of(delivered.people);
    const HandedIn source{item, delivered.file};
    if (delivered.file.empty()) delivered.file = name;
    of_student.parts.emplace_back(source, std::move(delivered));
  }
  std::map<std::string, int> with_name;
  for (const auto& [key, one] : collected) ++with_name[one.student];
  for (auto& [key, one] : collected) {
    const bool needs_id = with_name[one.student] > 1 && !key.second.empty();
    intake.entries.push_back(entry_of(std::move(one), needs_id));
  }
  std::ranges::sort(intake.entries, {}, &CohortEntry::name);
  return intake;
}

}  // namespace tilewise::grading
