#include "grading/cli/handed_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/course/stages.hpp"
#include "grading/report/printable.hpp"

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

/// Files of a folder that have a place, as far down as they may have one, without following links;
/// in alphabetical order.
/// @return why there is no telling; empty if all were seen
std::string find_files(const fs::path& folder, const PlaceInLabs& place_of,
                       std::vector<fs::path>& files) {
  constexpr int deepest = 3;  // folder/labs/NN_topic/file.cu
  std::error_code error;
  fs::recursive_directory_iterator item(folder, fs::directory_options::skip_permission_denied,
                                        error);
  if (error == std::errc::permission_denied) return "its folder cannot be read";
  std::size_t seen = 0;
  for (; !error && item != fs::recursive_directory_iterator(); item.increment(error)) {
    if (++seen > most_handed_in_files) {
      return fmt::format("it holds more than {} files", most_handed_in_files);
    }
    if (item.depth() >= deepest) item.disable_recursion_pending();
    std::error_code ignored;
    const bool is_file = fs::is_regular_file(item->symlink_status(ignored));
    if (is_file && place_of(item->path().lexically_relative(folder))) files.push_back(item->path());
  }
  std::ranges::sort(files);
  return error ? fmt::format("it cannot be read: {}", error.message()) : "";
}

}  // namespace

std::optional<fs::path> place_in_labs(const fs::path& path) {
  std::vector<std::string> parts = parts_of(path);
  const bool in_a_folder = parts.size() == 4;
  if (in_a_folder) parts.erase(parts.begin());
  if (parts.size() != 3 || parts[0] != "labs") return std::nullopt;
  const auto stage = std::ranges::find(stages(), parts[1], &StageInfo::id);
  if (stage == stages().end()) return std::nullopt;
  const bool is_its_own = std::ranges::find(stage->sources, parts[2]) != stage->sources.end();
  return is_its_own ? std::optional(fs::path(parts[1]) / parts[2]) : std::nullopt;
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
  std::vector<fs::path> files;
  if (std::string problem = find_files(folder, place_of, files); !problem.empty()) return problem;
  for (const fs::path& file : files) {
    const fs::path place = *place_of(file.lexically_relative(folder));
    std::error_code error;
    if (fs::exists(to / "labs" / place, error)) continue;
    // It may be growing, or be replaced by what never ends: read once, and no further.
    std::ifstream stream(file, std::ios::binary);
    std::string text(largest_source_bytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream && !stream.eof()) {
      return fmt::format("{} cannot be read: {}", printable(place.string()), std::strerror(errno));
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (std::string problem = put_in_place(text, to, place); !problem.empty()) return problem;
  }
  return "";
}

std::string put_in_place(const std::string& text, const fs::path& to, const fs::path& place) {
  if (text.size() > largest_source_bytes) {
    return fmt::format("{} is larger than {} bytes", printable(place.string()),
                       largest_source_bytes);
  }
  std::error_code error;
  fs::create_directories((to / "labs" / place).parent_path(), error);
  if (error) {
    throw CannotGrade(
        fmt::format("cannot make a folder below {}: {}", printable(to.string()), error.message()));
  }
  write_output(to / "labs" / place, text);
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
