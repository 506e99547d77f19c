#include "grading/cli/handed_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "grading/report/printable.hpp"
#include "tilewise_stages.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// The parts of a path, or nothing where it leads elsewhere.
std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path) parts.push_back(part.string());
  const auto leads_elsewhere = [](const std::string& part) {
    return part.empty() || part == "." || part == ".." || part == "/";
  };
  if (std::ranges::any_of(parts, leads_elsewhere)) return {};
  return parts;
}

/// Files of a folder as far down as they count, without following links; in alphabetical order.
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
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::optional<fs::path> place_in_labs(const fs::path& path) {
  std::vector<std::string> parts = parts_of(path);
  const bool in_a_folder = parts.size() == 4;
  if (in_a_folder) parts.erase(parts.begin());
  if (parts.size() != 3 || parts[0] != "labs" || !parts[2].ends_with(".cu")) return std::nullopt;
  return fs::path(parts[1]) / parts[2];
}

std::optional<fs::path> place_by_name(const fs::path& path) {
  const std::vector<std::string> parts = parts_of(path);
  if (parts.empty() || parts.size() > 2) return std::nullopt;
  for (const StageInfo& stage : stages()) {
    if (std::ranges::find(stage.sources, parts.back()) != stage.sources.end()) {
      return fs::path(stage.id) / parts.back();
    }
  }
  return std::nullopt;
}

std::string take_from_folder(const fs::path& folder, const fs::path& to,
                             const PlaceInLabs& place_of) {
  for (const fs::path& file : files_of(folder)) {
    const auto place = place_of(file.lexically_relative(folder));
    if (!place) continue;
    std::error_code error;
    if (fs::file_size(file, error) > largest_source_bytes) {
      return fmt::format("{} is larger than {} bytes", printable(place->string()),
                         largest_source_bytes);
    }
    fs::create_directories((to / "labs" / *place).parent_path());
    fs::copy_file(file, to / "labs" / *place, fs::copy_options::skip_existing, error);
    if (error) return fmt::format("{}: {}", printable(place->string()), error.message());
  }
  return "";
}

std::string take_handed_in(const fs::path& to,
                           const std::function<std::string(const PlaceInLabs&)>& take) {
  for (const auto place_of : {place_in_labs, place_by_name}) {
    std::string problem = take(place_of);
    if (!problem.empty() || fs::exists(to / "labs")) return problem;
  }
  return "";
}

}  // namespace tilewise::grading
