// Works out how often each product of a sum was added, and what follows from that.
#include <cmath>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {

std::string in_runs(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int first = numbers[i];
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1) ++i;
    if (!text.empty()) text += ", ";
    text += numbers[i] == first ? std::to_string(first) : tr("{} to {}", first, numbers[i]);
  }
  return text;
}

namespace {

/// Whether the products of the first step count as often as there are steps, those of the second
/// once less, and those of the last one once.
bool go_down_to_one(const std::vector<int>& counts) {
  if (counts.front() < 2 || counts.back() != 1) return false;
  std::size_t depth = 0;  // number of products in a step
  while (counts[depth] == counts.front()) ++depth;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] != counts.front() - static_cast<int>(k / depth)) return false;
  }
  return true;
}

}  // namespace

CountedProducts tell_products(const Matrix<float>& after, const Matrix<float>& code, bool by_rows) {
  const int n = after.rows;
  std::vector<int> counts, left_out, repeated;
  for (int k = 0; k < n; ++k) {
    const auto ratio = [&](int i) {
      return by_rows ? after(k, i) / code(k, i) : after(i, k) / code(i, k);
    };
    const float count = ratio(0);
    for (int i = 0; i < n; ++i) {
      if (ratio(i) != count) return {};
    }
    if (!(count >= 0 && count <= float(n)) || count != std::floor(count)) return {};
    counts.push_back(static_cast<int>(count));
    if (count == 0) left_out.push_back(k);
    if (count > 1) repeated.push_back(k);
  }
  if (left_out.size() + repeated.size() < 2) return {};
  CountedProducts told;
  if (!left_out.empty()) told.what += tr("; in all, k = {} are left out", in_runs(left_out));
  if (!repeated.empty()) {
    told.what += left_out.empty()
                     ? tr("; in all, k = {} are added more than once", in_runs(repeated))
                     : tr(", and k = {} are added more than once", in_runs(repeated));
  }
  told.hint =
      go_down_to_one(counts)
          ? tr("What a step has summed up is added again in each later step. A sum that is of one "
               "step, a partial one or a fragment, starts from 0 in each; one that goes on over "
               "all "
               "steps is added to the result once, behind the loop.")
          : tr("Follow a tile from step to step: each must be fetched, stored and used before the "
               "next one takes its place, the first and the last one, too.");
  return told;
}

}  // namespace tilewise::grading
