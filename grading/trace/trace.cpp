#include "grading/trace/trace.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "grading/trace/capture.hpp"
#include "grading/worker/trace_text.hpp"

namespace tilewise::grading {
namespace {

using Action = simt::TracedRequest::Action;

bool writes(const TraceRequest& request) { return request.made.action != Action::load; }

/// Calls use(n, lane) for each lane that takes part, counted by n.
template <class Use>
void for_each_lane(std::uint32_t lanes, Use&& use) {
  std::size_t nth = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    use(nth++, static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

/// Returns the matrix that a request touches: the first one that a lane lies in, or else the
/// nearest one whose surrounding band a lane may lie in.
int matrix_at(const std::vector<TraceMatrix>& matrices, const simt::TracedRequest& request) {
  int nearest = -1;
  std::int64_t least = 0;
  for (const std::uint32_t at : request.at) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const std::int64_t offset = std::int64_t{at} - matrices[i].place;
      const std::int64_t beyond = std::max(-offset, offset - matrices[i].bytes() + 1);
      if (beyond <= 0) return static_cast<int>(i);
      if (nearest < 0 || beyond < least) nearest = static_cast<int>(i), least = beyond;
    }
  }
  constexpr std::int64_t far = 64 * 512 * 8;  // twice the widest band
  return least < far ? nearest : -1;
}

void mark_outside(const std::vector<TraceMatrix>& matrices, TraceRequest& request) {
  if (request.matrix < 0) return;
  for_each_lane(request.made.lanes, [&](std::size_t nth, std::uint32_t lane) {
    if (matrix_of_lane(matrices, request.made, nth) == nullptr) request.outside |= 1u << lane;
  });
}

/// Identifies what a request does, independent of how often the compiler has unrolled its loop: the
/// file and line, the action, and the array or matrix.
using Deed = std::tuple<std::string, int, Action, int>;

Deed deed_of(const TraceRequest& request, const TraceKernel& kernel) {
  const simt::TracedSite& site = kernel.sites[request.made.site];
  int target = request.matrix;
  if (request.made.shared) {
    const auto is_behind = [&](const simt::TracedArray& array) {
      return array.start > request.made.at.front();
    };
    const auto array = std::ranges::find_if(kernel.arrays, is_behind) - kernel.arrays.begin();
    target = -1 - static_cast<int>(array);  // negative, unlike matrices
  }
  return {site.file, site.line, request.made.action, target};
}

void number_steps(TraceBlock& block, const TraceKernel& kernel) {
  struct Warp {
    std::uint32_t interval = 0;
    int step = 0;
    std::set<Deed> deeds;
  };
  std::map<std::uint32_t, Warp> warps;
  for (TraceRequest& request : block.requests) {
    Warp& warp = warps[request.made.warp];
    if (warp.interval != request.made.interval) warp = {request.made.interval, 0, {}};
    const Deed deed = deed_of(request, kernel);
    if (!warp.deeds.insert(deed).second) {
      ++warp.step;
      warp.deeds = {deed};
    }
    request.step = warp.step;
  }
}

/// Follows elements from device memory into shared memory.
class Origins {
 public:
  explicit Origins(const std::vector<TraceMatrix>& matrices) : matrices_(matrices) {}

  void follow(TraceBlock& block) {
    // Loads may read what was stored in the same interval, so all of an interval's stores are
    // handled before its shared-memory loads.
    for (auto first = block.requests.begin(); first != block.requests.end();) {
      const auto interval = first->made.interval;
      const auto last = std::find_if(first, block.requests.end(), [&](const TraceRequest& request) {
        return request.made.interval != interval;
      });
      for (auto i = first; i != last; ++i) note_loads(*i);
      for (auto i = first; i != last; ++i) store(*i);
      for (auto i = first; i != last; ++i) load(*i);
      first = last;
    }
  }

 private:
  void note_loads(const TraceRequest& request) {
    if (request.matrix < 0 || writes(request)) return;
    for (std::size_t nth = 0; nth < request.made.at.size(); ++nth) {
      const TraceMatrix* const matrix = matrix_of_lane(matrices_, request.made, nth);
      if (matrix == nullptr) continue;
      const std::int64_t offset = request.offset(*matrix, nth);
      for (std::int64_t at = offset; at < offset + request.made.bytes;
           at += matrix->element_bytes) {
        brought_.insert(matrix->first + static_cast<ElementNumber>(at / matrix->element_bytes));
      }
    }
  }

  /// Returns the element that a word, or a pair of words, encodes, if this block has loaded that
  /// element.
  ElementNumber brought(ElementNumber element) const {
    return brought_.contains(element) ? element : no_element;
  }

  void store(const TraceRequest& request) {
    if (!request.made.shared || request.made.words.empty()) return;
    const std::size_t words = request.made.words.size() / request.made.at.size();
    for (std::size_t nth = 0; nth < request.made.at.size(); ++nth) {
      const std::uint32_t at = request.made.at[nth] & ~3u;
      const std::uint32_t* word = &request.made.words[nth * words];
      for (std::size_t i = 0; i < words; ++i) {
        const std::uint32_t place = at + static_cast<std::uint32_t>(4 * i);
        held_[place] = brought(element_with(word[i]));
        if (i + 1 < words) {
          const std::uint64_t pair = std::uint64_t{word[i + 1]} << 32 | word[i];
          if (const ElementNumber wide = brought(element_with(pair)); wide != no_element) {
            held_[place] = held_[place + 4] = wide;
            ++i;
          }
        }
      }
    }
  }

  void load(TraceRequest& request) {
    if (!request.made.shared) return;
    for (const std::uint32_t at : request.made.at) {
      for (std::uint32_t byte = 0; byte < request.made.bytes; byte += 4) {
        const auto held = held_.find((at & ~3u) + byte);
        request.origins.push_back(held == held_.end() ? no_element : held->second);
      }
    }
  }

  const std::vector<TraceMatrix>& matrices_;
  std::set<ElementNumber> brought_;
  std::map<std::uint32_t, ElementNumber> held_;  ///< by word of shared memory
};

/// Finds and marks the accesses that form a race.
class Races {
 public:
  Races(TraceKernel& kernel, const Finding& race) : kernel_(kernel), race_(race) {
    for (TraceBlock& block : kernel.blocks) {
      for (TraceRequest& request : block.requests) {
        if (is_part(request)) note(block, request);
      }
    }
  }

  void mark() {
    for (const auto& [place, accesses] : accesses_) {
      const Access& first = accesses.front();
      const bool several = std::ranges::any_of(accesses, [&](const Access& other) {
        return std::pair(other.block, other.thread) != std::pair(first.block, first.thread);
      });
      const bool written = std::ranges::any_of(
          accesses, [](const Access& access) { return writes(*access.request); });
      if (!several || !written) continue;
      for (const Access& access : accesses) access.request->racing |= 1u << access.thread % 32;
    }
  }

 private:
  struct Access {
    TraceRequest* request;
    std::uint64_t block;
    std::uint32_t thread;
  };
  /// Whether the memory is shared, the block and interval (in shared memory only), and the address.
  using Place = std::tuple<bool, std::uint64_t, std::uint32_t, std::uint32_t>;

  bool is_part(const TraceRequest& request) const {
    const int line = kernel_.sites[request.made.site].line;
    return line > 0 && (line == race_.line || line == race_.other_line);
  }

  void note(const TraceBlock& block, TraceRequest& request) {
    for_each_lane(request.made.lanes, [&](std::size_t nth, std::uint32_t lane) {
      for (std::uint32_t byte = 0; byte < request.made.bytes; byte += 4) {
        const bool shared = request.made.shared;
        const Place place{shared, shared ? block.number : 0, shared ? request.made.interval : 0,
                          (request.made.at[nth] & ~3u) + byte};
        accesses_[place].push_back({&request, block.number, request.made.warp * 32 + lane});
      }
    });
  }

  TraceKernel& kernel_;
  const Finding& race_;
  std::map<Place, std::vector<Access>> accesses_;
};

TraceBlock interpret_block(simt::BlockTrace&& traced, const TraceKernel& kernel,
                           const std::vector<TraceMatrix>& matrices) {
  TraceBlock block{traced.number, static_cast<int>(traced.intervals), traced.cut, {}};
  for (simt::TracedRequest& made : traced.requests) {
    TraceRequest& request = block.requests.emplace_back();
    if (!made.shared) request.matrix = matrix_at(matrices, made);
    request.made = std::move(made);
    mark_outside(matrices, request);
  }
  std::ranges::stable_sort(block.requests, {},
                           [](const TraceRequest& request) { return request.made.interval; });
  number_steps(block, kernel);
  Origins(matrices).follow(block);
  return block;
}

}  // namespace

const TraceMatrix* matrix_of_lane(const std::vector<TraceMatrix>& matrices,
                                  const simt::TracedRequest& request, std::size_t nth) {
  const auto holds = [&](const TraceMatrix& matrix) {
    const std::int64_t offset = std::int64_t{request.at[nth]} - matrix.place;
    return offset >= 0 && offset + request.bytes <= matrix.bytes();
  };
  const auto found = std::ranges::find_if(matrices, holds);
  return found == matrices.end() ? nullptr : &*found;
}

std::array<unsigned, 3> block_index(const simt::LaunchRecord& launch, std::uint64_t block) {
  const unsigned x = launch.grid[0], y = launch.grid[1];
  return {static_cast<unsigned>(block % x), static_cast<unsigned>(block / x % y),
          static_cast<unsigned>(block / x / y)};
}

std::vector<TraceKernel> interpret_trace(const std::string& text,
                                         std::vector<TraceMatrix>& matrices,
                                         const std::vector<Finding>& findings) {
  std::string problem;
  TraceText traced = decode_trace(text, problem);
  if (problem.empty() && traced.buffers.size() != matrices.size()) problem = "matrices are missing";
  if (!problem.empty()) {
    throw std::runtime_error("the worker has left no trace that can be read: " + problem);
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) matrices[i].place = traced.buffers[i].place;
  std::vector<TraceKernel> kernels;
  for (simt::KernelTrace& one : traced.kernels) {
    TraceKernel& kernel = kernels.emplace_back();
    kernel.launch = std::move(one.launch);
    kernel.sites = std::move(one.sites);
    kernel.arrays = std::move(one.arrays);
    // Students know a file only by its name.
    kernel.launch.file = std::filesystem::path(kernel.launch.file).filename();
    for (simt::TracedSite& site : kernel.sites) {
      site.file = std::filesystem::path(site.file).filename();
    }
    for (simt::BlockTrace& block : one.blocks) {
      kernel.blocks.push_back(interpret_block(std::move(block), kernel, matrices));
    }
    for (const Finding& finding : findings) {
      if (finding.kind == "race" || finding.kind == "warp-race") Races(kernel, finding).mark();
    }
  }
  return kernels;
}

}  // namespace tilewise::grading
