#include "grading/cohort/ledger.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <system_error>

#include "grading/cli/submission.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

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
  std::string problem = take_submission(to, [&](const PlaceInLabs& place_of) {
    return fs::is_directory(entry.source, error) ? take_from_folder(entry.source, to, place_of)
                                                 : take_from_zip(entry.source, to, place_of);
  });
  if (problem.empty() && !fs::exists(to / "labs", error)) {
    problem = "it holds no labs/NN_topic/*.cu of a stage";
  }
  return problem;
}

namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

/// Reads on, and no more than a kernel has.
/// @return what is wrong; empty if nothing is
std::string unpack(archive* reader, const fs::path& place, const fs::path& to) {
  std::string text(largest_source_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const la_ssize_t count = archive_read_data(reader, text.data() + size, text.size() - size);
    if (count < 0) return fmt::format("{} cannot be unpacked", printable(place.string()));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return put_in_place(text, to, place);
}

/// An entry's name as it is in the archive: in the user's encoding where it has another, or as
/// UTF-8.
const char* name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  return name != nullptr ? name : archive_entry_pathname_utf8(entry);
}

}  // namespace

std::string take_from_zip(const fs::path& archive_file, const fs::path& to,
                          const PlaceInLabs& place_of) {
  std::error_code error;
  // To open a FIFO is to wait for whoever writes to it.
  if (!fs::is_regular_file(archive_file, error)) return "it is neither a folder nor a zip archive";
  const Reader reader(archive_read_new(), archive_read_free);
  // By the list at its end: what is not wanted is then skipped rather than unpacked.
  archive_read_support_format_zip_seekable(reader.get());
  constexpr std::size_t block_bytes = 64 << 10;
  if (archive_read_open_filename(reader.get(), archive_file.c_str(), block_bytes) != ARCHIVE_OK) {
    return "it is neither a folder nor a zip archive";
  }
  archive_entry* entry = nullptr;
  for (std::size_t i = 0; i < most_submission_files; ++i) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return "";
    if (status != ARCHIVE_OK) {
      return i == 0 ? "it is neither a folder nor a zip archive" : "the zip archive is damaged";
    }
    const char* name = name_of(entry);
    if (name == nullptr || archive_entry_filetype(entry) != AE_IFREG) continue;
    const auto place = place_of(name);
    // Of two with one place the first counts, as in a folder: a thousand cost no more than one.
    if (!place || fs::exists(to / "labs" / *place, error)) continue;
    if (std::string problem = unpack(reader.get(), *place, to); !problem.empty()) return problem;
  }
  return fmt::format("the zip archive has more than {} entries", most_submission_files);
}

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "tilewise/cohort/v1";

fs::path file_in(const fs::path& out) { return out / "cohort.json"; }

Json document_of(const CohortSettings& settings) {
  return {{"schema", schema},
          {"stages", settings.stages},
          {"backend", settings.backend},
          {"gpu", settings.gpu},
          // As text: JSON's numbers do not hold 64 bits.
          {"seed", std::to_string(settings.seed)}};
}

CohortSettings read_settings(const fs::path& file) {
  try {
    std::ifstream stream(file);
    const Json document = Json::parse(stream);
    if (document.at("schema") != schema) throw std::runtime_error("its schema is another one");
    return {document.at("stages").get<std::vector<std::string>>(),
            document.at("backend").get<std::string>(), document.at("gpu").get<std::string>(),
            std::stoull(document.at("seed").get<std::string>())};
  } catch (const std::exception& error) {
    throw CannotGrade(fmt::format("{} of an earlier run cannot be read: {}. Name another --out.",
                                  printable(file.string()), printable(error.what())));
  }
}

}  // namespace

std::uint64_t seed_for(const CohortSettings& settings, const std::string& name) {
  return seeded_random(settings.seed, name)();
}

std::optional<CohortSettings> find_settings(const fs::path& out) {
  if (!fs::exists(file_in(out))) return std::nullopt;
  return read_settings(file_in(out));
}

CohortSettings settle(const fs::path& out, CohortSettings wanted) {
  const std::optional<CohortSettings> earlier = find_settings(out);
  if (!earlier) {
    write_whole(file_in(out), to_file(document_of(wanted)));
    return wanted;
  }
  wanted.seed = earlier->seed;
  if (wanted == *earlier) return wanted;
  throw CannotGrade(fmt::format(
      "{} holds a run of other settings: stages {}, backend {}, GPU {}. Name another --out.",
      printable(out.string()), fmt::join(earlier->stages, " "), earlier->backend, earlier->gpu));
}

namespace {

namespace fs = std::filesystem;

}  // namespace

std::string file_name_of(const std::string& name) {
  // Of the 255 bytes that a name may have, some are for ".problem.part".
  constexpr std::size_t longest = 200;
  if (name.size() <= longest) return name;
  // FNV-1a: the same on every machine of a cluster.
  std::uint64_t number = 0xCBF29CE484222325;
  for (const char c : name) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return fmt::format("{}~{:016x}", name.substr(0, longest - 17), number);
}

Ledger::Ledger(fs::path out) : out_(std::move(out)) {
  for (const char* part : {"submissions", "results", "feedback", "seconds"}) {
    std::error_code error;
    fs::create_directories(out_ / part, error);
    if (error) {
      throw CannotGrade(fmt::format("cannot make the folder {}: {}",
                                    printable((out_ / part).string()), error.message()));
    }
  }
}

fs::path Ledger::submission(const std::string& name) const {
  return out_ / "submissions" / file_name_of(name);
}
fs::path Ledger::result_file(const std::string& name) const {
  return out_ / "results" / (file_name_of(name) + ".json");
}
fs::path Ledger::problem_file(const std::string& name) const {
  return out_ / "results" / (file_name_of(name) + ".problem");
}

bool Ledger::is_done(const std::string& name) const {
  std::error_code ignored;
  return fs::exists(result_file(name), ignored) || fs::exists(problem_file(name), ignored);
}

void Ledger::enter(const std::string& name, const GradedSubmission& graded,
                   const std::string& feedback, double seconds) const {
  write_whole(out_ / "feedback" / (file_name_of(name) + ".txt"), feedback);
  write_whole(out_ / "seconds" / file_name_of(name), fmt::format("{:.1f}\n", seconds));
  if (graded.result) {
    write_whole(result_file(name), to_file(*graded.result));
  } else {
    write_whole(problem_file(name), graded.problem);
  }
}

GradedSubmission Ledger::read(const std::string& name) const {
  if (fs::exists(problem_file(name))) return {{}, text_of(problem_file(name))};
  const fs::path file = result_file(name);
  try {
    return {nlohmann::ordered_json::parse(text_of(file)).get<GradeResult>(), ""};
  } catch (const std::exception& error) {
    throw CannotGrade(fmt::format("{} is damaged ({}): remove it, and run again",
                                  printable(file.string()), printable(error.what())));
  }
}

double Ledger::seconds(const std::string& name) const {
  double seconds = 0;
  std::ifstream(out_ / "seconds" / file_name_of(name)) >> seconds;
  return seconds;
}

}  // namespace tilewise::grading
