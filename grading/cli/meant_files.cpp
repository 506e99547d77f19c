#include "grading/cli/meant_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <system_error>
#include <utility>

#include "common/base/language.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

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

bool is_of_a_system(const std::string& part) { return part.starts_with('.') || part == "__MACOSX"; }

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

}  // namespace tilewise::grading
