#pragma once

#include <optional>
#include <string>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/process/failures.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/problem/reference.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// How the elements of C are shared out to threads, for messages that say whose element is wrong.
struct Mapping {
  TileShape tile;  ///< elements of each part of C that one block computes at a time
  /// Whether one block walks over all tiles; otherwise each tile has its own block.
  bool single_block = false;
  TileShape results = {1, 1};  ///< neighbouring elements that one thread computes
  /// The shape of a block in threads, where a thread's results lie that many elements apart.
  /// Without a value a thread has no other results than `results`.
  std::optional<TileShape> threads = std::nullopt;
  /// C is cut into parts of this size, and each thread has a place in every part. Without a value C
  /// is one part.
  std::optional<TileShape> part = std::nullopt;
  enum class Known { thread, block, nothing };
  Known known = Known::thread;  ///< how much of the mapping a contract lays down
};

/// Returns a question about a launch whose blocks have another shape than the kernel is for:
/// whether grid and block have changed places, or the block was left out. The text begins with a
/// space, and is empty if nothing is odd. It is only a doubt, because there are kernels for blocks
/// of any shape.
std::string doubt_about_launch(const LaunchInfo& launch, TileShape block);

/// Writes a value as a student should read it: "1.25", "NaN".
std::string describe_value(float value);
std::string describe_value(double value);

/// Writes a value of this array with the digits that its type has.
std::string describe_element(const DeviceArray& array, double value);

/// Writes how many elements are wrong: "37 of 1369 elements are wrong", "All 9 elements are wrong".
std::string count_wrong(const Comparison& comparison);

/// Reports wrong elements: the first one, whose it is, how many there are and, if known, why.
/// `advice` is the hint where the diagnosis has none.
Finding wrong_result(const std::string& call, const Comparison& comparison, const Mapping& mapping,
                     const std::optional<Diagnosis>& diagnosis, const std::string& advice);

/// Reports that an input was changed. `inputs` begins the hint that they are read only: "A and B
/// are".
Finding changed_input(const std::string& call, const DeviceArray& array,
                      const DeviceArray::Change& change,
                      const std::string& inputs = tr("A and B are"));

/// Reports a write outside of a matrix. `cols` is the number of the matrix's columns, or the
/// distance between its rows where there are gaps, from which follows in which row a stray write
/// lies.
Finding written_outside(const std::string& call, const DeviceArray& array,
                        const DeviceArray::GuardDamage& damage, int cols,
                        const std::string& hint = tr(
                            "Threads that hang over the edge of C must not store: test row < n and "
                            "col < n before the store."));

/// Reports another status than the contract asks for.
Finding wrong_status(const std::string& call, const std::string& returned,
                     const std::string& expected, const std::string& reason);

/// Reports one of the faults that the run-time found while a kernel ran; there must be at least
/// one.
Finding kernel_fault(const std::string& call, const std::vector<Finding>& findings);

/// Reports a fault that a tool of compute-sanitizer found in one of the calls up to this one.
Finding sanitizer_fault(const std::string& call, const std::string& tool,
                        const SanitizerError& error);

/// Says what a wrong element is, in words that follow its name: "is 1.25", "was never written".
std::string describe_wrong(double found, bool unwritten);

/// Reports a wrong element: "f(m=5): C[3][4] was never written, expected 0.5 (allowed error 1e-15).
/// 3 of 20 elements are wrong: ...". `expected` is the expected value with all that is to be said
/// about it. `advice` is the hint where the diagnosis has none.
Finding wrong_element(const std::string& call, const std::string& matrix,
                      const Comparison& comparison, const std::string& found,
                      const std::string& expected, const std::optional<Diagnosis>& diagnosis,
                      const std::string& advice);

/// Does the same for doubles, which are compared within a tolerance.
Finding wrong_double(const std::string& call, const std::string& matrix,
                     const Comparison& comparison, const std::optional<Diagnosis>& diagnosis,
                     const std::string& advice);

}  // namespace tilewise::grading
