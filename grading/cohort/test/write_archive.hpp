#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grading/autograder/autograder.hpp"

namespace tilewise::grading {

/// Writes an archive of the kind that the file's name says.
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

/// Returns the checksum that RAR has in common with zip.
inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ (sum & 1U ? 0xEDB88320U : 0U);
  }
  return ~sum;
}

inline std::string little_endian(std::uint32_t number, int bytes) {
  std::string text;
  for (int byte = 0; byte < bytes; ++byte) text += static_cast<char>(number >> (8 * byte) & 0xFFU);
  return text;
}

/// Returns an archive as RAR up to version 4 writes it, with one file that is stored uncompressed;
/// libarchive only reads such archives. A block has a checksum, a type, flags and its size.
inline std::string rar4_of(const ZipItem& item) {
  const auto block = [](char type, int flags, const std::string& rest) {
    const std::string head =
        type + little_endian(flags, 2) + little_endian(7 + static_cast<int>(rest.size()), 2) + rest;
    return little_endian(crc32(head), 2) + head;
  };
  const auto size = static_cast<std::uint32_t>(item.text.size());
  const std::string sizes = little_endian(size, 4) + little_endian(size, 4);
  const std::string of_unix = "\x03", stored = "\x30", version = "\x14", time(4, '\1');
  return std::string("Rar!\x1A\x07\0", 7) + block(0x73, 0, std::string(6, '\0')) +
         block(0x74, 0x8000,
               sizes + of_unix + little_endian(crc32(item.text), 4) + time + version + stored +
                   little_endian(static_cast<std::uint32_t>(item.path.size()), 2) +
                   little_endian(0100644, 4) + item.path) +
         item.text + block(0x7B, 0x4000, "");
}

/// Returns an archive as RAR 5 and later versions write it. All numbers here are less than 128,
/// which takes one byte.
inline std::string rar5_of(const ZipItem& item) {
  const auto block = [](const std::string& rest) {
    const std::string head = static_cast<char>(rest.size()) + rest;
    return little_endian(crc32(head), 4) + head;
  };
  const std::string size(1, static_cast<char>(item.text.size()));
  const std::string has_data("\2\2", 2), has_checksum("\4"), archived("\x20"),
      stored_by_windows("\0\0", 2);
  return std::string("Rar!\x1A\x07\1\0", 8) + block(std::string("\1\0\0", 3)) +
         block(has_data + size + has_checksum + size + archived +
               little_endian(crc32(item.text), 4) + stored_by_windows +
               static_cast<char>(item.path.size()) + item.path) +
         item.text + block(std::string("\5\0\0", 3));
}

}  // namespace tilewise::grading
