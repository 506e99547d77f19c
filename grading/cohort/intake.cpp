#include "grading/cohort/intake.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <system_error>

#include "grading/cli/stage_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

std::vector<CohortEntry> find_entries(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "no folder"));
  }
  std::vector<fs::path> items;
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    if (!item->path().filename().string().starts_with('.')) items.push_back(item->path());
  }
  if (error || items.empty()) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "the folder is empty"));
  }
  std::set<std::string> names;
  for (const fs::path& item : items) names.insert(item.filename().string());
  std::vector<CohortEntry> entries;
  for (const fs::path& item : items) {
    const std::string whole = item.filename().string(), stem = item.stem().string();
    const bool short_name = item.extension() == ".zip" && !names.contains(stem);
    entries.push_back({short_name ? stem : whole, item});
  }
  std::ranges::sort(entries, {}, &CohortEntry::name);
  return entries;
}

std::string take_sources(const CohortEntry& entry, const fs::path& to) {
  std::error_code error;
  std::string problem = take_submission(to, [&](const PlaceInLabs& place_of) {
    return fs::is_directory(entry.source, error) ? take_from_folder(entry.source, to, place_of)
                                                 : take_from_zip(entry.source, to, place_of);
  });
  if (problem.empty() && !fs::exists(to / "labs", error)) {
    problem = "it holds no labs/NN_topic/*.cu of a stage";
  }
  return problem;
}

namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

/// Reads on, and no more than a kernel has.
/// @return what is wrong; empty if nothing is
std::string unpack(archive* reader, const fs::path& place, const fs::path& to) {
  std::string text(largest_source_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const la_ssize_t count = archive_read_data(reader, text.data() + size, text.size() - size);
    if (count < 0) return fmt::format("{} cannot be unpacked", printable(place.string()));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return put_in_place(text, to, place);
}

/// An entry's name as it is in the archive: in the user's encoding where it has another, or as
/// UTF-8.
const char* name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  return name != nullptr ? name : archive_entry_pathname_utf8(entry);
}

}  // namespace

std::string take_from_zip(const fs::path& archive_file, const fs::path& to,
                          const PlaceInLabs& place_of) {
  std::error_code error;
  // To open a FIFO is to wait for whoever writes to it.
  if (!fs::is_regular_file(archive_file, error)) return "it is neither a folder nor a zip archive";
  const Reader reader(archive_read_new(), archive_read_free);
  // By the list at its end: what is not wanted is then skipped rather than unpacked.
  archive_read_support_format_zip_seekable(reader.get());
  constexpr std::size_t block_bytes = 64 << 10;
  if (archive_read_open_filename(reader.get(), archive_file.c_str(), block_bytes) != ARCHIVE_OK) {
    return "it is neither a folder nor a zip archive";
  }
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i < most_submission_files; ++i) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return "";
    if (status != ARCHIVE_OK) {
      return i == 0 ? "it is neither a folder nor a zip archive" : "the zip archive is damaged";
    }
    const char* name = name_of(entry);
    if (name == nullptr || archive_entry_filetype(entry) != AE_IFREG) continue;
    const auto place = place_of(name);
    // Of two with one place the first counts, as in a folder: a thousand cost no more than one.
    if (!place || fs::exists(to / "labs" / *place, error)) continue;
    if (std::string problem = unpack(reader.get(), *place, to); !problem.empty()) return problem;
  }
  return fmt::format("the zip archive has more than {} entries", most_submission_files);
}

}  // namespace tilewise::grading
