#include "grading/builder/object_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/language.hpp"
#include "grading/builder/judged_objects.hpp"
#include "grading/builder/object_file.hpp"
#include "grading/builder/object_reach.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

/// Symbols store section numbers from here on elsewhere; a kernel file has some hundred sections.
constexpr std::size_t most_sections = 0xff00;

std::string shown(const std::set<ObjectProblem>& problems) {
  std::string all;
  for (const auto& [file, line, message] : problems) {
    all += fmt::format("{}:{}: error: {}\n", file, line, message);
  }
  return all;
}

bool starts_with_one_of(std::string_view name, const auto& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Whether a name is one by which compiler, linker and simulator know functions of ours.
bool is_reserved(std::string_view name) {
  static constexpr auto prefixes = std::to_array<std::string_view>(
      {"__tsan_", "__ubsan_", "__asan_", "__sanitizer_", "__wrap_", "__real_",
       "__x86_indirect_thunk", "__x86_return_thunk", "__fentry__", "__llvm_retpoline",
       "__start_tilewise", "__stop_tilewise", "tilewise_bindings", "tilewise_simt_"});
  return starts_with_one_of(name, prefixes);
}

/// Whether a section is one that a compiler makes by itself of C++ or CUDA. Code may be in one
/// place only, so that nothing runs before the program, or beside it.
bool is_usual(const ObjectFile::Section& section) {
  const std::string_view name = section.name;
  if (section.is_code) {
    return !section.is_writable && (name == ".text" || name.starts_with(".text."));
  }
  static constexpr auto prefixes = std::to_array<std::string_view>(
      {".data", ".bss", ".rodata", ".tdata", ".tbss", ".lrodata", ".ldata", ".lbss", ".init_array",
       ".fini_array", ".ctors", ".dtors", ".eh_frame", ".gcc_except_table", ".note", ".nv", "__nv_",
       "__patchable_function_entries"});
  return !section.is_loaded || starts_with_one_of(name, prefixes);
}

void judge_definitions(Objects& objects, const std::set<std::string>& taken,
                       std::set<ObjectProblem>& problems) {
  for (std::size_t i = 0; i < objects.objects().size(); ++i) {
    const ObjectFile& object = objects[i];
    if (object.sections.size() >= most_sections) {
      problems.insert(objects.place(i, "", tr("more functions than fit into one file")));
    }
    for (const ObjectFile::Section& section : object.sections) {
      if (is_usual(section)) continue;
      problems.insert(objects.place(
          i, section.name,
          tr("the section '{}' is none of the compiler's own; leave such attributes out",
             section.name)));
    }
    for (const ObjectFile::Symbol& symbol : object.symbols) {
      const std::string name = written(symbol.name);
      if (symbol.is_indirect) {
        problems.insert(objects.place(
            i, symbol.name,
            tr("'{}' is chosen while the program is loaded; define a plain function", name)));
      }
      if (symbol.name.empty() || (symbol.is_local && !is_reserved(symbol.name))) continue;
      const bool is_ours =
          is_reserved(symbol.name) || (!symbol.is_undefined() && taken.contains(symbol.name));
      // Instrumented code may call the hooks, but a submission may not define them.
      const bool is_called = symbol.is_undefined() && !symbol.name.starts_with("__wrap_") &&
                             !symbol.name.starts_with("__real_");
      if (!is_ours || is_called) continue;
      problems.insert(objects.place(
          i, symbol.name,
          is_reserved(symbol.name)
              ? tr("'{}' hides from the simulator what a kernel does; leave it out", name)
              : tr("'{}' is defined by the simulator; choose another name", name)));
    }
    for (const ObjectFile::Reference& reference : object.references) {
      if (!reference.is_indirect) continue;
      problems.insert(
          objects.place(i, "", tr("an address that is chosen while the program is loaded")));
    }
  }
}

}  // namespace

ObjectVerdict judge_simulator_objects(const std::vector<CompiledSource>& sources,
                                      const std::filesystem::path& library) {
  Objects objects(sources);
  std::set<ObjectProblem> problems;
  const std::vector<std::string> names = exported_names(library);
  judge_definitions(objects, {names.begin(), names.end()}, problems);
  if (!problems.empty()) return {shown(problems), {}, {}};
  KernelReach reach = judge_reach(objects, problems);
  return {shown(problems), std::move(reach.device_sections), std::move(reach.host_functions)};
}

std::string judge_cuda_objects(const std::vector<CompiledSource>& sources) {
  Objects objects(sources);
  std::set<ObjectProblem> problems;
  judge_definitions(objects, {}, problems);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::map<std::size_t, std::string> refused;  // messages by symbol
    const ObjectFile& object = objects[i];
    for (std::size_t symbol = 0; symbol < object.symbols.size(); ++symbol) {
      if (!object.symbols[symbol].is_undefined()) continue;
      const std::string message = why_refused(object.symbols[symbol].name);
      if (!message.empty()) refused.emplace(symbol, message);
    }
    for (const ObjectFile::Reference& reference : object.references) {
      const auto found = refused.find(reference.symbol);
      if (found == refused.end()) continue;
      const std::string& name = object.symbols[reference.symbol].name;
      const std::string word = name == "__cudaRegisterManagedVar" ? "__managed__" : name;
      problems.insert(objects.place(i, reference, found->second)
                          .value_or(objects.place(i, word, found->second)));
    }
  }
  return shown(problems);
}

}  // namespace tilewise::grading
