#include "grading/repair/repair.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <set>
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

/// Multiply-adds, or elements, that a call may have at most: it runs hundreds of times.
constexpr double most_operations = 1e6;

std::optional<Posed> posed(const StageInfo& stage, const std::string& text) {
  try {
    NamedCall call = read_call(text, contracts_of(stage.id));
    const Problem& problem = problem_of(layout().root, stage.id, call.function);
    if (&problem == &problem_called("")) return std::nullopt;
    const std::size_t bytes = bytes_in_memory(call);
    if (call.operations > most_operations || double(bytes) > most_operations) return std::nullopt;
    auto workload = problem.pose(call, InputChoice{}, {});
    return Posed{std::move(call), std::move(workload), bytes};
  } catch (const std::exception&) {
    return std::nullopt;  // sizes that the contract refuses
  }
}

/// Runs calls of one module in workers, one after another.
class Runner {
 public:
  Runner(fs::path module, const RepairRequest& request, std::size_t bytes)
      : module_(std::move(module)), request_(request), bytes_(bytes) {}

  /// Whether a call comes right in a variant, and no check finds a fault.
  bool comes_right(const Posed& posed, std::int32_t variant, simt::ThreadOrder order) {
    if (!worker_) start();
    const std::vector<Argument> arguments = posed.workload->place(posed.call, worker_->memory());
    worker_->choose_variant(variant);
    const CallReply reply = worker_->call(posed.call.function, arguments, std::nullopt,
                                          simt::Watch{.checks = true, .order = order, .seed = 1});
    if (reply.ending != CallReply::Ending::returned) {
      worker_.reset();
      return false;
    }
    return reply.cuda_status == 0 && reply.findings.empty() &&
           posed.workload->is_right(arguments, worker_->memory(), false).value_or(false);
  }

 private:
  void start() {
    constexpr double endless_s = 0.25;  // a call takes milliseconds
    worker_.emplace(WorkerOptions{.executable = tool("tilewise-worker-simt"),
                                  .sandbox = Sandbox{request_.bubblewrap},
                                  .module = module_,
                                  .profile = request_.gpu,
                                  .time_limit_s = endless_s,
                                  .shared_bytes = bytes_,
                                  .address_space_bytes = simulator_address_space_bytes()});
  }

  fs::path module_;
  const RepairRequest& request_;
  std::size_t bytes_;
  std::optional<Worker> worker_;
};

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

/// One of a stage's sources and what there is to try in it.
struct VariedFile {
  std::string name;
  std::string text;
  std::unique_ptr<SourceText> source;
  std::vector<Variant> variants;
};

/// How far a variant is from what stands there; what changes a line that findings name is nearer.
int distance(const Variant& variant, const RepairRequest& request) {
  const bool is_named = std::ranges::find(request.lines, variant.line) != request.lines.end();
  const bool is_expected = request.is_of_barriers && variant.is_of_barrier;
  return (is_expected ? 1 : 2 * variant.cost) + (is_named ? 0 : 1);
}

/// The source that defines a function, with what there is to try in the functions that went wrong,
/// the nearest first.
std::optional<VariedFile> file_with(const RepairRequest& request, const std::string& function,
                                    const std::set<std::string, std::less<>>& wrong) {
  constexpr std::size_t most_variants = 250;  // compile in ten seconds or so
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

/// Compiles all variants as one module. What does not compile is taken out, line by line.
fs::path build_variants(const RepairRequest& request, VariedFile& file) {
  const fs::path folder = request.scratch / "varied" / "labs" / request.stage.id;
  fs::create_directories(folder);
  for (const std::string& name : request.stage.sources) {
    fs::copy_file(request.source_directory / name, folder / name,
                  fs::copy_options::overwrite_existing);
  }
  constexpr int most_attempts = 4;
  for (int i = 0; i < most_attempts; ++i) {
    std::ofstream(folder / file.name, std::ios::binary)
        << varied(*file.source, file.text, file.variants) << std::flush;
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

}  // namespace

std::optional<std::string> find_repair(const RepairRequest& request) {
  const std::vector<Posed> calls = calls_to_try(request);
  if (calls.empty()) return std::nullopt;
  std::set<std::string, std::less<>> wrong;
  for (const Posed& each : calls) wrong.insert(each.call.function);
  auto file = file_with(request, calls.front().call.function, wrong);
  if (!file || file->variants.empty()) return std::nullopt;
  const fs::path module = build_variants(request, *file);
  if (module.empty()) return std::nullopt;

  Runner runner(module, request, bytes_for(calls));
  const auto all_right = [&](std::int32_t variant) {
    return std::ranges::all_of(calls, [&](const Posed& each) {
      return runner.comes_right(each, variant, simt::ThreadOrder::forward);
    });
  };
  if (all_right(0)) return std::nullopt;
  constexpr int most_confirmations = 4;  // take a second or two each
  int confirmations = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < file->variants.size(); ++i) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (taken.count() > request.time_limit_s || confirmations == most_confirmations) break;
    const auto variant = static_cast<std::int32_t>(i + 1);
    if (!all_right(variant)) continue;
    ++confirmations;
    if (request.confirm(module, variant)) return file->variants[i].words;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
