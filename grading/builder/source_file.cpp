#include "grading/builder/source_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/core/files.hpp"
#include "grading/builder/line_directives.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// A kernel file has tens of kilobytes; what is a hundred times larger is something else.
constexpr std::uintmax_t largest_source_bytes = 4 * 1024 * 1024;

}  // namespace

SourceFile read_source(const fs::path& path, std::string name, const fs::path& root) {
  SourceFile source{.name = std::move(name), .text = {}, .problem = {}, .hint = {}};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    source.problem = fmt::format("{} is missing.", source.name);
    source.hint = "Hand in a file of exactly this name; the stage scores nothing without it.";
    return source;
  }
  if (fs::is_directory(status)) {
    source.problem = fmt::format("{} is a folder, not a file.", source.name);
    source.hint = "Put the kernel file itself in its place.";
    return source;
  }
  if (status.type() != fs::file_type::none && !fs::is_regular_file(status)) {
    source.problem = fmt::format("{} is not a regular file.", source.name);
    source.hint = "Put the kernel file itself in its place.";
    return source;
  }
  const bool is_inside =
      core::lies_in(fs::weakly_canonical(path, error), fs::weakly_canonical(root, error));
  if (!error && !is_inside) {
    source.problem = fmt::format("{} is a link out of the submission.", source.name);
    source.hint = "Put the kernel file itself in its place.";
    return source;
  }
  if (fs::file_size(path, error) > largest_source_bytes && !error) {
    source.problem =
        fmt::format("{} is larger than {} MiB.", source.name, largest_source_bytes / (1024 * 1024));
    source.hint = "Leave data out of the kernel file.";
    return source;
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  source.text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || file.bad()) {
    source.problem = fmt::format("{} cannot be read: {}.", source.name, std::strerror(errno));
    source.hint = "Check the file's permissions.";
  }
  source.text = without_line_directives(std::move(source.text));
  return source;
}

}  // namespace tilewise::grading
