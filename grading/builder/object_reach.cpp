#include "grading/builder/object_reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <queue>
#include <string_view>
#include <utility>

#include "common/base/language.hpp"
#include "common/dwarf/source_lines.hpp"
#include "common/simt/device_functions.hpp"
#include "grading/builder/object_file.hpp"
#include "grading/builder/unseen_calls.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view launcher = "_ZN8tilewise4simt14launch_threadsI";
constexpr std::string_view launch = "_ZN8tilewise4simt8run_grid";

/// Whether a variable of a file has that name, in any namespace, class or function.
bool is_variable(const ObjectFile& object, const std::string& name) {
  const std::string mangled = fmt::format("{}{}", name.size(), name);
  return std::ranges::any_of(object.symbols, [&](const ObjectFile::Symbol& symbol) {
    if (symbol.is_function) return false;
    return symbol.name == name || symbol.name.find(mangled) != symbol.name.npos;
  });
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
  void judge_kernels(std::set<ObjectProblem>& problems) {
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
  void judge_unseen_calls(std::set<ObjectProblem>& problems) {
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
        problems.insert(is_in_kernel_file ? ObjectProblem{call.file, call.line, message}
                                          : objects_.place(i, written(call.callee), message));
      }
    }
  }

  /// Finds launches by another way than `<<<>>>`: the functions that they run would not count as
  /// kernels here.
  void judge_launches(std::set<ObjectProblem>& problems) {
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
  void explain(std::size_t kernel, std::set<ObjectProblem>& problems) {
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
               std::set<ObjectProblem>& problems) {
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

KernelReach judge_reach(Objects& objects, std::set<ObjectProblem>& problems) {
  Reach reach(objects);
  reach.judge_launches(problems);
  reach.judge_kernels(problems);
  reach.judge_unseen_calls(problems);
  return {reach.device_sections(), reach.host_functions()};
}

}  // namespace tilewise::grading
