#include "grading/cli/submission.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iconv.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/sha256.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

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
  constexpr int deepest = 4;  // folder/folder/labs/NN_topic/file.cu
  std::error_code error;
  fs::recursive_directory_iterator item(folder, fs::directory_options::skip_permission_denied,
                                        error);
  if (error == std::errc::permission_denied) return tr("its folder cannot be read");
  std::size_t seen = 0;
  for (; !error && item != fs::recursive_directory_iterator(); item.increment(error)) {
    if (++seen > most_submission_files) {
      return tr("it holds more than {} files", most_submission_files);
    }
    if (item.depth() >= deepest) item.disable_recursion_pending();
    std::error_code ignored;
    const bool is_file = fs::is_regular_file(item->symlink_status(ignored));
    if (is_file && place_of(item->path().lexically_relative(folder))) files.push_back(item->path());
  }
  std::ranges::sort(files);
  return error ? tr("it cannot be read: {}", error.message()) : "";
}

}  // namespace

std::optional<fs::path> place_in_labs(const fs::path& path) {
  std::vector<std::string> parts = parts_of(path);
  constexpr std::size_t most_folders_above = 2;
  while (parts.size() > 3 && parts.size() <= 3 + most_folders_above) parts.erase(parts.begin());
  if (parts.size() != 3 || parts[0] != "labs") return std::nullopt;
  const auto stage = std::ranges::find(stages(), parts[1], &StageInfo::id);
  if (stage == stages().end()) return std::nullopt;
  const bool is_its_own = std::ranges::find(stage->sources, parts[2]) != stage->sources.end();
  return is_its_own ? std::optional(fs::path(parts[1]) / parts[2]) : std::nullopt;
}

namespace {

/// "matmul_shared" for "Matmul_Shared (1).CU" and "matmul_shared - Copy-2.cu"; empty for what is no
/// CUDA source.
std::string stem_without_marks(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".txt")) name.resize(name.size() - 4);  // as some mail programs have it
  if (!name.ends_with(".cu")) return "";
  name.resize(name.size() - 3);
  static const std::regex mark(R"((\s*\(\d+\)|\s*[-_ ]\s*(copy|kopie|kopia|copia)|[-_ ]\d+|\s+)$)");
  for (std::smatch found; std::regex_search(name, found, mark);) name.resize(found.position());
  return name;
}

/// Of a name that ends in a stage's own, after a student's name perhaps, the stage's.
std::optional<fs::path> place_like(const std::string& name) {
  const std::string stem = stem_without_marks(name);
  std::optional<fs::path> longest;
  for (const StageInfo& stage : stages()) {
    for (const std::string& source : stage.sources) {
      const std::string own = fs::path(source).stem().string();
      const bool is_like = stem == own || stem.ends_with("_" + own) || stem.ends_with("-" + own) ||
                           stem.ends_with(" " + own);
      const bool is_longer = !longest || own.size() > longest->stem().string().size();
      if (is_like && is_longer) longest = fs::path(stage.id) / source;
    }
  }
  return longest;
}

}  // namespace

std::optional<fs::path> PlacesByName::place_of(const fs::path& path) {
  constexpr std::size_t deepest = 5;
  const std::vector<std::string> parts = parts_of(path);
  if (parts.empty() || parts.size() > deepest) return std::nullopt;
  // No file is called so, but archives may say what they like.
  constexpr std::size_t longest_name = 255;
  if (parts.back().size() > longest_name) return std::nullopt;
  const auto is_of_a_system = [](const std::string& part) {
    return part.starts_with('.') || part == "__MACOSX";
  };
  if (std::ranges::any_of(parts, is_of_a_system)) return std::nullopt;
  const auto place = place_like(parts.back());
  if (!place) return std::nullopt;
  std::vector<Candidate>& known = candidates_[*place];
  const auto found = std::ranges::find(known, path, &Candidate::path);
  if (found != known.end()) return found->place;
  constexpr std::size_t most = 20;  // whoever hands in more is asked anyway
  if (known.size() >= most) return std::nullopt;
  const std::string number = known.empty() ? "" : fmt::format(".{}", known.size());
  known.push_back({path, place->string() + number});
  return known.back().place;
}

std::string PlacesByName::settle(const fs::path& to) const {
  const auto depth = [](const Candidate& one) { return parts_of(one.path).size(); };
  for (const auto& [place, known] : candidates_) {
    const std::size_t least = depth(*std::ranges::min_element(known, {}, depth));
    std::vector<Candidate> meant;
    for (const Candidate& one : known) {
      std::error_code ignored;
      if (depth(one) == least) {
        meant.push_back(one);
      } else {
        fs::remove(to / "labs" / one.place, ignored);
        fs::remove(origin_file(to, one.place), ignored);
      }
    }
    std::ranges::sort(meant, {}, &Candidate::path);
    for (const Candidate& one : meant) {
      const fs::path file = to / "labs" / one.place;
      if (text_of(file) != text_of(to / "labs" / meant.front().place)) {
        return tr("{} and {} differ, and either may be meant: hand in one of them",
                  printable(meant.front().path.string()), printable(one.path.string()));
      }
    }
    for (const Candidate& one : meant) {
      std::error_code ignored;
      if (one.place == place) continue;
      fs::rename(to / "labs" / one.place, to / "labs" / place, ignored);
      fs::rename(origin_file(to, one.place), origin_file(to, place), ignored);
    }
  }
  return "";
}

std::string take_from_folder(const fs::path& folder, const fs::path& to,
                             const PlaceInLabs& place_of) {
  std::vector<fs::path> files;
  if (std::string problem = find_files(folder, place_of, files); !problem.empty()) return problem;
  for (const fs::path& file : files) {
    const fs::path path = file.lexically_relative(folder);
    const fs::path place = *place_of(path);
    std::error_code error;
    if (fs::exists(to / "labs" / place, error)) continue;
    // It may be growing, or be replaced by what never ends: read once, and no further.
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

/// The text as UTF-8, with lines that end in a line feed alone. Nothing where it is neither that
/// nor UTF-16 with a mark of its byte order, as some editors of Windows write it.
std::optional<std::string> as_utf8(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const bool little = text.starts_with("\xFF\xFE"), big = text.starts_with("\xFE\xFF");
  if (little || big) {
    const iconv_t conversion = ::iconv_open("UTF-8", little ? "UTF-16LE" : "UTF-16BE");
    if (conversion == iconv_t(-1)) return std::nullopt;
    std::string plain(2 * text.size(), '\0');  // three bytes for two at most
    char *from = text.data() + 2, *to = plain.data();
    std::size_t left = text.size() - 2, room = plain.size();
    const bool is_read = ::iconv(conversion, &from, &left, &to, &room) != std::size_t(-1);
    ::iconv_close(conversion);
    if (!is_read) return std::nullopt;
    plain.resize(plain.size() - room);
    text = std::move(plain);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
  }
  text.resize(kept);
  return text;
}

}  // namespace

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
  const std::string problem = take(place_in_labs);
  if (fs::exists(to / "labs")) return problem;
  PlacesByName by_name;
  const std::string problem_by_name =
      take([&](const fs::path& path) { return by_name.place_of(path); });
  if (!fs::exists(to / "labs")) return problem.empty() ? problem_by_name : problem;
  return problem_by_name.empty() ? by_name.settle(to) : problem_by_name;
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

/// What lies in another place than it should.
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

}  // namespace tilewise::grading
