#include "grading/repair/thread_reads.hpp"

#include <algorithm>

#include "grading/trace/capture.hpp"

namespace tilewise::grading {
namespace {

using Action = simt::TracedRequest::Action;

/// Whether an access stores a number in shared memory that is neither 0 nor an element. What an
/// asynchronous copy brings counts, too: it has not arrived when its interval ends.
bool computes(const ThreadAccess& access) {
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

}  // namespace

std::vector<ElementNumber> elements_of(const ThreadAccess& access,
                                       const std::vector<TraceMatrix>& matrices) {
  const TraceRequest& request = access.made();
  const TraceMatrix* const matrix = matrix_of_lane(matrices, request.made, access.nth);
  std::vector<ElementNumber> elements;
  if (matrix == nullptr) return elements;
  const std::int64_t first = request.offset(*matrix, access.nth);
  for (std::int64_t at = first; at < first + request.made.bytes; at += matrix->element_bytes) {
    elements.push_back(matrix->first + static_cast<ElementNumber>(at / matrix->element_bytes));
  }
  return elements;
}

std::uint32_t place_of_word(const ThreadAccess& access, std::size_t word) {
  return (access.made().made.at[access.nth] & ~3u) + static_cast<std::uint32_t>(4 * word);
}

std::optional<std::vector<ThreadRead>> reads_before(const ThreadAccess& last,
                                                    const std::vector<TraceMatrix>& matrices) {
  std::vector<ThreadRead> reads;
  bool is_known = !last.block->cut;
  for_each_access(*last.block, [&](const ThreadAccess& access) {
    const TraceRequest& request = access.made();
    is_known = is_known && !computes(access);
    if (access.thread != last.thread || access.request >= last.request) return;
    if (request.made.action != Action::load) return;
    if (!request.made.shared) {
      const std::vector<ElementNumber> elements = elements_of(access, matrices);
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

std::optional<ThreadAccess> load_behind(const ThreadRead& read,
                                        const std::vector<TraceMatrix>& matrices) {
  const std::uint32_t at = place_of_word(read.access, read.word);
  const std::uint32_t interval = read.access.made().made.interval;
  std::optional<ThreadAccess> store, load;
  for_each_access(*read.access.block, [&](const ThreadAccess& access) {
    const simt::TracedRequest& other = access.made().made;
    if (!other.shared || other.action == Action::load || other.interval > interval) return;
    const std::uint32_t begin = other.at[access.nth] & ~3u;
    if (at >= begin && at < begin + other.bytes) store = access;
  });
  if (!store) return std::nullopt;
  for_each_access(*read.access.block, [&](const ThreadAccess& access) {
    const simt::TracedRequest& other = access.made().made;
    if (access.thread != store->thread || access.request > store->request) return;
    if (other.shared || other.action != Action::load) return;
    if (std::ranges::count(elements_of(access, matrices), read.element) > 0) load = access;
  });
  return load;
}

}  // namespace tilewise::grading
