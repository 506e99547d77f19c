#include "grading/builder/cuda_names.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/language.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

struct Names {
  std::string toolkit;
  std::map<std::string, std::string, std::less<>> kinds;  ///< the description of each name
};

const std::map<std::string, std::string> words_for_kinds = {
    {"headers", marked("a header of CUDA's")},
    {"run-time functions", marked("a function of CUDA's run-time")},
    {"types", marked("a type of CUDA's")},
    {"device functions", marked("a device function of CUDA's")},
    {"cooperative groups", marked("a part of CUDA's cooperative groups")},
    {"constants", marked("a constant of CUDA's")}};

Names read_names() {
  Names names;
  std::ifstream file(layout().root / "common" / "simt" / "cuda_names.json");
  const nlohmann::json document = nlohmann::json::parse(file, nullptr, false);
  if (document.is_discarded()) return names;  // then only the compiler's own message is left
  names.toolkit = document.value("toolkit", "");
  const nlohmann::json kinds = document.value("names", nlohmann::json::object());
  for (const auto& [kind, words] : words_for_kinds) {
    for (const auto& name : kinds.value(kind, std::vector<std::string>())) {
      names.kinds.emplace(name, words);
    }
  }
  return names;
}

const Names& listed() {
  static const Names names = read_names();
  return names;
}

std::string_view enclosed(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == text.npos) return "";
  text.remove_prefix(at + begin.size());
  const std::size_t length = text.find(end);
  return length == text.npos ? "" : text.substr(0, length);
}

constexpr std::string_view groups = "cooperative_groups";

/// Returns a member of cooperative groups that the simulator's groups do not have:
/// "grid_group::sync".
std::string missing_of_groups(std::string_view output) {
  constexpr std::pair<std::string_view, std::string_view> of_namespace[] = {
      {"error: '", "' is not a member of 'cooperative_groups'"},
      {"error: no member named '", "' in namespace 'cooperative_groups'"}};
  for (const auto& [begin, end] : of_namespace) {
    const std::size_t at = output.find(end);
    const std::size_t from = output.rfind(begin, at);
    if (at == output.npos || from == output.npos) continue;
    return std::string(output.substr(from + begin.size(), at - from - begin.size()));
  }
  // g++ says "'class cooperative_groups::grid_group' has no member named 'sync'"; clang names the
  // member first.
  const std::size_t at = output.find("cooperative_groups::");
  if (at == output.npos) return "";
  std::string_view rest = output.substr(at + groups.size() + 2);
  const std::string group(rest.substr(0, rest.find_first_of("'<")));
  std::string_view member = enclosed(rest.substr(0, rest.find('\n')), "has no member named '", "'");
  if (member.empty()) {
    const std::string_view line = output.substr(0, at);
    const std::size_t begin = line.rfind('\n') + 1;  // 0 where there is none
    member = enclosed(line.substr(begin), "error: no member named '", "' in '");
  }
  return member.empty() ? "" : group + "::" + std::string(member);
}

}  // namespace

std::string kind_of_cuda_name(std::string_view name) {
  if (name.starts_with(groups) && name.find("::") != name.npos) {
    return words_for_kinds.at("cooperative groups");
  }
  const auto& kinds = listed().kinds;
  if (const auto found = kinds.find(name); found != kinds.end()) return found->second;
  // Libraries with many headers are listed by their folders.
  for (std::size_t slash = name.rfind('/'); slash != name.npos && slash > 0;
       slash = name.rfind('/', slash - 1)) {
    const auto folder = kinds.find(name.substr(0, slash + 1));
    if (folder != kinds.end()) return folder->second;
  }
  return "";
}

std::string listed_toolkit() { return listed().toolkit; }

std::string unknown_cuda_name(std::string_view output) {
  if (const std::string member = missing_of_groups(output); !member.empty()) {
    return std::string(groups) + "::" + member;
  }
  for (const auto& [begin, end] :
       {std::pair("fatal error: ", ": No such file"), std::pair("fatal error: '", "' file not"),
        std::pair("error: '", "' was not declared"), std::pair("error: '", "' is not declared"),
        std::pair("error: use of undeclared identifier '", "'"),
        std::pair("error: unknown type name '", "'"),
        std::pair("error: '", "' has not been declared"),
        std::pair("error: '", "' does not name a type")}) {
    const std::string_view name = enclosed(output, begin, end);
    const bool is_one_word = name.find_first_of("\n ") == name.npos;
    const bool is_header =
        name.ends_with(".h") || name.ends_with(".cuh") || name.find('/') != name.npos;
    const bool is_of_cuda = name.starts_with("cu") || name.starts_with("__") ||
                            name.starts_with("nv") || name.starts_with("tex") ||
                            !kind_of_cuda_name(name).empty();
    if (!name.empty() && is_one_word && (is_header || is_of_cuda)) return std::string(name);
  }
  return "";
}

}  // namespace tilewise::grading
