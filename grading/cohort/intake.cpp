#include "grading/cohort/intake.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <system_error>

#include "common/base/files.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

/// Without a filter of tar, of which the last one is ".tar.gz" and ".tgz".
constexpr auto archive_endings = std::to_array<std::string_view>(
    {".zip", ".7z", ".rar", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"});

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The ending of an archive's name; empty for other names.
std::string_view ending_of_archive(const std::string& name) {
  const std::string lower = in_lower_case(name);
  std::string_view longest;
  for (const std::string_view ending : archive_endings) {
    if (lower.ends_with(ending) && ending.size() > longest.size()) longest = ending;
  }
  return longest;
}

constexpr const char* no_archive = "it is neither a folder nor an archive";

/// Reads zip, whose list lies at its end, by that list: what is not wanted is skipped rather than
/// unpacked.
Reader new_reader() {
  Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_zip_seekable(reader.get());
  archive_read_support_format_7zip(reader.get());
  archive_read_support_format_rar(reader.get());
  archive_read_support_format_rar5(reader.get());
  archive_read_support_format_tar(reader.get());
  return reader;
}

/// Reads on, and no more than that and one byte.
std::optional<std::string> contents(archive* reader, std::size_t most) {
  std::string text(most + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const la_ssize_t count = archive_read_data(reader, text.data() + size, text.size() - size);
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

/// An entry's name as it is in the archive: in the user's encoding where it has another, or as
/// UTF-8. What Windows writes may have backslashes.
std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  return name == nullptr ? "" : name;
}

/// Files of an archive that lies in an archive count, of one that lies in that they do not.
constexpr int most_archives_deep = 2;

std::string take_entries(archive* reader, const fs::path& to, const PlaceInLabs& place_of,
                         const fs::path& prefix, int deep);

std::string take_nested(archive* reader, const fs::path& name, const fs::path& to,
                        const PlaceInLabs& place_of, int deep) {
  constexpr std::size_t largest_archive = std::size_t{64} << 20;
  const auto bytes = contents(reader, largest_archive);
  if (!bytes || bytes->size() > largest_archive) {
    return fmt::format("{} cannot be unpacked", printable(name.string()));
  }
  const Reader nested = new_reader();
  if (archive_read_open_memory(nested.get(), bytes->data(), bytes->size()) != ARCHIVE_OK) {
    return fmt::format("{} is no archive", printable(name.string()));
  }
  return take_entries(nested.get(), to, place_of, name.parent_path(), deep + 1);
}

std::string take_entries(archive* reader, const fs::path& to, const PlaceInLabs& place_of,
                         const fs::path& prefix, int deep) {
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i < most_submission_files; ++i) {
    const int status = archive_read_next_header(reader, &entry);
    if (status == ARCHIVE_EOF) return "";
    if (status < ARCHIVE_WARN) return i == 0 ? no_archive : "the archive is damaged";
    const std::string name = name_of(entry);
    if (name.empty() || archive_entry_filetype(entry) != AE_IFREG) continue;
    const auto place = place_of(name);
    std::error_code error;
    if (!place) {
      const bool is_archive = deep < most_archives_deep && !ending_of_archive(name).empty();
      if (!is_archive || name.find("__MACOSX") != name.npos) continue;
      if (auto problem = take_nested(reader, name, to, place_of, deep); !problem.empty()) {
        return problem;
      }
      continue;
    }
    // Of two with one place the first counts, as in a folder: a thousand cost no more than one.
    if (fs::exists(to / "labs" / *place, error)) continue;
    const auto text = contents(reader, largest_source_bytes);
    if (!text) return fmt::format("{} cannot be unpacked", printable(place->string()));
    if (std::string problem = put_in_place(*text, to, *place); !problem.empty()) return problem;
  }
  return fmt::format("the archive has more than {} entries", most_submission_files);
}

}  // namespace

std::string take_from_archive(const fs::path& archive_file, const fs::path& to,
                              const PlaceInLabs& place_of) {
  std::error_code error;
  // To open a FIFO is to wait for whoever writes to it.
  if (!fs::is_regular_file(archive_file, error)) return no_archive;
  const Reader reader = new_reader();
  constexpr std::size_t block_bytes = 64 << 10;
  if (archive_read_open_filename(reader.get(), archive_file.c_str(), block_bytes) != ARCHIVE_OK) {
    return no_archive;
  }
  return take_entries(reader.get(), to, place_of, "", 1);
}

namespace {

/// Files of a folder that have a place, and those of archives that lie at its top.
std::string take_from_tree(const fs::path& folder, const fs::path& to,
                           const PlaceInLabs& place_of) {
  if (std::string problem = take_from_folder(folder, to, place_of); !problem.empty()) {
    return problem;
  }
  std::vector<fs::path> archives;
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = item->path().filename().string();
    if (!name.starts_with('.') && !ending_of_archive(name).empty()) archives.push_back(*item);
  }
  std::ranges::sort(archives);
  for (const fs::path& archive : archives) {
    if (std::string problem = take_from_archive(archive, to, place_of); !problem.empty()) {
      return fmt::format("{}: {}", printable(archive.filename().string()), problem);
    }
  }
  return "";
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
  for (std::string line; std::getline(stream, line);) {
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

/// Unpacks what a class has handed in: files, and nothing that leads elsewhere.
void unpack_class(const fs::path& archive_file, const fs::path& to) {
  const auto refuse = [&](const std::string& why) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(archive_file.string()), why));
  };
  const Reader reader = new_reader();
  constexpr std::size_t block_bytes = 64 << 10;
  if (archive_read_open_filename(reader.get(), archive_file.c_str(), block_bytes) != ARCHIVE_OK) {
    refuse(no_archive);
  }
  constexpr std::size_t largest_file = std::size_t{64} << 20, largest_class = std::size_t{8} << 30;
  constexpr std::size_t most_files = 1'000'000;
  std::size_t bytes = 0, files = 0;
  archive_entry* entry = nullptr;
  for (;;) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN) refuse(files == 0 ? no_archive : "the archive is damaged");
    const fs::path name = name_of(entry);
    const bool leads_elsewhere =
        name.empty() || name.is_absolute() ||
        std::ranges::any_of(name, [](const fs::path& part) { return part == ".."; });
    if (archive_entry_filetype(entry) != AE_IFREG || leads_elsewhere) continue;
    const bool is_wanted = !ending_of_archive(name.string()).empty() ||
                           in_lower_case(name.string()).find(".cu") != std::string::npos ||
                           name.filename() == "submission_metadata.yml";
    std::error_code error;
    fs::create_directories((to / name).parent_path(), error);  // who hands in nothing is there, too
    if (!is_wanted) continue;
    const auto text = contents(reader.get(), largest_file);
    if (!text || text->size() > largest_file) continue;
    bytes += text->size();
    if (++files > most_files || bytes > largest_class) refuse("it is too large");
    write_output(to / name, *text);
  }
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
