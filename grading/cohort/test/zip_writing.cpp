#include "grading/cohort/test/zip_writing.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <stdexcept>

namespace tilewise::grading {

void write_zip(const std::filesystem::path& file, const std::vector<ZipItem>& items) {
  std::filesystem::create_directories(file.parent_path());
  const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(),
                                                                       archive_write_free);
  const auto demand = [&](la_ssize_t status) {
    if (status < 0) throw std::runtime_error(archive_error_string(writer.get()));
  };
  demand(archive_write_set_format_zip(writer.get()));
  demand(archive_write_open_filename(writer.get(), file.c_str()));
  for (const ZipItem& item : items) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_entry_set_pathname(entry.get(), item.path.c_str());
    archive_entry_set_filetype(entry.get(), item.link.empty() ? AE_IFREG : AE_IFLNK);
    if (!item.link.empty()) archive_entry_set_symlink(entry.get(), item.link.c_str());
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(item.text.size()));
    demand(archive_write_header(writer.get(), entry.get()));
    demand(archive_write_data(writer.get(), item.text.data(), item.text.size()));
  }
  demand(archive_write_close(writer.get()));
}

}  // namespace tilewise::grading
