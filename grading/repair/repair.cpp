#include "grading/repair/repair.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <fstream>
#include <memory>
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

/// Runs calls of one module in workers, one after another. Threads have one each.
class Runner {
 public:
  Runner(fs::path module, const RepairRequest& request, double endless_s)
      : module_(std::move(module)),
        request_(request),
        calls_(calls_to_try(request)),
        endless_s_(endless_s) {}

  /// Whether all calls come right in a variant, and no check finds a fault.
  bool all_right(std::int32_t variant) {
    return std::ranges::all_of(calls_, [&](const Posed& each) {
      return comes_right(each, variant, simt::ThreadOrder::forward);
    });
  }

  /// Seconds that the longest of the calls takes as the source is, of those that return.
  double longest_s() {
    std::chrono::duration<double> longest{};
    for (const Posed& each : calls_) {
      const auto begin = std::chrono::steady_clock::now();
      comes_right(each, 0, simt::ThreadOrder::forward);
      const auto end = std::chrono::steady_clock::now();
      if (worker_) longest = std::max<std::chrono::duration<double>>(longest, end - begin);
    }
    return longest.count();
  }

 private:
  bool comes_right(const Posed& posed, std::int32_t variant, simt::ThreadOrder order) {
    if (!worker_) start();
    const std::vector<Argument> arguments = posed.workload->place(posed.call, worker_->memory());
    worker_->choose_variant(variant);
    const CallReply reply = worker_->call(posed.call.function, arguments, std::nullopt,
                                          simt::Watch{.checks = true, .order = order, .seed = 1},
                                          {}, endless_s_ / loading_s);
    if (reply.ending != CallReply::Ending::returned) {
      worker_.reset();
      return false;
    }
    return reply.cuda_status == 0 && reply.findings.empty() &&
           posed.workload->is_right(arguments, worker_->memory(), false).value_or(false);
  }

  static constexpr double loading_s = 10;

  void start() {
    worker_.emplace(WorkerOptions{.executable = tool("tilewise-worker-simt"),
                                  .sandbox = Sandbox{request_.bubblewrap},
                                  .module = module_,
                                  .profile = request_.gpu,
                                  .time_limit_s = loading_s,
                                  .shared_bytes = bytes_for(calls_),
                                  .address_space_bytes = simulator_address_space_bytes()});
  }

  fs::path module_;
  const RepairRequest& request_;
  std::vector<Posed> calls_;
  double endless_s_;
  std::optional<Worker> worker_;
};

/// One of a stage's sources and what there is to try in it.
struct VariedFile {
  std::string name;
  std::string text;
  std::unique_ptr<SourceText> source;
  std::vector<Variant> variants;  ///< in the order of their places
};

/// How far a variant is from what stands there; what changes a line that findings name is nearer.
int distance(const Variant& variant, const RepairRequest& request) {
  const bool is_named = std::ranges::find(request.lines, variant.line) != request.lines.end();
  const bool is_expected = request.is_of_barriers && variant.is_of_barrier;
  return (is_expected ? 1 : 2 * variant.cost) + (is_named ? 0 : 3);
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
    std::ranges::stable_sort(file.variants, {}, [](const Variant& variant) {
      return std::pair(variant.changes.size(), variant.changes.front().words.first);
    });
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

/// Compiles all variants as one module. What does not compile is taken out, line by line.
fs::path build_variants(const RepairRequest& request, VariedFile& file) {
  constexpr int most_attempts = 4;
  for (int i = 0; i < most_attempts; ++i) {
    const fs::path folder =
        folder_with(request, "varied", file, varied(*file.source, file.text, file.variants));
    BuildRequest build{request.stage.id, folder, Backend::simt, request.scratch / "varied",
                       Flavour::checked};
    build.bubblewrap = request.bubblewrap;
    build.varied = true;
    const BuildResult built = build_module(build);
    if (built.ok) return built.module;
    std::set<int> lines = lines_in(built.output, file.name);
    lines.insert(built.finding.line);
    const std::size_t before = file.variants.size();
    std::erase_if(file.variants, [&](const Variant& variant) {
      return std::ranges::any_of(variant.changes, [&](const Change& change) {
        const auto& code = file.source->outline.code();
        return lines.contains(code[change.words.first].line);
      });
    });
    if (file.variants.size() == before) return {};
  }
  return {};
}

/// Tries variants on all processors.
class Searchers {
 public:
  /// After so many it is looked at what was found, and at the clock.
  static constexpr std::size_t portion = 32;

  Searchers(const fs::path& module, const RepairRequest& request) {
    constexpr unsigned most = 8;  // each has a process and matrices of its own
    const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, most);
    // Calls take milliseconds. One that takes long takes as long in most variants.
    constexpr double shortest_s = 0.25, most_s = 2, times_as_long = 4;
    const double own_s = Runner(module, request, most_s / times_as_long).longest_s();
    const double endless_s = std::max(shortest_s, times_as_long * own_s);
    for (unsigned i = 0; i < count; ++i) runners_.emplace_back(module, request, endless_s);
  }

  bool all_right(std::int32_t variant) { return runners_.front().all_right(variant); }

  /// Of these variants, counted from 0, those in which all calls come right, in their order.
  std::vector<std::size_t> right_ones(std::span<const std::size_t> variants) {
    std::atomic<std::size_t> next = 0;
    std::vector<char> is_right(variants.size());
    std::vector<std::exception_ptr> errors(runners_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t k = 0; k < runners_.size(); ++k) {
        threads.emplace_back([&, k] {
          try {
            for (std::size_t i = next++; i < variants.size(); i = next++) {
              is_right[i] = runners_[k].all_right(static_cast<std::int32_t>(variants[i] + 1));
            }
          } catch (...) {
            errors[k] = std::current_exception();
          }
        });
      }
    }
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (is_right[i]) found.push_back(variants[i]);
    }
    return found;
  }

 private:
  std::deque<Runner> runners_;
};

}  // namespace

std::optional<std::string> find_repair(const RepairRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Posed> calls = calls_to_try(request);
  if (calls.empty()) return std::nullopt;
  std::set<std::string, std::less<>> wrong;
  for (const Posed& each : calls) wrong.insert(each.call.function);
  auto file = file_with(request, calls.front().call.function, wrong);
  if (!file || file->variants.empty()) return std::nullopt;
  const fs::path module = build_variants(request, *file);
  if (module.empty()) return std::nullopt;

  Searchers searchers(module, request);
  if (searchers.all_right(0)) return std::nullopt;
  std::vector<std::size_t> order(file->variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return distance(file->variants[i], request); });
  constexpr int most_confirmations = 4;  // take a second or two each
  int confirmations = 0;
  for (std::size_t i = 0; i < order.size(); i += Searchers::portion) {
    const std::size_t count = std::min(Searchers::portion, order.size() - i);
    for (const std::size_t right : searchers.right_ones(std::span(order).subspan(i, count))) {
      const Variant& found = file->variants[right];
      const std::string text = with_edits(*file->source, file->text, found);
      if (request.confirm(folder_with(request, "mended", *file, text))) return found.words;
      if (++confirmations == most_confirmations) return std::nullopt;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (taken.count() > request.time_limit_s) break;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
