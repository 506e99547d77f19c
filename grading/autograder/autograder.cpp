#include "grading/autograder/autograder.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

void demand(archive* writer, bool done) {
  if (!done) throw CannotGrade(fmt::format("the archive: {}", archive_error_string(writer)));
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

void write_archive(const fs::path& file, const std::vector<ZipItem>& items,
                   void (*set_format)(archive*)) {
  std::string text;
  const Writer writer(archive_write_new(), archive_write_free);
  set_format(writer.get());
  // Otherwise libarchive fills the archive up with zeroes to a whole number of blocks, as on a
  // tape.
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  demand(writer.get(),
         archive_write_open(writer.get(), &text, nullptr, append, nullptr) == ARCHIVE_OK);
  for (const ZipItem& item : items) add(writer.get(), item);
  demand(writer.get(), archive_write_close(writer.get()) == ARCHIVE_OK);
  write_whole(file, text);
}

}  // namespace

void write_zip(const fs::path& file, const std::vector<ZipItem>& items) {
  write_archive(file, items, [](archive* writer) { archive_write_set_format_zip(writer); });
}

void write_tar_gz(const fs::path& file, const std::vector<ZipItem>& items) {
  write_archive(file, items, [](archive* writer) {
    archive_write_set_format_pax_restricted(writer);
    archive_write_add_filter_gzip(writer);
    archive_write_set_options(writer, "gzip:!timestamp");
  });
}

namespace {

namespace fs = std::filesystem;

constexpr const char* parts_of_the_course[] = {".clangd",
                                               ".vscode",
                                               "CMakeLists.txt",
                                               "CMakePresets.json",
                                               "LICENSE",
                                               "README.md",
                                               "cmake",
                                               "common",
                                               "docs",
                                               "grading",
                                               "lab",
                                               "labs",
                                               "packages.txt",
                                               "packages_elsewhere.txt",
                                               "packages_for_tests.txt",
                                               "packages_optional.txt",
                                               "solutions",
                                               "tools"};

std::vector<fs::path> files_known_to_git(const fs::path& course) {
  Command command;
  // The folder may belong to another user; git may read it all the same, because its code is
  // already running.
  command.arguments = {"git", "-c", "safe.directory=*", "-C", course, "ls-files", "-z", "--"};
  command.arguments.insert(command.arguments.end(), std::begin(parts_of_the_course),
                           std::end(parts_of_the_course));
  const CommandResult listed = run_command(command);
  if (!listed.succeeded() || listed.output.size() == CommandResult::kept_output_bytes) {
    throw CannotGrade(fmt::format("git ls-files in {} {}: {}", printable(course.string()),
                                  describe_ending(listed), printable(listed.output)));
  }
  std::vector<fs::path> files;
  std::istringstream names(listed.output);
  for (std::string name; std::getline(names, name, '\0');) files.emplace_back(name);
  return files;
}

std::vector<fs::path> files_not_hidden(const fs::path& course) {
  std::vector<fs::path> files;
  for (const char* part : parts_of_the_course) {
    if (fs::is_regular_file(course / part)) files.emplace_back(part);
    if (!fs::is_directory(course / part)) continue;
    for (auto item = fs::recursive_directory_iterator(course / part);
         item != fs::recursive_directory_iterator(); ++item) {
      const bool hidden = item->path().filename().string().starts_with('.');
      if (hidden) item.disable_recursion_pending();
      if (!hidden && item->is_regular_file()) {
        files.push_back(item->path().lexically_relative(course));
      }
    }
  }
  return files;
}

}  // namespace

std::vector<fs::path> course_files(const fs::path& course) {
  std::vector<fs::path> files =
      fs::exists(course / ".git") ? files_known_to_git(course) : files_not_hidden(course);
  std::ranges::sort(files);
  return files;
}

ZipItem item_of(const fs::path& file, const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  std::error_code error;
  const fs::perms permissions = fs::status(file, error).permissions();
  if (error || !text) {
    throw CannotGrade(fmt::format(
        "{} cannot be read: bring it back, or remove it from what git knows (git rm --cached)",
        printable(file.string())));
  }
  return {.path = path,
          .text = text.str(),
          .executable = (permissions & fs::perms::owner_exec) != fs::perms::none};
}

namespace {

namespace fs = std::filesystem;

/// The file with the GPU that --gpu describes, beside the script that grades.
constexpr const char* card_file = "card.json";

std::string arguments_of_grade(const Run& run) {
  const bool has_card = core::is_card_file(run.gpu);
  std::string lines = fmt::format("--gpu\n{}\n", has_card ? card_file : run.gpu);
  for (const StageInfo& stage : choose_stages(run.stages, stages())) lines += stage.id + "\n";
  return lines;
}

}  // namespace

void write_autograder(const Run& run, const fs::path& archive, const fs::path& costs) {
  core::gpu_profile(run.gpu);  // throws if there is no such GPU
  std::vector<ZipItem> items = {{"grade_arguments", arguments_of_grade(run)}};
  if (core::is_card_file(run.gpu)) items.push_back(item_of(run.gpu, card_file));
  if (!costs.empty()) items.push_back(item_of(costs, "costs.json"));
  demand_writable(archive);
  const fs::path course = layout().root;
  for (const char* script : {"run_autograder", "setup.sh"}) {
    items.push_back(item_of(course / "grading" / "autograder" / script, script));
  }
  for (const fs::path& file : course_files(course)) {
    items.push_back(item_of(course / file, "course/" + file.string()));
  }
  write_zip(archive, items);
  std::cout << fmt::format("{}: upload it to Gradescope as the autograder\n",
                           printable(archive.string()));
}

}  // namespace tilewise::grading
