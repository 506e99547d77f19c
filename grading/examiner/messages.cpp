#include "grading/examiner/messages.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tilewise::grading {
namespace {

std::string describe_found(float found, const std::optional<Diagnosis>& diagnosis) {
  // What is added to the NaN of an unwritten element leaves its bits as they were.
  const bool may_be_sum = diagnosis && diagnosis->pattern == Pattern::accumulates;
  if (has_bits(found, unwritten_bits) && !may_be_sum) return "was never written";
  return "is " + describe_value(found);
}

std::string describe_owner(const Comparison& comparison, const Mapping& mapping) {
  const auto [width, height] = mapping.tile;
  return fmt::format("{} ({}, {}), thread ({}, {})", mapping.single_block ? "tile" : "block",
                     comparison.col / width, comparison.row / height, comparison.col % width,
                     comparison.row % height);
}

std::string count_wrong(const Comparison& comparison) {
  if (comparison.compared == 1) return "It is the only element";
  if (comparison.wrong == comparison.compared) {
    return fmt::format("All {} elements are wrong", comparison.compared);
  }
  return fmt::format("{} of {} elements {} wrong", comparison.wrong, comparison.compared,
                     comparison.wrong == 1 ? "is" : "are");
}

std::string advise_on_status(const std::string& returned, const std::string& expected) {
  if (expected != "cudaSuccess") {
    return "Check the arguments before anything is launched or written, and return the error at "
           "once.";
  }
  if (returned == "cudaErrorInvalidValue") {
    return "Compare the arguments that the function refuses with those that the contract allows.";
  }
  return "The launch itself failed: check the grid, the block and the shared memory asked for.";
}

}  // namespace

std::string describe_value(float value) {
  if (std::isnan(value)) return "NaN";
  return fmt::format("{:.9g}", value);  // 9 digits tell any two floats apart
}

Finding wrong_result(const std::string& call, const Comparison& comparison, const Mapping& mapping,
                     const std::optional<Diagnosis>& diagnosis, const std::string& advice) {
  Finding finding;
  finding.message =
      fmt::format("{}: C[{}][{}] {}, expected {:.9g} (allowed error {:.2g}). It belongs to {}. {}",
                  call, comparison.row, comparison.col, describe_found(comparison.found, diagnosis),
                  comparison.expected, comparison.tolerance, describe_owner(comparison, mapping),
                  count_wrong(comparison));
  if (diagnosis) finding.message += ": " + diagnosis->what;
  finding.message += ".";
  finding.hint = diagnosis && !diagnosis->hint.empty() ? diagnosis->hint : advice;
  return finding;
}

Finding changed_input(const std::string& call, const DeviceArray& array,
                      const DeviceArray::Change& change) {
  return {.message = fmt::format("{} changed its input: {}[{}][{}] was {} and is now {}.", call,
                                 array.name(), change.row, change.col, describe_value(change.given),
                                 describe_value(change.found)),
          .hint =
              "A and B are read only. Look for a store through a wrong pointer, or for arguments "
              "in a wrong order."};
}

Finding written_outside(const std::string& call, const DeviceArray& array,
                        const DeviceArray::GuardDamage& damage, int cols) {
  std::string where;
  if (damage.first < 0) {
    where = fmt::format("{} elements before its start", -damage.first);
  } else if (damage.between_rows || cols == 0) {
    where = fmt::format("{} elements behind its start", damage.first);
  } else {
    where = fmt::format("behind its end, where {}[{}][{}] would be", array.name(),
                        damage.first / cols, damage.first % cols);
  }
  return {
      .message = fmt::format("{} wrote {} element{} outside of {}, the first one {}.", call,
                             damage.elements, damage.elements == 1 ? "" : "s", array.name(), where),
      .hint =
          "Threads that hang over the edge of C must not store: test row < n and col < n "
          "before the store."};
}

Finding wrong_status(const std::string& call, const std::string& returned,
                     const std::string& expected, const std::string& reason) {
  return {
      .message = fmt::format("{} returned {}, expected {}: {}.", call, returned, expected, reason),
      .hint = advise_on_status(returned, expected)};
}

Finding kernel_fault(const std::string& call, const Diagnostic& diagnostic) {
  return {
      .message = call + ": " + diagnostic.message,
      .hint = diagnostic.kind == "barrier"
                  ? "Every thread of a block must come to the same __syncthreads(): take it out "
                    "of conditions that hold for some threads only."
                  : "",
      .file = diagnostic.file,
      .line = diagnostic.line};
}

}  // namespace tilewise::grading
