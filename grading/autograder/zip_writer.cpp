#include "grading/autograder/zip_writer.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>

#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

void demand(archive* writer, bool done) {
  if (!done) throw CannotGrade(fmt::format("the zip archive: {}", archive_error_string(writer)));
}

la_ssize_t append(archive*, void* text, const void* bytes, std::size_t count) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), count);
  return static_cast<la_ssize_t>(count);
}

void add(archive* writer, const ZipItem& item) {
  const Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), item.path.c_str());
  archive_entry_set_filetype(entry.get(), item.link.empty() ? AE_IFREG : AE_IFLNK);
  if (!item.link.empty()) archive_entry_set_symlink(entry.get(), item.link.c_str());
  archive_entry_set_perm(entry.get(), item.executable ? 0755 : 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(item.text.size()));
  demand(writer, archive_write_header(writer, entry.get()) == ARCHIVE_OK);
  const la_ssize_t written = archive_write_data(writer, item.text.data(), item.text.size());
  demand(writer, written == static_cast<la_ssize_t>(item.text.size()));
}

}  // namespace

void write_zip(const fs::path& file, const std::vector<ZipItem>& items) {
  std::string text;
  const Writer writer(archive_write_new(), archive_write_free);
  archive_write_set_format_zip(writer.get());
  // Otherwise it is filled up with zeroes to a whole number of blocks, as on a tape.
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  demand(writer.get(),
         archive_write_open(writer.get(), &text, nullptr, append, nullptr) == ARCHIVE_OK);
  for (const ZipItem& item : items) add(writer.get(), item);
  demand(writer.get(), archive_write_close(writer.get()) == ARCHIVE_OK);
  write_whole(file, text);
}

}  // namespace tilewise::grading
