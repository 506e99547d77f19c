#include "grading/page/render.hpp"

#include <duktape.h>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "common/base/catalogue.hpp"
#include "common/base/files.hpp"
#include "common/base/json.hpp"
#include "common/base/language.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;
using Heap = std::unique_ptr<duk_context, decltype(&duk_destroy_heap)>;

[[noreturn]] void blame_script(duk_context* engine) {
  throw std::logic_error(
      fmt::format("tools/page/render.js: {}", duk_safe_to_stacktrace(engine, -1)));
}

void make_printable(Json& document) {
  if (document.is_string()) {
    document = printable(document.get_ref<const std::string&>());
  } else if (document.is_structured()) {
    for (Json& part : document) make_printable(part);
  }
}

}  // namespace

Json words_of_pages() {
  core::Catalogue catalogue;
  core::add_to(catalogue,
               text_of(core::project_root() / "tools/page" / (core::language() + ".po")));
  if (catalogue.empty()) return nullptr;
  Json messages = Json::object();
  for (const auto& [english, other] : std::map(catalogue.begin(), catalogue.end())) {
    messages[english] = other;
  }
  return {{"language", core::language()}, {"messages", std::move(messages)}};
}

std::string render(const std::string& kind, Json document) {
  make_printable(document);
  const std::filesystem::path file = core::project_root() / "tools/page/render.js";
  const std::string script = text_of(file);
  if (script.empty()) throw std::runtime_error(printable(file.string()) + " is missing");
  const Heap heap(duk_create_heap_default(), duk_destroy_heap);
  duk_context* const engine = heap.get();
  if (engine == nullptr) throw std::logic_error("the engine of the page does not start");
  if (duk_peval_lstring(engine, script.data(), script.size()) != 0) blame_script(engine);
  duk_get_global_string(engine, "rendered");
  duk_push_lstring(engine, kind.data(), kind.size());
  const std::string input = core::json_text(document);
  duk_push_lstring(engine, input.data(), input.size());
  const std::string words = core::json_text(words_of_pages());
  duk_push_lstring(engine, words.data(), words.size());
  if (duk_pcall(engine, 3) != 0) blame_script(engine);
  duk_size_t size = 0;
  const char* const bytes = duk_require_lstring(engine, -1, &size);
  const Json answer = Json::parse(std::string_view(bytes, size));
  if (const auto refusal = answer.find("refusal"); refusal != answer.end()) {
    throw CannotDraw(refusal->get<std::string>());
  }
  return answer.at("text").get<std::string>();
}

}  // namespace tilewise::grading
