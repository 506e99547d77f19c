#include "grading/cohort/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "grading/cli/stage_choice.hpp"
#include "grading/cohort/zip_archive.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// "03_shared_memory/matmul_shared.cu" of labs/03_shared_memory/matmul_shared.cu, at the top or in
/// one folder; nothing of any other path.
std::optional<fs::path> place_in_labs(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path) parts.push_back(part.string());
  const auto leads_elsewhere = [](const std::string& part) {
    return part.empty() || part == "." || part == ".." || part == "/";
  };
  if (std::ranges::any_of(parts, leads_elsewhere)) return std::nullopt;
  const bool in_a_folder = parts.size() == 4;
  if (in_a_folder) parts.erase(parts.begin());
  if (parts.size() != 3 || parts[0] != "labs" || !parts[2].ends_with(".cu")) return std::nullopt;
  return fs::path(parts[1]) / parts[2];
}

/// Files of a folder as far down as they count, without following links.
std::vector<fs::path> files_of(const fs::path& folder) {
  constexpr int deepest = 3;  // folder/labs/NN_topic/file.cu
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator item(folder, fs::directory_options::skip_permission_denied,
                                        error);
  for (; !error && item != fs::recursive_directory_iterator(); item.increment(error)) {
    if (item.depth() >= deepest) item.disable_recursion_pending();
    std::error_code ignored;
    if (fs::is_regular_file(item->symlink_status(ignored))) files.push_back(item->path());
  }
  return files;
}

std::string take_from_folder(const fs::path& folder, const fs::path& to) {
  for (const fs::path& file : files_of(folder)) {
    const auto place = place_in_labs(file.lexically_relative(folder));
    if (!place) continue;
    std::error_code error;
    if (fs::file_size(file, error) > largest_source_bytes) {
      return fmt::format("{} is larger than {} bytes", printable(place->string()),
                         largest_source_bytes);
    }
    fs::create_directories((to / "labs" / *place).parent_path());
    fs::copy_file(file, to / "labs" / *place, fs::copy_options::overwrite_existing, error);
    if (error) return fmt::format("{}: {}", printable(place->string()), error.message());
  }
  return "";
}

}  // namespace

std::vector<CohortEntry> find_entries(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "no folder"));
  }
  std::vector<fs::path> items;
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    if (!item->path().filename().string().starts_with('.')) items.push_back(item->path());
  }
  if (error || items.empty()) {
    throw CannotGrade(fmt::format("the submissions {}: {}", printable(folder.string()),
                                  error ? error.message() : "the folder is empty"));
  }
  std::set<std::string> names;
  for (const fs::path& item : items) names.insert(item.filename().string());
  std::vector<CohortEntry> entries;
  for (const fs::path& item : items) {
    const std::string whole = item.filename().string(), stem = item.stem().string();
    const bool short_name = item.extension() == ".zip" && !names.contains(stem);
    entries.push_back({short_name ? stem : whole, item});
  }
  std::ranges::sort(entries, {}, &CohortEntry::name);
  return entries;
}

std::string take_sources(const CohortEntry& entry, const fs::path& to) {
  fs::create_directories(to);
  std::error_code error;
  std::string problem = fs::is_directory(entry.source, error)
                            ? take_from_folder(entry.source, to)
                            : take_from_zip(entry.source, to, place_in_labs);
  if (problem.empty() && !fs::exists(to / "labs", error)) {
    problem = "it holds no labs/NN_topic/*.cu";
  }
  return problem;
}

}  // namespace tilewise::grading
