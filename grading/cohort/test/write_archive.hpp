#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "grading/autograder/autograder.hpp"

namespace tilewise::grading {

/// Writes an archive of the kind that its name tells.
inline void write_archive(const std::filesystem::path& file, const std::vector<ZipItem>& items) {
  const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(),
                                                                       archive_write_free);
  if (archive_write_set_format_filter_by_ext(writer.get(), file.c_str()) != ARCHIVE_OK ||
      archive_write_open_filename(writer.get(), file.c_str()) != ARCHIVE_OK) {
    throw std::runtime_error(archive_error_string(writer.get()));
  }
  for (const ZipItem& item : items) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, item.path.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(item.text.size()));
    archive_write_header(writer.get(), entry);
    archive_write_data(writer.get(), item.text.data(), item.text.size());
    archive_entry_free(entry);
  }
}

}  // namespace tilewise::grading
