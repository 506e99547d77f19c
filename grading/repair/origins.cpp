#include "grading/repair/origins.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/repair/fault_numbers.hpp"
#include "grading/repair/runner.hpp"
#include "grading/repair/thread_reads.hpp"
#include "grading/stages/stage_contracts.hpp"
#include "grading/trace/capture.hpp"

namespace tilewise::grading {
namespace {

using core::Finding;
using core::ThreadOfGrid;
using Action = simt::TracedRequest::Action;
namespace fs = std::filesystem;

/// Follows elements of a call that one launch has made.
class Trail {
 public:
  /// @param folder with the sources
  Trail(const Trace& trace, const NamedCall& call, const Problem& problem,
        const std::string& result, fs::path folder)
      : trace_(trace),
        kernel_(trace.kernels.front()),
        call_(call),
        problem_(problem),
        folder_(std::move(folder)) {
    const auto found = std::ranges::find(trace.matrices, result, &TraceMatrix::name);
    if (found == trace.matrices.end()) return;
    result_ = &*found;
    for (const TraceBlock& block : kernel_.blocks) {
      for_each_access(block, [&](const ThreadAccess& access) { note_store(access); });
    }
  }

  /// Tells of the first element of the result that lacks one of the elements that it needs. The
  /// element at (row, col) is looked at before all others.
  WrongOrigins tell(int row, int col) {
    if (result_ == nullptr) return {};
    std::vector<std::pair<int, int>> places;
    if (row < result_->rows && col < result_->cols) places.emplace_back(row, col);
    for (int i = 0; i < result_->rows; ++i) {
      for (int j = 0; j < result_->cols; ++j) places.emplace_back(i, j);
    }
    for (const auto& [i, j] : places) {
      if (WrongOrigins told = origins_at(i, j); !told.text.empty()) return told;
    }
    return {};
  }

  /// The accesses that were told of, as findings whose numbers can be told, too.
  const std::vector<Finding>& accesses() const { return accesses_; }

 private:
  ElementNumber number(const TraceMatrix& matrix, int row, int col) const {
    return matrix.first + row * matrix.leading_dimension + col;
  }

  const TraceMatrix& matrix_called(std::string_view name) const {
    return *std::ranges::find(trace_.matrices, name, &TraceMatrix::name);
  }

  const TraceMatrix& matrix_of(ElementNumber element) const {
    return *std::ranges::find_if(trace_.matrices, [&](const TraceMatrix& matrix) {
      return element < matrix.first + static_cast<ElementNumber>(matrix.elements());
    });
  }

  std::string name_of(ElementNumber element) const {
    const TraceMatrix& matrix = matrix_of(element);
    const int place = element - matrix.first;
    return fmt::format("{}[{}][{}]", matrix.name, place / matrix.leading_dimension,
                       place % matrix.leading_dimension);
  }

  const simt::TracedSite& site_of(const ThreadAccess& access) const {
    return kernel_.sites[access.made().made.site];
  }

  ThreadOfGrid place_of(const ThreadAccess& access) const {
    const auto [x, y, z] = kernel_.launch.block;
    const unsigned thread = access.thread;
    return {block_index(kernel_.launch, access.block->number),
            {thread % x, thread / x % y, thread / x / y}};
  }

  /// Notes which thread stores an element of the result.
  void note_store(const ThreadAccess& access) {
    if (access.made().made.shared || access.made().made.action == Action::load) return;
    for (const ElementNumber element : elements_of(access, trace_.matrices)) {
      if (&matrix_of(element) == result_) stores_[element].push_back(access);
    }
  }

  std::set<ElementNumber> needed_by(int row, int col) const {
    std::set<ElementNumber> needed;
    for (const InputElement& input : problem_.elements_behind(call_, row, col)) {
      needed.insert(number(matrix_called(input.matrix), input.row, input.col));
    }
    return needed;
  }

  std::set<ElementNumber> needed_by(ElementNumber result) const {
    const int place = result - result_->first;
    return needed_by(place / result_->leading_dimension, place % result_->leading_dimension);
  }

  /// The elements that all results of a thread need.
  std::set<ElementNumber> needed_by_thread(const ThreadAccess& of) const {
    std::set<ElementNumber> needed;
    for (const auto& [element, stores] : stores_) {
      const bool is_its = std::ranges::any_of(stores, [&](const ThreadAccess& store) {
        return store.block == of.block && store.thread == of.thread;
      });
      if (is_its) needed.merge(needed_by(element));
    }
    return needed;
  }

  /// The element of the result for which a thread has read everything, although it stores another.
  ElementNumber made_instead(const std::set<ElementNumber>& read) const {
    for (int i = 0; i < result_->rows; ++i) {
      for (int j = 0; j < result_->cols; ++j) {
        if (std::ranges::includes(read, needed_by(i, j))) return number(*result_, i, j);
      }
    }
    return no_element;
  }

  WrongOrigins origins_at(int row, int col) {
    const ElementNumber result = number(*result_, row, col);
    const auto stores = stores_.find(result);
    if (stores == stores_.end() || stores->second.size() != 1) return {};
    const ThreadAccess& store = stores->second.front();
    if (store.made().made.action == Action::atomic) return {};
    const auto reads = reads_before(store, trace_.matrices);
    if (!reads || hands_over(site_of(store).file)) return {};
    std::set<ElementNumber> read;
    for (const ThreadRead& each : *reads) read.insert(each.element);
    std::vector<ElementNumber> missing;
    std::set<const TraceMatrix*> matrices;
    for (const ElementNumber element : needed_by(row, col)) {
      if (read.contains(element) || !matrices.insert(&matrix_of(element)).second) continue;
      missing.push_back(element);
    }
    if (missing.empty()) return {};
    WrongOrigins told;
    told.text = tr(" {} is stored on line {}, by {}.", name_of(result), site_of(store).line,
                   in_words(place_of(store)));
    told.lines.push_back(site_of(store).line);
    const ElementNumber instead = made_instead(read);
    if (instead != no_element) {
      accesses_.push_back(finding_of(store, result_->name, name_of(result)));
      told.text += tr(" But what it has read makes {}.", name_of(instead));
    }
    const std::set<ElementNumber> needed = needed_by_thread(store);
    for (const ElementNumber element : missing) {
      const auto stray = std::ranges::find_if(*reads, [&](const ThreadRead& each) {
        return &matrix_of(each.element) == &matrix_of(element) && !needed.contains(each.element);
      });
      told.text +=
          tr(" {} needs {}, which that thread never reads", name_of(result), name_of(element));
      told.text += stray == reads->end() ? "." : words_of(*stray, told.lines);
    }
    return told;
  }

  /// Continues a sentence with an element that a thread reads and does not need.
  std::string words_of(const ThreadRead& read, std::vector<int>& lines) {
    const std::string element = name_of(read.element);
    const int line = site_of(read.access).line;
    lines.push_back(line);
    if (!read.access.made().made.shared) {
      accesses_.push_back(finding_of(read.access, matrix_of(read.element).name, element));
      return tr(". In its place it reads {} on line {}.", element, line);
    }
    const auto [array, place] = place_in_array(read);
    const auto source = load_behind(read, trace_.matrices);
    if (source) accesses_.push_back(finding_of(*source, matrix_of(read.element).name, element));
    if (!array.empty()) accesses_.push_back(finding_of(read.access, array, place));
    if (!source) return tr(". In its place it reads {} on line {}, in {}.", element, line, place);
    lines.push_back(site_of(*source).line);
    return tr(
        ". In its place it reads {} on line {}, in {}, for which {} had loaded it on line {}.",
        element, line, place, in_words(place_of(*source)), site_of(*source).line);
  }

  /// The name of the shared array that an access reads, and that of the element there.
  std::pair<std::string, std::string> place_in_array(const ThreadRead& read) const {
    const std::uint32_t at = place_of_word(read.access, read.word);
    for (const simt::TracedArray& array : kernel_.arrays) {
      std::size_t elements = 1;
      for (const std::size_t extent : array.extents) elements *= extent;
      if (at < array.start || at >= array.start + elements * array.element_bytes) continue;
      std::size_t index = (at - array.start) / array.element_bytes;
      std::string brackets;
      for (auto extent = array.extents.rbegin(); extent != array.extents.rend(); ++extent) {
        brackets = fmt::format("[{}]", index % *extent) + brackets;
        index /= *extent;
      }
      return {array.name, array.name + brackets};
    }
    return {"", tr("shared memory")};
  }

  /// Whether threads may hand over values in another way than through shared memory.
  bool hands_over(const std::string& file) {
    const std::string text = core::text_of(folder_ / file);
    return text.find("__shfl") != text.npos || text.find("mma_") != text.npos ||
           text.find("wmma") != text.npos;
  }

  Finding finding_of(const ThreadAccess& access, const std::string& array,
                     const std::string& element) const {
    Finding finding{.kind = "out-of-bounds", .message = element, .file = site_of(access).file};
    finding.line = site_of(access).line;
    finding.place = place_of(access);
    finding.array = array;
    finding.call = call_.text;
    return finding;
  }

  const Trace& trace_;
  const TraceKernel& kernel_;
  const NamedCall& call_;
  const Problem& problem_;
  fs::path folder_;
  const TraceMatrix* result_ = nullptr;
  std::map<ElementNumber, std::vector<ThreadAccess>> stores_;  ///< to elements of the result
  std::vector<Finding> accesses_;
};

/// Makes a call on the simulator and traces it. Nothing if it does not return, or launches more
/// than one kernel.
std::optional<Trace> traced(const NamedCall& call, const RepairRequest& request) {
  BuildRequest build{request.stage.id, request.source_directory, Backend::simt,
                     request.scratch / "origins", Flavour::checked};
  build.bubblewrap = request.bubblewrap;
  build.varied = true;
  build.optimised =
      true;  // without it the store of a structure that a function returns is not seen
  const BuildResult built = build_module(build);
  if (!built.ok) return std::nullopt;
  try {
    Capture captured = capture_trace(call, options_for(built.module, request));
    const bool has_returned = captured.reply.ending == CallReply::Ending::returned;
    if (!has_returned || captured.trace.launches != 1 || captured.trace.kernels.size() != 1) {
      return std::nullopt;
    }
    return std::move(captured.trace);
  } catch (const std::runtime_error&) {
    return std::nullopt;  // it cannot be traced, and so nothing is told
  }
}

}  // namespace

WrongOrigins origins_of(const Finding& finding, const RepairRequest& request) {
  constexpr double most_operations = 1e6;
  constexpr std::size_t half_bytes = 2;  // they are too short for codes
  if (finding.kind != "wrong-result" || finding.matrix.empty()) return {};
  const auto posed = posed_call(request.stage, finding.call, most_operations);
  if (!posed) return {};
  const NamedCall& call = posed->call;
  const Problem& problem = problem_of(layout().root, request.stage.id, call.function);
  const bool has_halves = std::ranges::any_of(call.arguments, [](const Argument& argument) {
    const auto* matrix = std::get_if<BufferArgument>(&argument);
    return matrix != nullptr && matrix->element_bytes == half_bytes;
  });
  if (has_halves || problem.elements_behind(call, 0, 0).empty()) return {};
  const auto trace = traced(call, request);
  if (!trace) return {};
  Trail trail(*trace, call, problem, finding.matrix, request.source_directory);
  WrongOrigins told = trail.tell(finding.row, finding.col);
  constexpr std::size_t most_numbers = 2;  // each takes seconds
  for (std::size_t i = 0; i < std::min(trail.accesses().size(), most_numbers); ++i) {
    told.text += numbers_of(trail.accesses()[i], request);
  }
  if (!told.text.empty() && call.text != finding.call) {
    told.text = tr(" In {}:", call.text) + told.text;
  }
  return told;
}

}  // namespace tilewise::grading
