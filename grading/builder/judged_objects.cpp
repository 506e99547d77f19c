#include "grading/builder/judged_objects.hpp"

#include <algorithm>
#include <string_view>

#include "common/dwarf/source_lines.hpp"

namespace tilewise::grading {
namespace {

/// Returns the first line of a source that has the word, 1 if none has it.
int line_with(const std::string& text, std::string_view word) {
  const std::size_t at = word.empty() ? text.npos : text.find(word);
  if (at == text.npos) return 1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

}  // namespace

std::string written(const std::string& symbol) {
  std::string name = demangled(symbol);
  name = name.substr(0, name.find_first_of("(<["));
  const std::size_t scope = name.rfind(':');
  return scope == name.npos ? name : name.substr(scope + 1);
}

Objects::Objects(const std::vector<CompiledSource>& sources) : sources_(sources) {
  for (const CompiledSource& source : sources) {
    objects_.push_back(read_object(source.object));
    lines_.emplace_back(source.object);
  }
}

std::optional<ObjectProblem> Objects::place(std::size_t object,
                                            const ObjectFile::Reference& reference,
                                            const std::string& message) {
  const dwarf::SourceLine found = lines_[object].find(reference.from, reference.offset);
  if (!dwarf::SourceLines::is_kernel_file(found.file)) return std::nullopt;
  return ObjectProblem{found.file, found.line, message};
}

bool Objects::may_stand(std::size_t object, const ObjectFile::Reference& reference) {
  const auto found = place(object, reference, "");
  if (!found) return false;
  const HostLines& lines = sources_[object].host_lines;
  if (lines.asking.contains(found->line)) return true;
  const std::string& name = objects_[object].symbols[reference.symbol].name;
  return lines.of_both.contains(found->line) && reference.is_call && !name.starts_with("__cxa_");
}

ObjectProblem Objects::place(std::size_t object, const std::string& symbol,
                             const std::string& message) const {
  return {sources_[object].name, line_with(sources_[object].text, written(symbol)), message};
}

}  // namespace tilewise::grading
