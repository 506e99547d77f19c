#include "grading/autograder/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

const fs::path top = "tilewise", place_of_build = top / "build" / "pack";

std::string output_of(Command command) {
  const std::string program = command.arguments.front();
  const CommandResult result = run_command(std::move(command));
  if (!result.succeeded() || result.output.size() == CommandResult::kept_output_bytes) {
    throw CannotGrade(
        fmt::format("{} {}: {}", program, describe_ending(result), printable(result.output)));
  }
  return result.output;
}

/// Whether the build depends on this file. Kernels do not count because they are built when they
/// are graded, nor do handouts.
bool is_built(const fs::path& file) {
  constexpr auto parts =
      std::to_array<std::string_view>({"CMakeLists.txt", "cmake", "common", "grading", "tools"});
  const std::string part = file.begin()->string();
  return std::ranges::find(parts, part) != parts.end() ||
         (part == "labs" && file.extension() == ".hpp");
}

/// The checksums of the sources of the build, as `sha256sum --check` reads them.
std::string sums_of(const std::vector<fs::path>& files, const fs::path& course) {
  Command command;
  command.arguments = {"sha256sum", "--"};
  std::ranges::copy_if(files, std::back_inserter(command.arguments), is_built);
  command.working_directory = course;
  return output_of(std::move(command));
}

/// Whether a file of the build is still used once everything is built; static libraries and
/// benchmarks are not.
bool is_used(const fs::path& path) {
  const bool is_program = path.begin()->string() == "bin";
  return is_program ? path.filename().string().starts_with("tilewise") : path.extension() != ".a";
}

using Libraries = std::map<std::string, fs::path>;  ///< by the name that programs ask for

/// Adds the libraries that the dynamic loader finds for a program.
void add_libraries(const fs::path& program, Libraries& libraries) {
  Command command;
  command.arguments = {program};
  command.environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}};
  std::istringstream lines(output_of(std::move(command)));
  for (std::string line; std::getline(lines, line);) {
    // "	libfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x00007f...)"
    std::istringstream words(line);
    std::string name, arrow, path;
    words >> name >> arrow >> path;
    if (arrow != "=>" || is_of_every_system(name)) continue;
    if (!path.starts_with('/')) {
      throw CannotGrade(fmt::format("{} needs {}, which is not found", program.string(), name));
    }
    libraries[name] = path;
  }
}

void add_build(const fs::path& build, std::vector<ZipItem>& items) {
  Libraries libraries;
  for (const char* folder : {"bin", "lib"}) {
    for (const auto& item : fs::recursive_directory_iterator(build / folder)) {
      const fs::path path = item.path().lexically_relative(build);
      if (!item.is_regular_file() || !is_used(path)) continue;
      items.push_back(item_of(item.path(), place_of_build / path));
      if (path.begin()->string() == "bin") add_libraries(item.path(), libraries);
    }
  }
  for (const auto& [name, file] : libraries) {
    const fs::path path = place_of_build / "lib" / name;
    const bool is_there = std::ranges::find(items, path.string(), &ZipItem::path) != items.end();
    if (!is_there) items.push_back(item_of(file, path));
  }
}

/// Every program must be built, because the other machine cannot build one that is missing.
void demand_built(const fs::path& program) {
  if (fs::exists(program)) return;
  throw CannotGrade(
      fmt::format("{} is not built: ./lab pack builds it, and cmake --build {} --target {}",
                  printable(program.string()), printable(layout().build.string()), all_parts));
}

}  // namespace

bool is_of_every_system(std::string_view library) {
  constexpr auto of_every_system = std::to_array<std::string_view>(
      {"ld-linux", "libanl.", "libc.", "libcuda.", "libdl.", "libgcc_s.", "libm.", "libmvec.",
       "libnsl.", "libnvidia-", "libpthread.", "libresolv.", "librt.", "libstdc++.", "libutil.",
       "linux-vdso."});
  return std::ranges::any_of(of_every_system,
                             [&](std::string_view begin) { return library.starts_with(begin); });
}

void write_pack(const fs::path& archive) {
  demand_writable(archive);
  have_built({all_parts});
  const auto [course, build] = layout();
  for (const StageInfo& stage : stages()) demand_built(examiner_of(stage.id));
  for (const char* program : {measuring_program, checking_program}) demand_built(tool(program));
  const std::vector<fs::path> files = course_files(course);
  std::vector<ZipItem> items;
  for (const fs::path& file : files) items.push_back(item_of(course / file, top / file));
  add_build(build, items);
  items.push_back({.path = place_of_build / "sources.sha256", .text = sums_of(files, course)});
  std::ranges::sort(items, {}, &ZipItem::path);
  write_tar_gz(archive, items);
  std::cout << fmt::format(
      "{}: unpack it anywhere, then ./lab grade 1 there; a C++ compiler is all that it needs\n",
      printable(archive.string()));
}

}  // namespace tilewise::grading
