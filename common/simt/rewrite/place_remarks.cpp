#include <optional>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Token;

/// Examines one function that runs on the device.
class PlaceReader {
 public:
  PlaceReader(const Outline& outline, const rewriting::WrittenFunction& function,
              std::vector<Remark>& remarks)
      : outline_(outline),
        code_(outline.code()),
        body_(function.body),
        end_(function.end),
        remarks_(remarks) {}

  void run() {
    for (std::size_t i = body_ + 1; i + 1 < end_; ++i) {
      if (code_[i].is("*")) look_at_place(i);
      if (code_[i].is("for")) look_at_walk(i);
    }
  }

 private:
  /// Looks for `blockIdx.x * gridDim.x` and `threadIdx.x * blockDim.x`, which count nothing: along
  /// one axis, neighbouring blocks are blockDim threads apart, and neighbouring threads are 1
  /// apart.
  void look_at_place(std::size_t star) {
    if (star < body_ + 4 || star + 3 >= end_) return;
    const Token &index = code_[star - 3], &extent = code_[star + 1];
    look_at_place_of_sum(star);
    look_at_mixed_place(star);
    const bool is_pair = code_[star - 2].is(".") && code_[star + 2].is(".") &&
                         code_[star - 1].text == code_[star + 3].text;
    const bool of_blocks = index.is("blockIdx") && extent.is("gridDim");
    const bool of_threads = index.is("threadIdx") && extent.is("blockDim");
    if (!is_pair || (!of_blocks && !of_threads)) return;
    const std::string_view side = code_[star - 1].text;
    if (of_threads && side == "y" && is_added_to_thread_x(star)) {
      remarks_.push_back(
          {Remark::Kind::doubt, index.line,
           tr("threadIdx.y is multiplied by blockDim.y, and a row of the block has blockDim.x "
              "threads: where it is not as high as it is wide, numbers are left out or taken "
              "twice"),
           tr("A thread's number in its block is threadIdx.y * blockDim.x + threadIdx.x.")});
      return;
    }
    remarks_.push_back(
        {Remark::Kind::doubt, index.line,
         tr("{0}.{2} is multiplied by {1}.{2}, and a block begins at blockIdx.{2} * blockDim.{2}: "
            "as many threads lie before it as its number times the threads of a block",
            index.text, extent.text, side),
         tr("A thread's place along {0} is blockIdx.{0} * blockDim.{0} + threadIdx.{0}.", side)});
  }

  /// Whether the product of a `*` is added to `threadIdx.x`.
  bool is_added_to_thread_x(std::size_t star) const {
    const auto is_thread_x = [&](std::size_t first) {
      return code_[first].is("threadIdx") && code_[first + 2].is("x");
    };
    const bool is_behind = star + 7 < end_ && code_[star + 4].is("+") && is_thread_x(star + 5);
    const bool is_before = star >= body_ + 7 && code_[star - 4].is("+") && is_thread_x(star - 7);
    return is_behind || is_before;
  }

  /// Looks for `blockIdx.x * (blockDim.x + threadIdx.x)`.
  void look_at_place_of_sum(std::size_t star) {
    if (!code_[star - 3].is("blockIdx") || !code_[star - 2].is(".") || !code_[star + 1].is("(")) {
      return;
    }
    const std::size_t first = star + 2;
    if (outline_.partner(star + 1) != first + 7) return;
    const std::string_view side = code_[star - 1].text;
    const bool is_sum = code_[first].is("blockDim") && code_[first + 2].text == side &&
                        code_[first + 3].is("+") && code_[first + 4].is("threadIdx") &&
                        code_[first + 6].text == side;
    if (!is_sum) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[star].line,
         tr("the parentheses have blockIdx.{0} multiply threadIdx.{0}, too: in block 0 all "
            "threads have place 0",
            side),
         tr("A thread's place along {0} is blockIdx.{0} * blockDim.{0} + threadIdx.{0}.", side)});
  }

  /// Looks for `blockIdx.y * blockDim.y + threadIdx.x`.
  void look_at_mixed_place(std::size_t star) {
    if (star + 7 >= end_ || !code_[star - 3].is("blockIdx") || !code_[star + 1].is("blockDim")) {
      return;
    }
    const bool is_sum =
        code_[star + 4].is("+") && code_[star + 5].is("threadIdx") && code_[star + 6].is(".");
    const std::string_view counted = code_[star + 3].text, placed = code_[star + 7].text;
    if (!is_sum || counted == placed) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[star].line,
         tr("the threads of a block are counted along {0} and placed by threadIdx.{1}: where a "
            "block is not as high as it is wide, places are left out or taken twice",
            counted, placed),
         tr("A thread's place along {0} is blockIdx.{0} * blockDim.{0} + threadIdx.{0}.",
            code_[star - 1].text)});
  }

  /// Looks for `for (int row = threadIdx.y; row < n; row += blockDim.x)`.
  void look_at_walk(std::size_t word) {
    const auto close = code_[word + 1].is("(") ? outline_.partner(word + 1) : std::nullopt;
    if (!close) return;
    std::string_view begins, steps;
    std::size_t ends = 0;  // how many parts of the header have ended
    for (std::size_t i = word + 2; i + 2 < *close; ++i) {
      if (code_[i].is(";")) ++ends;
      if (ends == 0 && code_[i].is("threadIdx")) {
        if (!begins.empty()) return;
        begins = code_[i + 2].text;
      }
      if (ends == 2 && code_[i].is("blockDim")) {
        if (!steps.empty()) return;
        steps = code_[i + 2].text;
      }
    }
    if (begins.empty() || steps.empty() || begins == steps) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[word].line,
         tr("the loop begins at threadIdx.{0} and steps by blockDim.{1}: where a block is not as "
            "high as it is wide, places are left out or taken twice",
            begins, steps),
         tr("Step by blockDim.{0} what begins at threadIdx.{0}.", begins)});
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t body_, end_;
  std::vector<Remark>& remarks_;
};

}  // namespace

void remark_on_places(const Outline& outline, std::vector<Remark>& remarks) {
  for (const rewriting::WrittenFunction& function : rewriting::functions_of(outline)) {
    if (function.is_of_device) PlaceReader(outline, function, remarks).run();
  }
}

}  // namespace tilewise::simt
