#include "grading/trace/page.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "grading/results/result.hpp"
#include "grading/trace/trace_json.hpp"

namespace tilewise::grading {
namespace {

/// JSON that may stand in a <script>: nothing in it ends one or begins a comment.
std::string embedded(std::string json) {
  for (std::size_t at = json.find('<'); at != json.npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

}  // namespace

std::string trace_page(const Trace& trace, const std::filesystem::path& course) {
  const std::filesystem::path file = course / "grading/trace/page/trace.html";
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  std::string page = text.str();
  constexpr std::string_view place = "{\"schema\":\"none\"}";
  const std::size_t at = page.find(place);
  if (at == page.npos) {
    throw std::runtime_error(file.string() + " is missing or has no place for a trace");
  }
  return page.replace(at, place.size(), embedded(to_line(trace_document(trace))));
}

}  // namespace tilewise::grading
