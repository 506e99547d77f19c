#include "grading/repair/repair.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <variant>

#include "common/base/files.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/problem/inputs.hpp"
#include "grading/problem/problem.hpp"
#include "grading/problem/reference.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/repair/small_call.hpp"
#include "grading/repair/variant.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Call and problem, posed: what a variant has to come right in.
struct Posed {
  NamedCall call;
  std::unique_ptr<Workload> workload;
  std::size_t bytes = 0;
};

/// Operations, or bytes, that a call may have at most: it runs hundreds of times.
constexpr double most_operations = 1e6;

std::optional<Posed> posed(const StageInfo& stage, const std::string& text) {
  try {
    auto call = small_call(text, contracts_of(stage.id), most_operations);
    if (!call) return std::nullopt;
    const Problem& problem = problem_of(layout().root, stage.id, call->function);
    if (&problem == &problem_called("")) return std::nullopt;
    const std::size_t bytes = bytes_in_memory(*call);
    auto workload = problem.pose(*call, InputChoice{}, {});
    return Posed{std::move(*call), std::move(workload), bytes};
  } catch (const std::exception&) {
    return std::nullopt;  // sizes that the contract refuses
  }
}

std::size_t bytes_for(const std::vector<Posed>& calls) {
  std::size_t bytes = 0;
  for (const Posed& each : calls) bytes = std::max(bytes, each.bytes);
  return bytes;
}

/// The calls that went wrong, the smallest first.
std::vector<Posed> calls_to_try(const RepairRequest& request) {
  constexpr std::size_t most_calls = 6;
  std::vector<Posed> calls;
  std::set<std::string> seen;
  for (const std::string& text : request.calls) {
    if (calls.size() == most_calls || !seen.insert(text).second) continue;
    if (auto found = posed(request.stage, text)) calls.push_back(std::move(*found));
  }
  std::ranges::sort(calls, {},
                    [](const Posed& each) { return each.call.operations + double(each.bytes); });
  return calls;
}

/// Calls of all that the stage's functions may be told, on small matrices: what mends one of them
/// and breaks another is no change to confirm.
std::vector<Posed> calls_of_all(const StageInfo& stage) {
  constexpr int n = 19;  // no tile divides it
  std::vector<Posed> calls;
  const auto cases = load_bench_cases(layout().root);
  const auto of_stage = cases.find(stage.id);
  if (of_stage == cases.end()) return calls;
  for (const BenchCase& each : of_stage->second.cases) {
    if (auto found = posed(stage, each.call(n))) calls.push_back(std::move(*found));
  }
  return calls;
}

/// Runs calls of one module in workers, one after another. Threads have one each.
class Runner {
 public:
  Runner(fs::path module, const RepairRequest& request, double endless_s)
      : module_(std::move(module)),
        request_(request),
        calls_(calls_to_try(request)),
        calls_of_all_(calls_of_all(request.stage)),
        endless_s_(endless_s) {}

  /// Whether all calls come right in a variant, and no check finds a fault.
  bool all_right(std::int32_t variant) {
    return std::ranges::all_of(calls_,
                               [&](const Posed& each) { return comes_right(each, variant); }) &&
           std::ranges::all_of(calls_of_all_, [&](const Posed& each) {
             return comes_right(each, variant, Refusal::is_right);
           });
  }

  /// Seconds that the longest of the calls takes as the source is, of those that return.
  double longest_s() {
    std::chrono::duration<double> longest{};
    for (const auto* calls : {&calls_, &calls_of_all_}) {
      for (const Posed& each : *calls) {
        const auto begin = std::chrono::steady_clock::now();
        comes_right(each, 0);
        const auto end = std::chrono::steady_clock::now();
        if (worker_) longest = std::max<std::chrono::duration<double>>(longest, end - begin);
      }
    }
    return longest.count();
  }

 private:
  /// Of a call that the contract may not allow: nobody knows which those are.
  enum class Refusal { is_wrong, is_right };

  bool comes_right(const Posed& posed, std::int32_t variant, Refusal refusal = Refusal::is_wrong) {
    if (!worker_) start();
    const std::vector<Argument> arguments = posed.workload->place(posed.call, worker_->memory());
    worker_->choose_variant(variant);
    const CallReply reply =
        worker_->call(posed.call.function, arguments, std::nullopt,
                      simt::Watch{.checks = true, .seed = 1}, {}, endless_s_ / loading_s);
    if (reply.ending != CallReply::Ending::returned) {
      worker_.reset();
      return false;
    }
    if (reply.cuda_status != 0) return refusal == Refusal::is_right;
    return reply.findings.empty() &&
           posed.workload->is_right(arguments, worker_->memory(), false).value_or(false);
  }

  static constexpr double loading_s = 10;

  void start() {
    worker_.emplace(
        WorkerOptions{.executable = tool("tilewise-worker-simt"),
                      .sandbox = Sandbox{request_.bubblewrap},
                      .module = module_,
                      .profile = request_.gpu,
                      .time_limit_s = loading_s,
                      .shared_bytes = std::max(bytes_for(calls_), bytes_for(calls_of_all_)),
                      .address_space_bytes = simulator_address_space_bytes()});
  }

  fs::path module_;
  const RepairRequest& request_;
  std::vector<Posed> calls_, calls_of_all_;
  double endless_s_;
  std::optional<Worker> worker_;
};

/// One of a stage's sources and what there is to try in it.
struct VariedFile {
  std::string name;
  std::string text;
  std::unique_ptr<SourceText> source;
  std::vector<Variant> variants;  ///< the nearest first
};

/// How far a variant is from what stands there. What changes a line that findings name is nearer. A
/// barrier outside of loops comes before those inside, which make threads wait in every turn.
int distance(const Variant& variant, const RepairRequest& request) {
  if (variant.takes_one_path) return 0;  // what changes its condition is judged by it
  const bool is_named = std::ranges::find(request.lines, variant.line) != request.lines.end();
  const bool is_expected = request.is_of_barriers && variant.is_of_barrier;
  return (is_expected ? 1 + 4 * variant.loops : 2 * variant.cost) + (is_named ? 0 : 3);
}

/// The source that defines a function, with what there is to try in the functions that went wrong,
/// the nearest first.
std::optional<VariedFile> file_with(const RepairRequest& request, const std::string& function,
                                    const std::set<std::string, std::less<>>& wrong) {
  constexpr std::size_t most_variants = 4000;  // compile in twenty seconds or so
  for (const std::string& name : request.stage.sources) {
    VariedFile file{name, core::text_of(request.source_directory / name), nullptr, {}};
    file.source = std::make_unique<SourceText>(file.text);
    const auto& functions = file.source->functions;
    if (std::ranges::find(functions, function, &WrittenFunction::name) == functions.end()) continue;
    file.variants = variants_of(*file.source, file.text, wrong);
    std::ranges::stable_sort(file.variants, {},
                             [&](const Variant& variant) { return distance(variant, request); });
    if (file.variants.size() > most_variants) file.variants.resize(most_variants);
    return file;
  }
  return std::nullopt;
}

/// Lines of the source that a compiler's message names.
std::set<int> lines_in(const std::string& text, const std::string& file) {
  std::set<int> lines;
  for (std::size_t at = text.find(file + ":"); at != text.npos;
       at = text.find(file + ":", at + 1)) {
    lines.insert(std::atoi(text.c_str() + at + file.size() + 1));
  }
  return lines;
}

/// A folder of the stage's sources, one of them changed.
fs::path folder_with(const RepairRequest& request, const char* name, const VariedFile& file,
                     const std::string& text) {
  const fs::path folder = request.scratch / name / "labs" / request.stage.id;
  fs::create_directories(folder);
  for (const std::string& source : request.stage.sources) {
    fs::copy_file(request.source_directory / source, folder / source,
                  fs::copy_options::overwrite_existing);
  }
  std::ofstream(folder / file.name, std::ios::binary) << text << std::flush;
  return folder;
}

/// Compiles variants as one module. What does not compile is taken out, line by line.
fs::path build_variants(const RepairRequest& request, const VariedFile& file,
                        std::vector<Variant>& variants) {
  constexpr int most_attempts = 4;
  for (int i = 0; i < most_attempts; ++i) {
    const fs::path folder =
        folder_with(request, "varied", file, varied(*file.source, file.text, variants));
    BuildRequest build{request.stage.id, folder, Backend::simt, request.scratch / "varied",
                       Flavour::checked};
    build.bubblewrap = request.bubblewrap;
    build.varied = true;
    const BuildResult built = build_module(build);
    if (built.ok) return built.module;
    std::set<int> lines = lines_in(built.output, file.name);
    lines.insert(built.finding.line);
    const std::size_t before = variants.size();
    std::erase_if(variants, [&](const Variant& variant) {
      return std::ranges::any_of(variant.changes, [&](const Change& change) {
        const auto& code = file.source->outline.code();
        return lines.contains(code[change.words.first].line);
      });
    });
    if (variants.size() == before) return {};
  }
  return {};
}

/// Tries variants on all processors, in a given order, until it is destroyed.
class Search {
 public:
  /// @param order of the variants, counted from 0
  Search(const fs::path& module, const RepairRequest& request, std::vector<std::size_t> order)
      : order_(std::move(order)), states_(order_.size()) {
    // Calls take milliseconds. One that takes long takes as long in most variants.
    constexpr double shortest_s = 0.25, most_s = 2, times_as_long = 4;
    Runner own(module, request, most_s / times_as_long);
    const double endless_s = std::max(shortest_s, times_as_long * own.longest_s());
    if (own.all_right(0)) return;
    goes_wrong_ = true;
    constexpr unsigned most = 8;  // each has a process and matrices of its own
    const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, most);
    // Threads live as long as the search: a worker ends with the thread that has started it.
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this, runner = std::make_shared<Runner>(module, request, endless_s)] {
        try_all(*runner);
      });
    }
  }
  ~Search() { is_over_ = true; }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Whether one of the calls goes wrong in the source as it is.
  bool goes_wrong() const { return goes_wrong_; }

  /// Waits until the variant at this place of the order has been tried.
  /// @return whether all calls come right in it
  bool is_right(std::size_t i) {
    states_[i].wait(State::open);
    if (states_[i] == State::failed) std::rethrow_exception(error_);
    return states_[i] == State::right;
  }

 private:
  enum class State { open, wrong, right, failed };

  void try_all(Runner& runner) {
    for (std::size_t i = next_++; i < order_.size() && !is_over_; i = next_++) {
      State state = State::wrong;
      try {
        if (runner.all_right(static_cast<std::int32_t>(order_[i] + 1))) state = State::right;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();  // is_right() reads it without the lock
        state = State::failed;
      }
      states_[i] = state;
      states_[i].notify_all();
    }
  }

  ReferencesWithoutThreads without_threads_;
  std::vector<std::size_t> order_;
  std::vector<std::atomic<State>> states_;  ///< by place in the order
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_over_ = false;
  bool goes_wrong_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

/// Looks for what mends a file, portion by portion of its variants.
class Hunt {
 public:
  Hunt(const RepairRequest& request, const VariedFile& file) : request_(request), file_(file) {}

  /// @return what was confirmed of some variants, in words
  std::optional<std::string> look_among(std::vector<Variant> variants) {
    std::ranges::stable_sort(variants, {}, [](const Variant& variant) {
      return std::pair(variant.changes.size(), variant.changes.front().words.first);
    });
    const fs::path module = build_variants(request_, file_, variants);
    if (module.empty()) return std::nullopt;
    std::vector<std::size_t> order(variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return distance(variants[i], request_); });
    Search search(module, request_, order);
    is_over_ = !search.goes_wrong();
    for (std::size_t i = 0; i < order.size() && !is_over(); ++i) {
      const Variant& found = variants[order[i]];
      const bool does_nothing_more = found.condition != 0 && is_decided_by(found.condition);
      if ((does_nothing_more && !found.takes_one_path) || !search.is_right(i)) continue;
      if (found.takes_one_path) {
        paths_.push_back(found);
        continue;
      }
      if (confirms(found)) return found.words;
      is_over_ = confirmations_ >= most_confirmations;
    }
    return std::nullopt;
  }

  /// A path without which all comes right.
  std::optional<std::string> path_at_fault() {
    for (const Variant& path : paths_) {
      if (confirmations_ >= most_confirmations) break;
      if (confirms(path)) return path.words;
    }
    return std::nullopt;
  }

  /// Whether it is time to give up.
  bool is_over() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    return is_over_ || taken.count() > request_.time_limit_s;
  }

 private:
  static constexpr int most_confirmations = 4;  // take seconds each

  bool confirms(const Variant& found) {
    ++confirmations_;
    const std::string text = with_edits(*file_.source, file_.text, found);
    return request_.confirm(folder_with(request_, "mended", file_, text));
  }

  /// Whether it is enough that a condition always holds, or never.
  bool is_decided_by(std::size_t condition) const {
    return std::ranges::find(paths_, condition, &Variant::condition) != paths_.end();
  }

  const RepairRequest& request_;
  const VariedFile& file_;
  std::vector<Variant> paths_;  ///< that come right where one of two is always taken
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int confirmations_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::optional<Repair> find_repair(const RepairRequest& request) {
  const std::vector<Posed> calls = calls_to_try(request);
  if (calls.empty()) return std::nullopt;
  std::set<std::string, std::less<>> wrong;
  for (const Posed& each : calls) wrong.insert(each.call.function);
  const auto file = file_with(request, calls.front().call.function, wrong);
  if (!file) return std::nullopt;
  // A source of many templates compiles for a minute with all: the nearest are tried before.
  constexpr std::size_t nearest = 400;
  Hunt hunt(request, *file);
  const std::span all(file->variants);
  for (const auto part :
       {all.first(std::min(nearest, all.size())), all.subspan(std::min(nearest, all.size()))}) {
    if (part.empty() || hunt.is_over()) continue;
    if (const auto found = hunt.look_among({part.begin(), part.end()})) return Repair{*found};
  }
  if (const auto path = hunt.path_at_fault()) return Repair{*path, true};
  return std::nullopt;
}

}  // namespace tilewise::grading
