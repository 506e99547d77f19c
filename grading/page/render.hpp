#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

namespace tilewise::grading {

/// Thrown if a document cannot be drawn; the message tells the user why.
class CannotDraw : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The messages of pages in the user's language, from tools/page/es.po: {"language": "es",
/// "messages": {English: Spanish, ...}}; null if the language is English.
nlohmann::ordered_json words_of_pages();

/// Draws a document by tools/page/render.js, which is built from the TypeScript of tools/page for
/// use without a browser. The same document gives the same bytes, in the user's language. Its texts
/// may hold anything; they are shown as printable() returns them.
/// @param kind      "chart", "charts", "figure", "roofline" or "report": src/render.tsx says what
/// each takes and returns
/// @throws CannotDraw, std::logic_error if the script fails, std::runtime_error if it is missing
std::string render(const std::string& kind, nlohmann::ordered_json document);

}  // namespace tilewise::grading
