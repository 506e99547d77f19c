#include "grading/repair/origins.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/bench/bench_cases.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/repair/fault_numbers.hpp"
#include "grading/repair/runner.hpp"
#include "grading/stages/stage_contracts.hpp"
#include "grading/trace/capture.hpp"

namespace tilewise::grading {
namespace {

using core::Finding;
using core::ThreadOfGrid;
using Action = simt::TracedRequest::Action;
namespace fs = std::filesystem;

/// One lane's part of a request.
struct Access {
  const TraceBlock* block;
  std::size_t request;  ///< number within the block
  std::size_t nth;      ///< counts the lanes that take part
  unsigned thread;      ///< number within the block

  const TraceRequest& made() const { return block->requests[request]; }
};

/// An element of an input that a thread has read.
struct Read {
  ElementNumber element;
  Access access;
  std::size_t word = 0;  ///< of the access, in shared memory
};

/// Calls use(access) for each lane of a block's requests, in their order.
template <class Use>
void for_each_access(const TraceBlock& block, Use&& use) {
  for (std::size_t i = 0; i < block.requests.size(); ++i) {
    const simt::TracedRequest& made = block.requests[i].made;
    std::size_t nth = 0;
    for (std::uint32_t lanes = made.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      use(Access{&block, i, nth++, made.warp * 32 + lane});
    }
  }
}

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
      for_each_access(block, [&](const Access& access) { note_store(access); });
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

  const simt::TracedSite& site_of(const Access& access) const {
    return kernel_.sites[access.made().made.site];
  }

  ThreadOfGrid place_of(const Access& access) const {
    const auto [x, y, z] = kernel_.launch.block;
    const unsigned thread = access.thread;
    return {block_index(kernel_.launch, access.block->number),
            {thread % x, thread / x % y, thread / x / y}};
  }

  /// The elements that an access to device memory touches; empty outside of all matrices.
  std::vector<ElementNumber> elements_of(const Access& access) const {
    const TraceRequest& request = access.made();
    const TraceMatrix* const matrix = matrix_of_lane(trace_.matrices, request.made, access.nth);
    std::vector<ElementNumber> elements;
    if (matrix == nullptr) return elements;
    const std::int64_t first = request.offset(*matrix, access.nth);
    for (std::int64_t at = first; at < first + request.made.bytes; at += matrix->element_bytes) {
      elements.push_back(matrix->first + static_cast<ElementNumber>(at / matrix->element_bytes));
    }
    return elements;
  }

  /// Notes which thread stores an element of the result.
  void note_store(const Access& access) {
    if (access.made().made.shared || access.made().made.action == Action::load) return;
    for (const ElementNumber element : elements_of(access)) {
      if (&matrix_of(element) == result_) stores_[element].push_back(access);
    }
  }

  /// What a thread has read before an access. Nothing if it has read more than elements of inputs
  /// and zeros.
  std::optional<std::vector<Read>> reads_before(const Access& last) const {
    std::vector<Read> reads;
    bool is_known = !last.block->cut;
    for_each_access(*last.block, [&](const Access& access) {
      const TraceRequest& request = access.made();
      is_known = is_known && !computes(access);
      if (access.thread != last.thread || access.request >= last.request) return;
      if (request.made.action != Action::load) return;
      if (!request.made.shared) {
        const std::vector<ElementNumber> elements = elements_of(access);
        is_known = is_known && !elements.empty();
        for (const ElementNumber element : elements) reads.push_back({element, access});
        return;
      }
      const std::size_t words = request.origins.size() / request.made.at.size();
      for (std::size_t i = 0; i < words; ++i) {
        const ElementNumber element = request.origins[access.nth * words + i];
        if (element != no_element) reads.push_back({element, access, i});
      }
    });
    if (!is_known) return std::nullopt;
    return reads;
  }

  /// Whether an access stores a number in shared memory that is neither 0 nor an element.
  static bool computes(const Access& access) {
    const simt::TracedRequest& made = access.made().made;
    if (!made.shared || made.action == Action::load) return false;
    if (made.words.empty()) return true;
    const std::size_t words = made.words.size() / made.at.size();
    const std::uint32_t* const word = &made.words[access.nth * words];
    for (std::size_t i = 0; i < words; ++i) {
      if (word[i] == 0 || element_with(word[i]) != no_element) continue;
      const bool has_pair = i + 1 < words;
      const std::uint64_t pair = has_pair ? std::uint64_t{word[i + 1]} << 32 | word[i] : 0;
      if (!has_pair || element_with(pair) == no_element) return true;
      ++i;
    }
    return false;
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
  std::set<ElementNumber> needed_by_thread(const Access& of) const {
    std::set<ElementNumber> needed;
    for (const auto& [element, stores] : stores_) {
      const bool is_its = std::ranges::any_of(stores, [&](const Access& store) {
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
    const Access& store = stores->second.front();
    if (store.made().made.action == Action::atomic) return {};
    const auto reads = reads_before(store);
    if (!reads || hands_over(site_of(store).file)) return {};
    std::set<ElementNumber> read;
    for (const Read& each : *reads) read.insert(each.element);
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
      const auto stray = std::ranges::find_if(*reads, [&](const Read& each) {
        return &matrix_of(each.element) == &matrix_of(element) && !needed.contains(each.element);
      });
      told.text +=
          tr(" {} needs {}, which that thread never reads", name_of(result), name_of(element));
      told.text += stray == reads->end() ? "." : words_of(*stray, told.lines);
    }
    return told;
  }

  /// Continues a sentence with an element that a thread reads and does not need.
  std::string words_of(const Read& read, std::vector<int>& lines) {
    const std::string element = name_of(read.element);
    const int line = site_of(read.access).line;
    lines.push_back(line);
    if (!read.access.made().made.shared) {
      accesses_.push_back(finding_of(read.access, matrix_of(read.element).name, element));
      return tr(". In its place it reads {} on line {}.", element, line);
    }
    const auto [array, place] = place_in_array(read);
    const auto source = where_filled(read);
    if (source) accesses_.push_back(finding_of(*source, matrix_of(read.element).name, element));
    if (!array.empty()) accesses_.push_back(finding_of(read.access, array, place));
    if (!source) return tr(". In its place it reads {} on line {}, in {}.", element, line, place);
    lines.push_back(site_of(*source).line);
    return tr(
        ". In its place it reads {} on line {}, in {}, for which {} had loaded it on line {}.",
        element, line, place, in_words(place_of(*source)), site_of(*source).line);
  }

  /// The name of the shared array that an access reads, and that of the element there.
  std::pair<std::string, std::string> place_in_array(const Read& read) const {
    const std::uint32_t at =
        read.access.made().made.at[read.access.nth] + static_cast<std::uint32_t>(4 * read.word);
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

  /// The load by which the thread that filled a place in shared memory got its element.
  std::optional<Access> where_filled(const Read& read) const {
    const simt::TracedRequest& made = read.access.made().made;
    const std::uint32_t at =
        (made.at[read.access.nth] & ~3u) + static_cast<std::uint32_t>(4 * read.word);
    std::optional<Access> store, load;
    for_each_access(*read.access.block, [&](const Access& access) {
      const simt::TracedRequest& other = access.made().made;
      if (!other.shared || other.action == Action::load || other.interval > made.interval) return;
      const std::uint32_t begin = other.at[access.nth] & ~3u;
      if (at >= begin && at < begin + other.bytes) store = access;
    });
    if (!store) return std::nullopt;
    for_each_access(*read.access.block, [&](const Access& access) {
      const simt::TracedRequest& other = access.made().made;
      if (access.thread != store->thread || access.request > store->request) return;
      if (other.shared || other.action != Action::load) return;
      if (std::ranges::count(elements_of(access), read.element) > 0) load = access;
    });
    return load;
  }

  /// Whether threads may hand over values in another way than through shared memory.
  bool hands_over(const std::string& file) {
    const std::string text = core::text_of(folder_ / file);
    return text.find("__shfl") != text.npos || text.find("mma") != text.npos;
  }

  Finding finding_of(const Access& access, const std::string& array,
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
  std::map<ElementNumber, std::vector<Access>> stores_;  ///< to elements of the result
  std::vector<Finding> accesses_;
};

/// Makes a call on the simulator and traces it. Nothing if it does not return, or launches more
/// than one kernel.
std::optional<Trace> traced(const NamedCall& call, const RepairRequest& request) {
  BuildRequest build{request.stage.id, request.source_directory, Backend::simt,
                     request.scratch / "origins", Flavour::checked};
  build.bubblewrap = request.bubblewrap;
  build.varied = true;
  const BuildResult built = build_module(build);
  if (!built.ok) return std::nullopt;
  try {
    Capture captured = capture_trace(call, options_for(built.module, request));
    const bool has_returned = captured.reply.ending == CallReply::Ending::returned;
    if (!has_returned || captured.trace.launches != 1 || captured.trace.kernels.size() != 1) {
      return std::nullopt;
    }
    return std::move(captured.trace);
  } catch (const CannotTrace&) {
    return std::nullopt;
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
