#include <array>
#include <optional>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/device_names.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Token;

/// Examines one function that runs on the device.
class PlaceReader : DeviceNames {
 public:
  PlaceReader(const Outline& outline, const rewriting::WrittenFunction& function,
              std::vector<Remark>& remarks)
      : DeviceNames(outline, function.parameters, function.body, function.is_kernel),
        remarks_(remarks) {}

  void run() {
    for (std::size_t i = body_ + 1; i + 1 < end_; ++i) {
      if (code_[i].is("*")) look_at_place(i);
      if (code_[i].is("for")) look_at_walk(i);
      if (code_[i].is("if")) look_at_lone_store(i);
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

  /// Whether a condition between these tokens lets one place through: `tx == 0`, `!threadIdx.x`.
  bool admits_one_place(std::size_t first, std::size_t end) const {
    const auto behind_place = [&](std::size_t i) {
      if (places_.contains(code_[i].text)) return i + 1;
      return code_[i].is("threadIdx") ? i + 3 : i;
    };
    bool admits_one = false;
    for (std::size_t i = first; i < end; ++i) {
      if (code_[i].is("||")) return false;
      const bool begins = i == first || code_[i - 1].is("&&");
      const bool is_negated = code_[i].is("!");
      const std::size_t behind = behind_place(i + (is_negated ? 1 : 0));
      if (!begins || behind == i + (is_negated ? 1 : 0)) continue;
      const bool is_whole = behind == end || code_[behind].is("&&");
      admits_one |= is_negated ? is_whole : code_[behind].is("==");
    }
    return admits_one;
  }

  /// Returns the token behind the statement that follows the parenthesis of an `if`.
  std::size_t behind_statement(std::size_t close) const {
    std::size_t end = close + 1;
    if (code_[end].is("{")) return outline_.behind(end);
    while (end < end_ && !code_[end].is(";")) end = outline_.behind(end);
    return end + 1;
  }

  /// Whether a token declares a variable that belongs to one thread.
  bool declares_own(std::size_t name) const {
    static constexpr auto types = std::to_array<std::string_view>(
        {"bool", "int", "unsigned", "float", "double", "size_t", "auto"});
    const Token& behind = code_[name + 1];
    return is_one_of(code_[name - 1], types) && (behind.is(";") || behind.is("=")) &&
           !is_shared_or_kept(name - 1);
  }

  /// Looks for `bool last; if (tx == 0) last = ...; __syncthreads(); if (last)`, where the
  /// variables of all other threads stay what they were.
  void look_at_lone_store(std::size_t word) {
    const auto close = code_[word + 1].is("(") ? outline_.partner(word + 1) : std::nullopt;
    if (!close || *close + 2 >= end_ || !admits_one_place(word + 2, *close)) return;
    const std::size_t end = behind_statement(*close);
    if (end >= end_ || code_[end].is("else")) return;
    for (std::size_t i = *close + 1; i < end; ++i) {
      const bool is_stored = is_name(code_[i]) && code_[i + 1].is("=") && !code_[i + 2].is("=") &&
                             (code_[i - 1].is(";") || code_[i - 1].is("{") || i == *close + 1);
      if (is_stored) look_at_reads_of_others(i, word, end);
    }
  }

  /// @param store where one thread stores in a variable, in the statement of an `if` that ends
  /// before `end`
  void look_at_reads_of_others(std::size_t store, std::size_t word, std::size_t end) {
    const std::string_view name = code_[store].text;
    bool is_own = false, is_behind_barrier = false;
    std::size_t read = 0;
    for (std::size_t i = body_ + 1; i + 1 < end_; ++i) {
      if (i == word) i = end;
      is_behind_barrier |= i >= end && code_[i].is("__syncthreads");
      if (i >= end && code_[i].is("if") && code_[i + 1].is("(")) {
        // What the same thread reads is what it has stored.
        const std::size_t other_close = outline_.partner(i + 1).value_or(i);
        if (admits_one_place(i + 2, other_close)) i = behind_statement(other_close) - 1;
        continue;
      }
      const bool is_member = code_[i - 1].is(".") || code_[i - 1].is("->");
      if (!code_[i].is(name) || is_member) continue;
      if (i < word && declares_own(i)) {
        is_own = true;
      } else if (rewriting::may_change(outline_, i)) {
        return;
      } else if (is_behind_barrier && read == 0) {
        read = i;
      }
    }
    if (!is_own || read == 0) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[store].line,
         tr("{0} is set here by one thread alone and is not __shared__: each thread has a {0} of "
            "its own, and on line {1} all the others read what theirs was before",
            name, code_[read].line),
         tr("Declare {} __shared__: what one thread finds out, the others read behind a barrier.",
            name)});
  }

  std::vector<Remark>& remarks_;
};

}  // namespace

void remark_on_places(const Outline& outline, std::vector<Remark>& remarks) {
  for (const rewriting::WrittenFunction& function : rewriting::functions_of(outline)) {
    if (function.is_of_device) PlaceReader(outline, function, remarks).run();
  }
}

}  // namespace tilewise::simt
