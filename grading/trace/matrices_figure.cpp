// Which elements of the matrices chosen threads load, use and write.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "grading/trace/cannot_trace.hpp"
#include "grading/trace/figure_parts.hpp"

namespace tilewise::grading {
namespace {

constexpr std::size_t most_threads = 4;  // that have a colour

/// Where a matrix is drawn.
struct Place {
  int x = 0, y = 0;
};

class MatricesFigure {
 public:
  MatricesFigure(const Trace& trace, const FigureChoice& choice)
      : trace_(trace), kernel_(kernel_of(trace)), block_(kernel_.blocks.front()) {
    choose_threads(choice);
    intervals_ = choice.intervals ? *choice.intervals : telling_intervals();
    touched_ = touched_elements(trace, block_, intervals_);
    results_ = touched_elements(trace, block_, {0, block_.intervals}).written;
    int longest = 1;
    for (const TraceMatrix& matrix : trace.matrices) {
      longest = std::max({longest, matrix.rows, matrix.cols});
    }
    cell_ = std::clamp(384 / longest, 6, 24);
  }

  std::string draw() {
    const std::string where =
        fmt::format("{} {}, block {} of {} x {}", kernel_.launch.kernel, describe_intervals(),
                    describe(block_index(kernel_.launch, block_.number)), kernel_.launch.grid[0],
                    kernel_.launch.grid[1]);
    const int top = draw_head(svg_, trace_.call, where) + 18;
    const int bottom = is_product() ? draw_product(top) : draw_in_a_row(top);
    draw_legend(bottom + 22);
    return svg_.finish(trace_.call + ": elements that threads load, use and write. " + where);
  }

 private:
  static const TraceKernel& kernel_of(const Trace& trace) {
    for (const TraceKernel& kernel : trace.kernels) {
      if (!kernel.blocks.empty()) return kernel;
    }
    throw CannotTrace(trace.call + " has left nothing to draw.");
  }

  void choose_threads(const FigureChoice& choice) {
    const unsigned x = kernel_.launch.block[0], y = kernel_.launch.block[1];
    for (const auto& [tx, ty] : choice.threads) {
      if (tx >= x || ty >= y) {
        throw CannotTrace(
            fmt::format("there is no thread ({}, {}) in a block of {} x {}", tx, ty, x, y));
      }
      threads_.push_back(ty * x + tx);
    }
    if (threads_.empty()) threads_ = {0, x * y - 1};
    if (threads_.size() > most_threads) {
      throw CannotTrace(fmt::format("a figure has colours for {} threads", most_threads));
    }
  }

  /// From the first interval that loads to the first that uses what was brought; where there is
  /// none, the first alone.
  Intervals telling_intervals() const {
    Intervals found;
    for (const TraceRequest& request : block_.requests) {
      const bool uses = std::ranges::any_of(
          request.origins, [](ElementNumber origin) { return origin != no_element; });
      if (!request.made.shared || request.made.action != simt::TracedRequest::Action::load ||
          !uses) {
        continue;
      }
      found.last = static_cast<int>(request.made.interval);
      break;
    }
    return found;
  }

  std::string describe_intervals() const {
    if (block_.intervals <= 1) return "from beginning to end";
    if (intervals_.first == intervals_.last) {
      return fmt::format("in interval {}, of {}", intervals_.first, block_.intervals);
    }
    return fmt::format("in intervals {} to {}, of {}", intervals_.first, intervals_.last,
                       block_.intervals);
  }

  /// C = A * B is drawn as one does on paper: A left of C, B above it.
  bool is_product() const {
    return trace_.matrices.size() == 3 && trace_.matrices[0].cols == trace_.matrices[1].rows &&
           trace_.matrices[2].rows == trace_.matrices[0].rows &&
           trace_.matrices[2].cols == trace_.matrices[1].cols;
  }

  int draw_product(int top) {
    constexpr int gap = 34;
    const TraceMatrix &a = trace_.matrices[0], &b = trace_.matrices[1];
    const int right = figure_margin + a.cols * cell_ + gap;
    const int below = top + b.rows * cell_ + gap;
    draw_matrix(0, {figure_margin, below});
    draw_matrix(1, {right, top});
    draw_matrix(2, {right, below});
    draw_threads({figure_margin, top});
    return below + a.rows * cell_;
  }

  int draw_in_a_row(int top) {
    constexpr int gap = 34;
    int x = figure_margin, bottom = top;
    for (std::size_t i = 0; i < trace_.matrices.size(); ++i) {
      draw_matrix(i, {x, top});
      x += trace_.matrices[i].cols * cell_ + gap;
      bottom = std::max(bottom, top + trace_.matrices[i].rows * cell_);
    }
    draw_threads({x, top});
    return bottom;
  }

  void draw_matrix(std::size_t number, Place at) {
    const TraceMatrix& matrix = trace_.matrices[number];
    svg_.text(at.x, at.y - 6, "bold",
              fmt::format("{} ({} x {})", matrix.name, matrix.rows, matrix.cols));
    svg_.rect(at.x, at.y, matrix.cols * cell_, matrix.rows * cell_, "cell");
    draw_block(matrix, at);
    for (int row = 0; row < matrix.rows; ++row) {
      for (int col = 0; col < matrix.cols; ++col) {
        const ElementNumber element = matrix.first + row * matrix.leading_dimension + col;
        draw_element(element, {at.x + col * cell_, at.y + row * cell_});
      }
    }
    if (cell_ >= 6) {
      for (int col = 1; col < matrix.cols; ++col) {
        const int x = at.x + col * cell_;
        svg_.line(x, at.y, x, at.y + matrix.rows * cell_, "line");
      }
      for (int row = 1; row < matrix.rows; ++row) {
        const int y = at.y + row * cell_;
        svg_.line(at.x, y, at.x + matrix.cols * cell_, y, "line");
      }
    }
    svg_.frame(at.x, at.y, matrix.cols * cell_, matrix.rows * cell_, "soft");
    for (int row = 0; row < matrix.rows; ++row) {
      for (int col = 0; col < matrix.cols; ++col) {
        const ElementNumber element = matrix.first + row * matrix.leading_dimension + col;
        draw_result(element, {at.x + col * cell_, at.y + row * cell_});
        draw_uses(element, {at.x + col * cell_, at.y + row * cell_});
      }
    }
  }

  /// Which of the chosen threads are among these; their colours' numbers.
  std::vector<std::size_t> chosen_of(const ThreadsByElement& threads, ElementNumber element) const {
    std::vector<std::size_t> chosen;
    const auto found = threads.find(element);
    if (found == threads.end()) return chosen;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (found->second.contains(threads_[i])) chosen.push_back(i);
    }
    return chosen;
  }

  bool block_touches(ElementNumber element) const {
    return touched_.loaded.contains(element) || touched_.written.contains(element) ||
           touched_.used.contains(element);
  }

  /// What any thread of the block touches, neighbours of a row in one piece.
  void draw_block(const TraceMatrix& matrix, Place at) {
    for (int row = 0; row < matrix.rows; ++row) {
      const ElementNumber first = matrix.first + row * matrix.leading_dimension;
      for (int begin = 0; begin < matrix.cols;) {
        int end = begin;
        while (end < matrix.cols && block_touches(first + end)) ++end;
        if (end > begin) {
          svg_.rect(at.x + begin * cell_, at.y + row * cell_, (end - begin) * cell_, cell_,
                    "other");
        }
        begin = end + 1;
      }
    }
  }

  void draw_element(ElementNumber element, Place at) {
    std::vector<std::size_t> owners = chosen_of(touched_.loaded, element);
    const bool writes = owners.empty();
    if (writes) owners = chosen_of(touched_.written, element);
    // Threads that share an element share its cell.
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const auto count = static_cast<int>(owners.size()), nth = static_cast<int>(i);
      const int left = at.x + cell_ * nth / count, right = at.x + cell_ * (nth + 1) / count;
      svg_.rect(left, at.y, right - left, cell_, fmt::format("t{}", owners[i]));
    }
  }

  void draw_result(ElementNumber element, Place at) {
    if (touched_.written.contains(element)) return;
    for (const std::size_t owner : chosen_of(results_, element)) {
      svg_.frame(at.x + 1, at.y + 1, cell_ - 2, cell_ - 2, fmt::format("t{}", owner), 2);
    }
  }

  void draw_uses(ElementNumber element, Place at) {
    const std::vector<std::size_t> users = chosen_of(touched_.used, element);
    const double radius = cell_ * (users.size() > 1 ? 0.17 : 0.24);
    for (std::size_t i = 0; i < users.size(); ++i) {
      const double across = users.size() == 1 ? 0.5 : i % 2 == 0 ? 0.28 : 0.72;
      const double down = users.size() <= 2 ? 0.5 : i < 2 ? 0.28 : 0.72;
      svg_.dot(at.x + cell_ * across, at.y + cell_ * down, radius, fmt::format("t{}", users[i]));
    }
  }

  /// The threads in their colours, where the drawing has room anyway.
  void draw_threads(Place at) {
    svg_.text(at.x, at.y + 6, "bold", "Threads");
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const int y = at.y + 18 + static_cast<int>(i) * 20;
      svg_.rect(at.x, y, 13, 13, fmt::format("t{}", i));
      svg_.text(at.x + 20, y + 11, "", describe(thread_index(kernel_.launch, threads_[i])));
    }
    const int y = at.y + 18 + static_cast<int>(threads_.size()) * 20;
    svg_.rect(at.x, y, 13, 13, "other");
    svg_.text(at.x + 20, y + 11, "soft", "others of the block");
  }

  void draw_legend(int y) {
    int x = figure_margin;
    const auto entry = [&](const char* words, auto&& symbol) {
      svg_.frame(x, y, 14, 14, "soft");
      symbol();
      svg_.text(x + 21, y + 12, "soft", words);
      x += 21 + static_cast<int>(std::string_view(words).size()) * 7 + 12;
    };
    const bool loads = !touched_.loaded.empty(), writes = !touched_.written.empty();
    if (loads || writes) {
      entry(loads && writes ? "loads from, or writes to, global memory"
            : loads         ? "loads from global memory"
                            : "writes to global memory",
            [&] { svg_.rect(x + 1, y + 1, 12, 12, "t0"); });
    }
    const bool later = std::ranges::any_of(
        results_, [&](const auto& result) { return !touched_.written.contains(result.first); });
    if (later) {
      entry("its results, written later", [&] { svg_.frame(x + 2, y + 2, 10, 10, "t0", 2); });
    }
    if (!touched_.used.empty()) {
      entry("uses from shared memory", [&] { svg_.dot(x + 7, y + 7, 4, "t0"); });
    }
  }

  const Trace& trace_;
  const TraceKernel& kernel_;
  const TraceBlock& block_;
  std::vector<std::uint32_t> threads_;
  Intervals intervals_;
  TouchedElements touched_;
  ThreadsByElement results_;  ///< that the threads write in the end
  int cell_ = 0;
  Svg svg_;
};

}  // namespace

std::string draw_matrices(const Trace& trace, const FigureChoice& choice) {
  return MatricesFigure(trace, choice).draw();
}

}  // namespace tilewise::grading
