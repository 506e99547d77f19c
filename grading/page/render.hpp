#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

namespace tilewise::grading {

/// What cannot be drawn, in words for the user.
class CannotDraw : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What pages say to people: {"language": "es", "messages": {English: Spanish, ...}}, by
/// tools/page/es.po; null where English is spoken.
nlohmann::ordered_json words_of_pages();

/// Draws by tools/page/render.js, which is the TypeScript of tools/page for where there is no
/// browser. The same document gives the same bytes, in the language spoken. Its texts may hold anything; they are shown as
/// printable() has them.
/// @param kind      "chart", "charts", "figure", "roofline" or "report": src/render.tsx says what each takes
/// and gives
/// @throws CannotDraw, std::logic_error where the script fails, std::runtime_error where it is
/// missing
std::string render(const std::string& kind, nlohmann::ordered_json document);

}  // namespace tilewise::grading
