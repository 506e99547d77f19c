#include "grading/cli/submission.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/meant_files.hpp"
#include "grading/cli/sha256.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/skeleton/skeleton.hpp"

namespace tilewise::grading {
namespace {

std::string_view without_leading_zeros(std::string_view number) {
  return number.substr(std::min(number.find_first_not_of('0'), number.size()));
}

bool means(const std::string& word, const std::string& id) {
  const std::size_t underscore = id.find('_');
  const std::string_view number = std::string_view(id).substr(0, underscore);
  const std::string_view topic = std::string_view(id).substr(underscore + 1);
  const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  return word == id || word == topic ||
         (is_number && without_leading_zeros(word) == without_leading_zeros(number));
}

}  // namespace

std::vector<StageInfo> choose_stages(const std::vector<std::string>& words,
                                     const std::vector<StageInfo>& known) {
  if (words.empty()) return known;
  std::vector<StageInfo> chosen;
  for (const std::string& word : words) {
    const auto stage = std::ranges::find_if(
        known, [&](const StageInfo& candidate) { return means(word, candidate.id); });
    if (stage == known.end()) {
      std::vector<std::string> ids;
      std::ranges::transform(known, std::back_inserter(ids), &StageInfo::id);
      throw CannotGrade(
          tr("there is no stage '{}'; the stages are: {}", printable(word), fmt::join(ids, ", ")));
    }
    if (std::ranges::find(chosen, stage->id, &StageInfo::id) == chosen.end()) {
      chosen.push_back(*stage);
    }
  }
  return chosen;
}

namespace {

namespace fs = std::filesystem;

/// Finds the files of a folder that have a place, as far down as they may have one, without
/// following links; in alphabetical order.
/// @return why they cannot all be found; empty if all were seen
std::string find_files(const fs::path& folder, const PlaceInLabs& place_of,
                       std::vector<fs::path>& files) {
  constexpr auto deepest = static_cast<int>(most_folders);
  std::error_code error;
  fs::recursive_directory_iterator item(folder, fs::directory_options::skip_permission_denied,
                                        error);
  if (error == std::errc::permission_denied) return tr("its folder cannot be read");
  std::size_t seen = 0;
  for (; !error && item != fs::recursive_directory_iterator(); item.increment(error)) {
    if (++seen > most_submission_files) {
      return tr("it holds more than {} files", most_submission_files);
    }
    const bool is_hidden = is_of_a_system(item->path().filename().string());
    if (is_hidden || item.depth() >= deepest) item.disable_recursion_pending();
    std::error_code ignored;
    const bool is_file = fs::is_regular_file(item->symlink_status(ignored));
    if (is_file && place_of(item->path().lexically_relative(folder))) files.push_back(item->path());
  }
  std::ranges::sort(files);
  return error ? tr("it cannot be read: {}", error.message()) : "";
}

}  // namespace

std::string take_from_folder(const fs::path& folder, const fs::path& to,
                             const PlaceInLabs& place_of) {
  std::vector<fs::path> files;
  if (std::string problem = find_files(folder, place_of, files); !problem.empty()) return problem;
  for (const fs::path& file : files) {
    const fs::path path = file.lexically_relative(folder);
    const fs::path place = *place_of(path);
    std::error_code error;
    if (fs::exists(to / "labs" / place, error)) continue;
    // The file may be growing, or be replaced by one that never ends, so it is read once, and no
    // further than a limit.
    std::ifstream stream(file, std::ios::binary);
    std::string text(largest_source_bytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream && !stream.eof()) {
      return tr("{} cannot be read: {}", printable(place.string()), std::strerror(errno));
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (auto problem = put_in_place(text, to, place, path.string()); !problem.empty()) {
      return problem;
    }
  }
  return "";
}

namespace {

std::optional<std::string> converted(std::string text, const char* from) {
  const iconv_t conversion = ::iconv_open("UTF-8", from);
  if (conversion == iconv_t(-1)) return std::nullopt;
  std::string plain(3 * text.size(), '\0');  // as much as a character may take
  char *begin = text.data(), *to = plain.data();
  std::size_t left = text.size(), room = plain.size();
  const bool is_read = ::iconv(conversion, &begin, &left, &to, &room) != std::size_t(-1);
  ::iconv_close(conversion);
  plain.resize(plain.size() - room);
  return is_read ? std::optional(plain) : std::nullopt;
}

}  // namespace

std::optional<std::string> as_utf8(std::string text, const char* otherwise) {
  const bool little = text.starts_with("\xFF\xFE"), big = text.starts_with("\xFE\xFF");
  std::optional<std::string> plain;
  if (little || big) {
    plain = converted(text.substr(2), little ? "UTF-16LE" : "UTF-16BE");
  } else if (otherwise != nullptr && !converted(text, "UTF-8")) {
    plain = converted(text, otherwise);
  } else {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    plain = std::move(text);
  }
  if (!plain) return std::nullopt;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plain->size(); ++i) {
    const bool ends_a_line =
        (*plain)[i] == '\r' && i + 1 < plain->size() && (*plain)[i + 1] == '\n';
    if (!ends_a_line) (*plain)[kept++] = (*plain)[i];
  }
  plain->resize(kept);
  return plain;
}

namespace {

void make_folder_for(const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw CannotGrade(tr("cannot make the folder {}: {}", printable(file.parent_path().string()),
                         error.message()));
  }
}

}  // namespace

std::string put_in_place(const std::string& text, const fs::path& to, const fs::path& place,
                         const std::string& path) {
  if (text.size() > largest_source_bytes) {
    return tr("{} is larger than {} bytes", printable(place.string()), largest_source_bytes);
  }
  const std::optional<std::string> plain = as_utf8(text);
  if (!plain) {
    return tr("{} is text in UTF-16 that cannot be read: save it as UTF-8",
              printable(place.string()));
  }
  make_folder_for(to / "labs" / place);
  write_output(to / "labs" / place, *plain);
  write_origin(to, place, {path, sha256_of(text)});
  return "";
}

fs::path origin_file(const fs::path& submission, const fs::path& place) {
  return submission / "origins" / (place.string() + ".txt");
}

void write_origin(const fs::path& submission, const fs::path& place, const Origin& origin) {
  const fs::path file = origin_file(submission, place);
  make_folder_for(file);
  write_output(file, fmt::format("{}  {}\n", origin.sha256, first_line(origin.path)));
}

std::optional<Origin> origin_of(const fs::path& submission, const fs::path& place) {
  const std::string line = first_line(text_of(origin_file(submission, place)));
  const std::size_t blanks = line.find("  ");
  if (blanks == line.npos) return std::nullopt;
  return Origin{line.substr(blanks + 2), line.substr(0, blanks)};
}

std::string take_submission(const fs::path& to,
                            const std::function<std::string(const PlaceInLabs&)>& take) {
  std::string first_problem;
  for (const MeantFiles::Find find : {candidate_in_labs, candidate_by_name}) {
    MeantFiles files(find);
    std::string problem = take([&](const fs::path& path) { return files.place_of(path); });
    if (fs::exists(to / "labs")) return problem.empty() ? files.settle(to) : problem;
    if (first_problem.empty()) first_problem = std::move(problem);
  }
  return first_problem;
}

namespace {

namespace fs = std::filesystem;

/// Whether anything lies where one of the stage's files should be; even a folder there is worth a
/// message about that stage rather than about the whole submission.
bool has_files(const fs::path& folder, const StageInfo& stage) {
  return std::ranges::any_of(stage.sources, [&](const std::string& source) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(folder / stage.id / source, ignored));
  });
}

bool has_any(const Submission& submission, const std::vector<StageInfo>& wanted) {
  return std::ranges::any_of(
      wanted, [&](const StageInfo& stage) { return has_files(submission.stages_folder, stage); });
}

/// Puts together files that lie in other places than they should.
Submission put_together(const fs::path& directory) {
  const auto scratch = std::make_shared<const ScratchDirectory>();
  const std::string problem = take_submission(scratch->path(), [&](const PlaceInLabs& place_of) {
    return take_from_folder(directory, scratch->path(), place_of);
  });
  if (!problem.empty()) {
    throw NothingSubmitted(tr("the submission {}: {}", printable(directory.string()), problem));
  }
  return {scratch->path() / "labs", scratch};
}

}  // namespace

Submission open_submission(const fs::path& directory, const std::vector<StageInfo>& wanted) {
  const std::string name = printable(directory.string());
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) {
    const std::string reason =
        status.type() == fs::file_type::not_found ? tr("does not exist") : error.message();
    throw CannotGrade(tr("the submission {}: {}", name, reason));
  }
  if (!fs::is_directory(status)) {
    throw CannotGrade(tr(
        "the submission {} is not a folder; it must be one that holds labs/NN_topic/*.cu", name));
  }
  Submission submission{directory / "labs"};
  if (has_any(submission, wanted)) return submission;
  submission = put_together(directory);
  if (has_any(submission, wanted)) return submission;
  const StageInfo& first = wanted.front();
  throw NothingSubmitted(
      tr("the submission {} has no file of {}; expected, for example, labs/{}/{}, or {} by itself",
         name, wanted.size() == 1 ? tr("this stage") : tr("these stages"), first.id,
         first.sources.front(), first.sources.front()));
}

StageInfo stage_of(const Run& run) { return choose_stages(run.stages, stages()).front(); }

Submission choose_submission(const Run& run, const std::vector<StageInfo>& wanted) {
  if (run.solutions) return {layout().root / "solutions"};
  if (run.submission.empty()) return {layout().root / "labs"};
  return open_submission(run.submission, wanted);
}

bool is_skeleton(const StageInfo& stage, const fs::path& folder) {
  const fs::path solutions = layout().root / "solutions" / stage.id;
  return std::ranges::all_of(stage.sources, [&](const std::string& source) {
    return text_of(folder / source) == skeleton_of(text_of(solutions / source)).text;
  });
}

}  // namespace tilewise::grading
