#include "grading/results/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "common/base/language.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& file) {
  throw CannotGrade(tr("cannot write {}: {}", printable(file.string()), std::strerror(errno)));
}

void write(const std::filesystem::path& file, const std::string& text, std::ios::openmode how) {
  if (file.empty()) return;
  std::ofstream stream(file, std::ios::binary | how);
  stream << text << std::flush;
  if (!stream) cannot_write(file);
}

}  // namespace

void demand_writable(const std::filesystem::path& file) {
  if (!file.empty() && !std::ofstream(file, std::ios::app)) cannot_write(file);
}

void demand_folder(const std::string& option, const std::filesystem::path& folder) {
  if (folder.empty()) return;
  const std::string name = printable(folder.string());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw CannotGrade(
        fmt::format("{} {}: {}", option, name, error ? error.message() : tr("is not a folder")));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw CannotGrade(fmt::format("{} {}: {}", option, name, std::strerror(errno)));
  }
}

void write_output(const std::filesystem::path& file, const std::string& text) {
  write(file, text, std::ios::trunc);
}

void write_whole(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::path part = file;
  part += ".part";
  write_output(part, text);
  std::error_code error;
  std::filesystem::rename(part, file, error);
  if (error) {
    errno = error.value();
    cannot_write(file);
  }
}

void append_output(const std::filesystem::path& file, const std::string& text) {
  write(file, text, std::ios::app);
}

}  // namespace tilewise::grading
