#include "grading/cohort/zip_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <vector>

#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

/// @return what is wrong; empty if nothing is
std::string unpack(archive* reader, const fs::path& place, const fs::path& to) {
  std::vector<char> text(largest_source_bytes + 1);
  std::size_t size = 0;
  while (size < text.size()) {
    const la_ssize_t count = archive_read_data(reader, text.data() + size, text.size() - size);
    if (count < 0) return fmt::format("{} cannot be unpacked", printable(place.string()));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > largest_source_bytes) {
    return fmt::format("{} is larger than {} bytes", printable(place.string()),
                       largest_source_bytes);
  }
  fs::create_directories((to / "labs" / place).parent_path());
  std::ofstream file(to / "labs" / place, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(size));
  return file ? "" : fmt::format("{} cannot be written", printable(place.string()));
}

}  // namespace

std::string take_from_zip(const fs::path& archive_file, const fs::path& to,
                          const PlaceInLabs& place_of) {
  const Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_zip(reader.get());
  constexpr std::size_t block_bytes = 64 << 10;
  if (archive_read_open_filename(reader.get(), archive_file.c_str(), block_bytes) != ARCHIVE_OK) {
    return "it is neither a folder nor a zip archive";
  }
  archive_entry* entry = nullptr;
  for (int i = 0; i < most_archive_entries; ++i) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return "";
    if (status != ARCHIVE_OK) {
      return i == 0 ? "it is neither a folder nor a zip archive" : "the zip archive is damaged";
    }
    const char* name = archive_entry_pathname(entry);
    if (name == nullptr || archive_entry_filetype(entry) != AE_IFREG) continue;
    const auto place = place_of(name);
    if (!place) continue;
    if (std::string problem = unpack(reader.get(), *place, to); !problem.empty()) return problem;
  }
  return fmt::format("the zip archive has more than {} entries", most_archive_entries);
}

}  // namespace tilewise::grading
