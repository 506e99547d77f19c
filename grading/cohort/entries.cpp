#include "grading/cohort/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "grading/cli/handed_in.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cohort/zip_archive.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

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
  std::error_code error;
  std::string problem = take_handed_in(to, [&](const PlaceInLabs& place_of) {
    return fs::is_directory(entry.source, error) ? take_from_folder(entry.source, to, place_of)
                                                 : take_from_zip(entry.source, to, place_of);
  });
  if (problem.empty() && !fs::exists(to / "labs", error)) {
    problem = "it holds no labs/NN_topic/*.cu of a stage";
  }
  return problem;
}

}  // namespace tilewise::grading
