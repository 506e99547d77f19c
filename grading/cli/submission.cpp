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

/// The most folders, one inside the other, in which a file of a submission may lie.
constexpr std::size_t most_folders = 8;

bool is_of_a_system(const std::string& part) { return part.starts_with('.') || part == "__MACOSX"; }

/// Returns the parts of a path, or nothing if it leads elsewhere.
std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path) parts.push_back(part.string());
  const auto leads_elsewhere = [](const std::string& part) {
    return part.empty() || part == "." || part == ".." || part == "/";
  };
  if (std::ranges::any_of(parts, leads_elsewhere)) return {};
  return parts;
}

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

namespace {

/// Returns the parts of a path that somebody may have handed in; none if nobody can have.
std::vector<std::string> parts_handed_in(const fs::path& path) {
  std::vector<std::string> parts = parts_of(path);
  // No file has a longer name, but an archive may claim any.
  constexpr std::size_t longest_name = 255;
  const bool is_none = parts.empty() || parts.size() > most_folders + 1 ||
                       parts.back().size() > longest_name ||
                       std::ranges::any_of(parts, is_of_a_system);
  return is_none ? std::vector<std::string>() : parts;
}

}  // namespace

std::optional<Candidate> candidate_in_labs(const fs::path& path) {
  const std::vector<std::string> parts = parts_handed_in(path);
  if (parts.size() < 3) return std::nullopt;
  const std::string &labs = parts.end()[-3], &id = parts.end()[-2], &source = parts.back();
  const auto stage = std::ranges::find(stages(), id, &StageInfo::id);
  if (labs != "labs" || stage == stages().end()) return std::nullopt;
  const bool is_its_own = std::ranges::find(stage->sources, source) != stage->sources.end();
  return is_its_own ? std::optional(Candidate{fs::path(id) / source}) : std::nullopt;
}

namespace {

/// Returns a name with one underscore in place of blanks, hyphens, dots or brackets, such as
/// "zoe_matmul_shared_2".
std::string with_underscores(const std::string& name) {
  // Blanks and hyphens as addresses and typographers write them.
  static const std::regex others("%20|\xE2\x80\x93|\xE2\x80\x94|\xC2\xA0");
  std::string plain;
  for (const char c : std::regex_replace(name, others, "_")) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_kept = std::isalnum(byte) != 0 || byte >= 0x80;
    if (is_kept) plain += c;
    if (!is_kept && !plain.empty() && plain.back() != '_') plain += '_';
  }
  if (plain.ends_with('_')) plain.pop_back();
  return plain;
}

/// Returns "Zoe_matmul_shared" for "Zoe matmul-shared - Copy (2).CU"; empty for a name of no CUDA
/// source.
std::string stem_without_marks(std::string name) {
  // Mail programs add .txt, and editors add what they think is missing.
  static const std::regex ending(R"((\.cu(\.txt|\.cpp)?)+$)", std::regex::icase);
  static const std::regex mark("(^copy_of_|_(\\d+|copy|kopie|kopia|copia|copie|c\xC3\xB3pia)$)",
                               std::regex::icase);
  if (in_lower_case(name).find(".cu") == name.npos) return "";  // rejects most files
  const std::string stem = std::regex_replace(name, ending, "");
  if (stem == name) return "";
  name = with_underscores(stem);
  for (std::smatch found; std::regex_search(name, found, mark);) {
    name.erase(static_cast<std::size_t>(found.position()), found.length());
  }
  return name;
}

/// The position of a stage's name in another: at its beginning or end, separated by underscores.
struct NameIn {
  std::size_t begin, size;
};

std::optional<NameIn> name_in(const std::string& stem, const std::string& own) {
  const std::string lower = in_lower_case(stem);
  if (lower == own || lower.ends_with("_" + own))
    return NameIn{lower.size() - own.size(), own.size()};
  if (lower.starts_with(own + "_")) return NameIn{0, own.size()};
  std::string joined = own;
  std::erase(joined, '_');
  return lower == joined ? std::optional(NameIn{0, joined.size()}) : std::nullopt;
}

struct Likeness {
  Candidate candidate;
  std::string words_beside;
};

std::optional<Likeness> likeness_of(const std::string& name) {
  const std::string stem = stem_without_marks(name);
  std::optional<Likeness> longest;
  for (const StageInfo& stage : stages()) {
    for (const std::string& source : stage.sources) {
      const auto own = name_in(stem, fs::path(source).stem().string());
      if (!own || (longest && source.size() <= longest->candidate.place.filename().string().size()))
        continue;
      std::string beside = stem;
      beside.erase(own->begin, own->size);
      if (beside.starts_with('_')) beside.erase(0, 1);
      if (beside.ends_with('_')) beside.pop_back();
      longest = {{fs::path(stage.id) / source, beside.empty()}, beside};
    }
  }
  return longest;
}

}  // namespace

std::optional<Candidate> candidate_by_name(const fs::path& path) {
  const std::vector<std::string> parts = parts_handed_in(path);
  if (parts.empty()) return std::nullopt;
  const auto likeness = likeness_of(parts.back());
  return likeness ? std::optional(likeness->candidate) : std::nullopt;
}

std::string words_beside_stage(const std::string& name) {
  const auto likeness = likeness_of(name);
  if (!likeness || likeness->words_beside.empty()) return "";
  // If the words come first, they are returned as they were written.
  for (std::size_t size = 1; size < name.size(); ++size) {
    if (with_underscores(name.substr(0, size)) == likeness->words_beside)
      return name.substr(0, size);
  }
  return likeness->words_beside;
}

std::optional<fs::path> MeantFiles::place_of(const fs::path& path) {
  const auto candidate = find_(path);
  if (!candidate) return std::nullopt;
  std::vector<Known>& known = known_[candidate->place];
  const auto found = std::ranges::find(known, path, &Known::path);
  if (found != known.end()) return found->place;
  constexpr std::size_t most = 20;  // a student who hands in more is asked anyway
  if (known.size() >= most) return std::nullopt;
  const std::string number = known.empty() ? "" : fmt::format(".{}", known.size());
  known.push_back({path, candidate->place.string() + number, candidate->is_called_so});
  return known.back().place;
}

namespace {

/// Returns which attempt a file belongs to, if a platform keeps all attempts of a student, and the
/// path without that: "Version 2" of Teams, the time of Moodle's programming laboratory.
std::pair<std::string, std::string> attempt_of(const fs::path& path) {
  static const std::regex mark(R"((?:^|/)(?:Version (\d{1,9})|(\d{4}(?:-\d\d){5}))/)");
  const std::string text = path.string();
  std::smatch found;
  if (!std::regex_search(text, found, mark)) return {"", text};
  const std::string number = found[1];
  constexpr std::size_t digits = 9;
  const std::string attempt =
      found[1].matched ? std::string(digits - number.size(), '0') + number : found[2].str();
  return {attempt, found.prefix().str() + "/" + found.suffix().str()};
}

}  // namespace

std::string MeantFiles::settle(const fs::path& to) const {
  const auto depth = [](const Known& one) { return parts_of(one.path).size(); };
  const auto is_later = [](const Known& one, const Known& other) {
    const auto [attempt, path] = attempt_of(one.path);
    const auto [other_attempt, other_path] = attempt_of(other.path);
    return path == other_path && attempt > other_attempt;
  };
  const auto is_nearer = [&](const Known& one, const Known& other) {
    const bool is_as_near = depth(one) <= depth(other) && one.is_called_so >= other.is_called_so;
    return is_later(one, other) ||
           (is_as_near && (depth(one) < depth(other) || one.is_called_so > other.is_called_so));
  };
  for (const auto& [place, known] : known_) {
    std::vector<Known> meant;
    for (const Known& one : known) {
      std::error_code ignored;
      if (std::ranges::none_of(known, [&](const Known& other) { return is_nearer(other, one); })) {
        meant.push_back(one);
      } else {
        fs::remove(to / "labs" / one.place, ignored);
        fs::remove(origin_file(to, one.place), ignored);
      }
    }
    std::ranges::sort(meant, {}, &Known::path);
    for (const Known& one : meant) {
      const fs::path file = to / "labs" / one.place;
      if (text_of(file) != text_of(to / "labs" / meant.front().place)) {
        return tr("{} and {} differ, and either may be meant: hand in one of them",
                  printable(meant.front().path.string()), printable(one.path.string()));
      }
    }
    for (const Known& one : meant) {
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
