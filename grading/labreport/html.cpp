#include "grading/labreport/html.hpp"

#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

std::string start_tag(const char* tag, const Attributes& attributes) {
  std::string markup = std::string("<") + tag;
  for (const auto& [name, value] : attributes) {
    markup += std::string(" ") + name + "=\"" + as_markup(value) + "\"";
  }
  return markup + ">";
}

/// Lines in the source where blocks end, for those who read it.
bool is_block(std::string_view tag) {
  return tag != "code" && tag != "span" && tag != "strong" && tag != "a" && tag != "th" &&
         tag != "td";
}

}  // namespace

Html::Html(std::string_view text) : markup_(as_markup(text)) {}

Html Html::markup(std::string trusted) {
  Html html;
  html.markup_ = std::move(trusted);
  return html;
}

Html& Html::operator+=(const Html& more) {
  markup_ += more.markup_;
  return *this;
}

Html element(const char* tag, const Attributes& attributes, const Html& content) {
  return Html::markup(start_tag(tag, attributes) + content.text() + "</" + tag + ">" +
                      (is_block(tag) ? "\n" : ""));
}

Html element(const char* tag, const Html& content) { return element(tag, {}, content); }

Html breakable(std::string_view name) {
  std::string markup;
  for (const char c : as_markup(name)) {
    markup += c;
    if (c == '_') markup += "<wbr>";
  }
  return Html::markup(std::move(markup));
}

Html void_element(const char* tag, const Attributes& attributes) {
  return Html::markup(start_tag(tag, attributes));
}

}  // namespace tilewise::grading
