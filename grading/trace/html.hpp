#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewise::grading {

/// Markup of a page. Text becomes markup by being escaped, elements are built from markup: so
/// nothing that came from outside can be taken for a tag.
class Html {
 public:
  Html() = default;
  /// The text as it is; printable() first.
  Html(std::string_view text);
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}

  /// Of Tilewise's own making only.
  static Html markup(std::string trusted);

  Html& operator+=(const Html& more);
  friend Html operator+(Html first, const Html& second) { return first += second; }

  const std::string& text() const { return markup_; }
  bool empty() const { return markup_.empty(); }

 private:
  std::string markup_;
};

/// Values are escaped.
using Attributes = std::vector<std::pair<const char*, std::string>>;

/// The content between a start tag with these attributes and the end tag.
Html element(const char* tag, const Attributes& attributes, const Html& content);
Html element(const char* tag, const Html& content);

/// A name that may be broken after each "_", where there is no room for it on one line.
Html breakable(std::string_view name);

/// An element that has no content: <img ...>.
Html void_element(const char* tag, const Attributes& attributes);

}  // namespace tilewise::grading
