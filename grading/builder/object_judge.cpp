#include "grading/builder/object_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/device_functions.hpp"
#include "grading/builder/object_file.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view launcher = "_ZN8tilewise4simt14launch_threadsI";
constexpr std::string_view launch = "_ZN8tilewise4simt8run_grid";

/// Symbols store section numbers from here on elsewhere; a kernel file has some hundred sections.
constexpr std::size_t most_sections = 0xff00;

struct Problem {
  std::string file;
  int line;
  std::string message;
  auto operator<=>(const Problem&) const = default;
};

std::string shown(const std::set<Problem>& problems) {
  std::string all;
  for (const auto& [file, line, message] : problems) {
    all += fmt::format("{}:{}: error: {}\n", file, line, message);
  }
  return all;
}

/// Returns the first line of a source that has the word, 1 if none has it.
int line_with(const std::string& text, std::string_view word) {
  const std::size_t at = word.empty() ? text.npos : text.find(word);
  if (at == text.npos) return 1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

/// Returns a symbol's name as a source has it: "strnlen" for "strnlen", "cout" for "std::cout", "f"
/// for "a::f(int)".
std::string written(const std::string& symbol) {
  std::string name = demangled(symbol);
  name = name.substr(0, name.find_first_of("(<["));
  const std::size_t scope = name.rfind(':');
  return scope == name.npos ? name : name.substr(scope + 1);
}

/// Whether a variable of a file has that name, in any namespace, class or function.
bool is_variable(const ObjectFile& object, const std::string& name) {
  const std::string mangled = fmt::format("{}{}", name.size(), name);
  return std::ranges::any_of(object.symbols, [&](const ObjectFile::Symbol& symbol) {
    if (symbol.is_function) return false;
    return symbol.name == name || symbol.name.find(mangled) != symbol.name.npos;
  });
}

class Objects {
 public:
  explicit Objects(const std::vector<CompiledSource>& sources) : sources_(sources) {
    for (const CompiledSource& source : sources) {
      objects_.push_back(read_object(source.object));
      lines_.emplace_back(source.object);
    }
  }

  const std::vector<CompiledSource>& sources() const { return sources_; }
  const std::vector<ObjectFile>& objects() const { return objects_; }
  const ObjectFile& operator[](std::size_t i) const { return objects_[i]; }

  /// Returns the place of a reference in a kernel file, if it is in one.
  std::optional<Problem> place(std::size_t object, const ObjectFile::Reference& reference,
                               const std::string& message) {
    const dwarf::SourceLine found = lines_[object].find(reference.from, reference.offset);
    if (!dwarf::SourceLines::is_kernel_file(found.file)) return std::nullopt;
    return Problem{found.file, found.line, message};
  }

  /// Whether nvcc accepts here a reference to something that no GPU has. It refuses exceptions and
  /// variables in code for a GPU, even if the code is for the host as well.
  bool may_stand(std::size_t object, const ObjectFile::Reference& reference) {
    const auto found = place(object, reference, "");
    if (!found) return false;
    const HostLines& lines = sources_[object].host_lines;
    if (lines.asking.contains(found->line)) return true;
    const std::string& name = objects_[object].symbols[reference.symbol].name;
    return lines.of_both.contains(found->line) && reference.is_call && !name.starts_with("__cxa_");
  }

  /// Returns the place where the source names a symbol.
  Problem place(std::size_t object, const std::string& symbol, const std::string& message) const {
    return {sources_[object].name, line_with(sources_[object].text, written(symbol)), message};
  }

 private:
  const std::vector<CompiledSource>& sources_;
  std::vector<ObjectFile> objects_;
  std::vector<ObjectLines> lines_;
};

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
                       std::set<Problem>& problems) {
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

/// The references among all functions and variables of a submission.
class Reach {
 public:
  explicit Reach(Objects& objects) : objects_(objects) {
    number_sections();
    define_names();
    for (std::size_t i = 0; i < objects.objects().size(); ++i) {
      for (const ObjectFile::Reference& reference : objects[i].references) add(i, reference);
    }
    spread();
    let_stand();
  }

  /// Finds kernels that reach something that no GPU has.
  void judge_kernels(std::set<Problem>& problems) {
    for (std::size_t node = 0; node < count_; ++node) {
      if (is_kernel_[node] && !is_clean_[node]) explain(node, problems);
    }
    if (!problems.empty() || let_stand_.empty()) return;
    // From here on calls of the accepted functions are checked at run time.
    is_clean_.assign(count_, true);
    for (const std::vector<Edge>& edges : out_) {
      for (const Edge& edge : edges) {
        if (edge.to == outside && !let_stand_.contains(name_of(edge))) {
          is_clean_[edge.from] = false;
        }
      }
    }
    spread();
  }

  std::vector<std::string> host_functions() const {
    return {host_functions_.begin(), host_functions_.end()};
  }

  /// Finds calls in kernels that load or store unseen.
  void judge_unseen_calls(std::set<Problem>& problems) {
    const std::vector<bool> is_reached = reached_by_kernels();
    for (std::size_t i = 0; i < objects_.objects().size(); ++i) {
      const CompiledSource& source = objects_.sources()[i];
      std::set<std::string> reached;
      for (const ObjectFile::Symbol& symbol : objects_[i].symbols) {
        if (symbol.section == ObjectFile::nowhere) continue;
        if (symbol.section >= objects_[i].sections.size()) continue;
        if (is_reached[node_of(i, symbol.section)]) reached.insert(symbol.name);
      }
      for (const UnseenCall& call : source.unseen_calls) {
        if (!reached.contains(call.function)) continue;
        if (!call.operand.empty() && !is_variable(objects_[i], call.operand)) continue;
        const bool is_in_kernel_file = dwarf::SourceLines::is_kernel_file(call.file);
        const bool is_atomic =
            call.callee.starts_with("__atomic_") || call.callee.starts_with("__sync_");
        const std::string message =
            call.callee.empty()
                ? tr("a local variable is used with an index that nothing bounds, as a larger type "
                     "than its own or as an array without elements; the simulator does not see "
                     "where "
                     "that leads: declare the variable as what it is used as, with its extents")
            : is_atomic ? tr("the simulator does not see what {} does here; write it with "
                             "CUDA's own, such as atomicAdd()",
                             call.callee)
                        : tr("the call of {} loads or stores a structure in memory, which "
                             "the simulator does not see; put a local variable between the "
                             "two: 'T value = *from; f(value);'",
                             call.callee);
        problems.insert(is_in_kernel_file ? Problem{call.file, call.line, message}
                                          : objects_.place(i, written(call.callee), message));
      }
    }
  }

  /// Finds launches by another way than `<<<>>>`: the functions that they run would not count as
  /// kernels here.
  void judge_launches(std::set<Problem>& problems) {
    for (const Edge& edge : launches_) {
      if (is_launcher_[edge.from]) continue;
      const std::string message =
          tr("run_grid() is the simulator's own; launch with <<<grid, block>>>");
      problems.insert(objects_.place(edge.object, *edge.reference, message)
                          .value_or(objects_.place(edge.object, "run_grid", message)));
    }
  }

  std::vector<std::vector<std::string>> device_sections() const {
    std::vector<std::vector<std::string>> sections(objects_.objects().size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const auto& all = objects_[i].sections;
      for (std::size_t section = 1; section < all.size(); ++section) {
        if (all[section].is_code && is_clean_[node_of(i, section)]) {
          sections[i].push_back(all[section].name);
        }
      }
    }
    return sections;
  }

 private:
  static constexpr std::size_t outside = ~std::size_t{0};

  struct Edge {
    std::size_t from, to;  ///< nodes; `to` may be `outside`
    std::size_t object;
    const ObjectFile::Reference* reference;
    bool may_stand = false;
  };

  std::size_t node_of(std::size_t object, std::size_t section) const {
    return first_node_[object] + section;
  }

  void number_sections() {
    for (const ObjectFile& object : objects_.objects()) {
      first_node_.push_back(count_);
      count_ += object.sections.size();
    }
    is_kernel_.resize(count_);
    is_launcher_.resize(count_);
    is_clean_.assign(count_, true);
    out_.resize(count_);
    in_.resize(count_);
  }

  void define_names() {
    for (std::size_t i = 0; i < objects_.objects().size(); ++i) {
      const std::size_t sections = objects_[i].sections.size();
      for (const ObjectFile::Symbol& symbol : objects_[i].symbols) {
        if (symbol.section == ObjectFile::nowhere || symbol.section >= sections) continue;
        const std::size_t node = node_of(i, symbol.section);
        if (symbol.name.starts_with(kernel_entry)) is_kernel_[node] = true;
        if (symbol.name.starts_with(launcher)) is_launcher_[node] = true;
        if (!symbol.is_local) definitions_.emplace(symbol.name, node);
      }
    }
  }

  void add(std::size_t object, const ObjectFile::Reference& reference) {
    const ObjectFile& file = objects_[object];
    if (reference.symbol >= file.symbols.size()) return;
    const ObjectFile::Symbol& symbol = file.symbols[reference.symbol];
    Edge edge{node_of(object, reference.from), outside, object, &reference};
    if (symbol.name.starts_with(launch)) launches_.push_back(edge);
    if (symbol.is_undefined()) {
      const auto definition = definitions_.find(symbol.name);
      if (definition != definitions_.end()) {
        edge.to = definition->second;
      } else if (simt::is_device_function(symbol.name)) {
        return;
      }
    } else if (symbol.section < file.sections.size()) {
      // The rewriter turns shared variables outside of functions into thread_local references.
      const ObjectFile::Section& section = file.sections[symbol.section];
      const bool is_storage = section.is_of_a_thread && section.bytes > sizeof(void*);
      if (!is_storage) edge.to = node_of(object, symbol.section);
    } else {
      return;
    }
    if (edge.to == outside) is_clean_[edge.from] = false;
    out_[edge.from].push_back(edge);
    if (edge.to != outside) in_[edge.to].push_back(edge.from);
  }

  std::vector<bool> reached_by_kernels() const {
    std::vector<bool> is_reached = is_kernel_;
    std::queue<std::size_t> next;
    for (std::size_t node = 0; node < count_; ++node) {
      if (is_kernel_[node]) next.push(node);
    }
    for (; !next.empty(); next.pop()) {
      for (const Edge& edge : out_[next.front()]) {
        if (edge.to == outside || is_reached[edge.to]) continue;
        is_reached[edge.to] = true;
        next.push(edge.to);
      }
    }
    return is_reached;
  }

  const std::string& name_of(const Edge& edge) const {
    return objects_[edge.object].symbols[edge.reference->symbol].name;
  }

  /// Finds the references out of kernels that nvcc accepts, and the functions they lead to.
  void let_stand() {
#if defined(__x86_64__)
    const std::vector<bool> is_reached = reached_by_kernels();
    std::queue<std::size_t> next;
    std::vector<bool> is_behind(count_);
    const auto pass = [&](const Edge& edge) {
      if (edge.to == outside) {
        let_stand_.insert(name_of(edge));
        // Variables do not count, nor calls by pointers, which are checked anyway.
        if (edge.reference->is_call) host_functions_.insert(name_of(edge));
      } else if (!is_clean_[edge.to] && !is_behind[edge.to]) {
        is_behind[edge.to] = true;
        next.push(edge.to);
      }
    };
    for (std::size_t node = 0; node < count_; ++node) {
      if (!is_reached[node]) continue;
      for (Edge& edge : out_[node]) {
        const bool leads_out = edge.to == outside || !is_clean_[edge.to];
        const bool is_in_a_thread = edge.to == outside && !is_undefined(edge);
        if (!leads_out || is_in_a_thread || !objects_.may_stand(edge.object, *edge.reference))
          continue;
        edge.may_stand = true;
        pass(edge);
      }
    }
    for (; !next.empty(); next.pop()) {
      for (const Edge& edge : out_[next.front()]) pass(edge);
    }
#endif
  }

  bool is_undefined(const Edge& edge) const {
    return objects_[edge.object].symbols[edge.reference->symbol].is_undefined();
  }

  /// Marks everything that reaches something no GPU has: this is not device code either.
  void spread() {
    std::queue<std::size_t> next;
    for (std::size_t node = 0; node < count_; ++node) {
      if (!is_clean_[node]) next.push(node);
    }
    for (; !next.empty(); next.pop()) {
      for (const std::size_t caller : in_[next.front()]) {
        if (is_clean_[caller]) {
          is_clean_[caller] = false;
          next.push(caller);
        }
      }
    }
  }

  /// Follows the kernel's references to everything that no GPU has.
  void explain(std::size_t kernel, std::set<Problem>& problems) {
    std::map<std::size_t, const Edge*> way = {{kernel, nullptr}};
    std::queue<std::size_t> next({kernel});
    for (; !next.empty(); next.pop()) {
      for (const Edge& edge : out_[next.front()]) {
        if (edge.may_stand) continue;
        if (edge.to == outside) {
          explain(edge, way, problems);
        } else if (!is_clean_[edge.to] && way.emplace(edge.to, &edge).second) {
          next.push(edge.to);
        }
      }
    }
  }

  /// Names the innermost line of the student's that leads there.
  void explain(const Edge& found, const std::map<std::size_t, const Edge*>& way,
               std::set<Problem>& problems) {
    const std::string& symbol = name_of(found);
    const std::string message =
        !is_undefined(found) ? tr("a kernel uses a thread_local variable, which no GPU has and "
                                  "nvcc refuses; use a local one, or __shared__")
                             : tr("a kernel calls {}, a host function, which no GPU has "
                                  "and nvcc refuses; write it as a "
                                  "__device__ function of your own, or call it on the host",
                                  demangled(symbol));
    for (const Edge* edge = &found; edge != nullptr; edge = way.at(edge->from)) {
      if (auto place = objects_.place(edge->object, *edge->reference, message)) {
        problems.insert(std::move(*place));
        return;
      }
    }
    problems.insert(objects_.place(found.object, symbol, message));
  }

  Objects& objects_;
  std::size_t count_ = 0;
  std::vector<std::size_t> first_node_;  ///< indexed by object
  std::vector<bool> is_kernel_, is_launcher_, is_clean_;
  std::map<std::string, std::size_t> definitions_;
  std::vector<std::vector<Edge>> out_;
  std::vector<std::vector<std::size_t>> in_;
  std::vector<Edge> launches_;
  std::set<std::string> let_stand_;       ///< the names that kernels reach where nvcc accepts them
  std::set<std::string> host_functions_;  ///< those of them that are called
};

}  // namespace

ObjectVerdict judge_simulator_objects(const std::vector<CompiledSource>& sources,
                                      const std::filesystem::path& library) {
  Objects objects(sources);
  std::set<Problem> problems;
  const std::vector<std::string> names = exported_names(library);
  judge_definitions(objects, {names.begin(), names.end()}, problems);
  if (!problems.empty()) return {shown(problems), {}, {}};
  Reach reach(objects);
  reach.judge_launches(problems);
  reach.judge_kernels(problems);
  reach.judge_unseen_calls(problems);
  return {shown(problems), reach.device_sections(), reach.host_functions()};
}

std::string judge_cuda_objects(const std::vector<CompiledSource>& sources) {
  Objects objects(sources);
  std::set<Problem> problems;
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
