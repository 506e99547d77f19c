#include "grading/cohort/archives.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

#include "grading/cohort/platforms.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

constexpr const char* damaged = "the archive is damaged";

/// The endings of archives' names, with and without the filters that are usual for tar.
constexpr auto archive_endings = std::to_array<std::string_view>(
    {".zip", ".7z", ".rar", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"});

/// Returns a reader that reads a zip file by the list at its end, so that unwanted entries are
/// skipped rather than unpacked.
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

/// Reads the rest of the entry, but at most `most` bytes and one more.
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

/// Returns an entry's name as it is in the archive, or as UTF-8 if there is no other. Some Windows
/// programs separate folders by backslashes, which become slashes.
std::string name_of(archive_entry* entry) {
  const char* in_archive = archive_entry_pathname(entry);
  if (in_archive == nullptr) in_archive = archive_entry_pathname_utf8(entry);
  std::string name = in_archive == nullptr ? "" : in_archive;
  std::ranges::replace(name, '\\', '/');
  return name;
}

/// What unpacking one submission may still cost, however its archives are nested, because the whole
/// class waits for it.
struct Patience {
  static constexpr std::int64_t most_mebibytes = 1024;
  std::int64_t bytes = most_mebibytes << 20;  ///< to unpack, or to skip by unpacking
  int archives = 20;                          ///< nested archives to look into
};

/// Whether an entry's bytes must be unpacked to reach the next entry.
bool is_a_stream(archive* reader) {
  return (archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP;
}

enum class Nested { left_alone, looked_into };

std::string take_entries(archive* reader, const fs::path& to, const PlaceInLabs& place_of,
                         Nested nested, Patience& patience);

/// Takes the files of an archive that lies in another one, but of none that lies deeper. A nested
/// archive that cannot be read is ignored, because it need not belong to the submission.
std::string take_nested(archive* reader, const fs::path& to, const PlaceInLabs& place_of,
                        Patience& patience) {
  constexpr std::size_t largest_archive = std::size_t{64} << 20;
  if (patience.archives-- <= 0) return "";
  const auto bytes = contents(reader, largest_archive);
  if (!bytes || bytes->size() > largest_archive) return "";
  patience.bytes -= static_cast<std::int64_t>(bytes->size());
  const Reader inner = new_reader();
  if (archive_read_open_memory(inner.get(), bytes->data(), bytes->size()) != ARCHIVE_OK) return "";
  std::string problem = take_entries(inner.get(), to, place_of, Nested::left_alone, patience);
  return problem == no_archive || problem == damaged ? "" : problem;
}

std::string take_entries(archive* reader, const fs::path& to, const PlaceInLabs& place_of,
                         Nested nested, Patience& patience) {
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i < most_submission_files; ++i) {
    const int status = archive_read_next_header(reader, &entry);
    if (status == ARCHIVE_EOF) return "";
    if (status < ARCHIVE_WARN) return i == 0 ? no_archive : damaged;
    if (is_a_stream(reader)) patience.bytes -= archive_entry_size(entry);
    if (patience.bytes < 0) {
      return fmt::format("it unpacks to more than {} MiB", Patience::most_mebibytes);
    }
    const std::string name = name_of(entry);
    if (name.empty() || archive_entry_filetype(entry) != AE_IFREG) continue;
    const auto place = place_of(name);
    std::error_code error;
    if (!place) {
      const bool is_archive =
          !ending_of_archive(name).empty() && name.find("__MACOSX") == name.npos;
      if (nested == Nested::left_alone || !is_archive) continue;
      if (auto problem = take_nested(reader, to, place_of, patience); !problem.empty()) {
        return problem;
      }
      continue;
    }
    // If several files have the same place, the first one counts, as in a folder. A thousand of
    // them cost no more than one.
    if (fs::exists(to / "labs" / *place, error)) continue;
    const auto text = contents(reader, largest_source_bytes);
    if (!text && archive_entry_is_encrypted(entry) != 0) {
      return "the archive asks for a password: make it without one";
    }
    if (!text) return fmt::format("{} cannot be unpacked", printable(place->string()));
    if (auto problem = put_in_place(*text, to, *place, name); !problem.empty()) return problem;
  }
  return fmt::format("the archive has more than {} entries", most_submission_files);
}

}  // namespace

std::string_view ending_of_archive(const std::string& name) {
  const std::string lower = in_lower_case(name);
  std::string_view longest;
  for (const std::string_view ending : archive_endings) {
    if (lower.ends_with(ending) && ending.size() > longest.size()) longest = ending;
  }
  return longest;
}

std::string take_from_archive(const fs::path& archive_file, const fs::path& to,
                              const PlaceInLabs& place_of) {
  std::error_code error;
  // Opening a FIFO would wait until somebody writes to it.
  if (!fs::is_regular_file(archive_file, error)) return no_archive;
  Patience patience;
  for (const Nested nested : {Nested::left_alone, Nested::looked_into}) {
    const Reader reader = new_reader();
    constexpr std::size_t block_bytes = 64 << 10;
    if (archive_read_open_filename(reader.get(), archive_file.c_str(), block_bytes) != ARCHIVE_OK) {
      return no_archive;
    }
    std::string problem = take_entries(reader.get(), to, place_of, nested, patience);
    if (!problem.empty() || fs::exists(to / "labs", error)) return problem;
  }
  return "";
}

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
    if (status < ARCHIVE_WARN) refuse(files == 0 ? no_archive : damaged);
    const fs::path name = name_of(entry);
    const bool leads_elsewhere =
        name.empty() || name.is_absolute() ||
        std::ranges::any_of(name, [](const fs::path& part) { return part == ".."; });
    if (archive_entry_filetype(entry) != AE_IFREG || leads_elsewhere) continue;
    const bool is_wanted = !ending_of_archive(name.string()).empty() ||
                           in_lower_case(name.string()).find(".cu") != std::string::npos ||
                           name.filename() == gradescope_metadata;
    std::error_code error;
    fs::create_directories((to / name).parent_path(), error);  // students without files appear, too
    if (!is_wanted) continue;
    const auto text = contents(reader.get(), largest_file);
    if (!text || text->size() > largest_file) continue;
    bytes += text->size();
    if (++files > most_files || bytes > largest_class) refuse("it is too large");
    // A file whose name this system does not accept is skipped, so that it affects its owner and
    // not the class.
    std::ofstream stream(to / name, std::ios::binary);
    if (!stream) continue;
    if (!(stream << *text).flush()) refuse("there is no room to unpack it");
  }
}

}  // namespace tilewise::grading
