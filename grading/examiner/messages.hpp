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
  TileShape tile;              ///< elements one block computes at a time, of each part of C
  bool single_block = false;   ///< one block walks over all tiles; else each tile has its block
  TileShape results = {1, 1};  ///< neighbouring elements that one thread computes
  /// Threads of a block, where a thread's results lie that many elements apart; without: it has no
  /// others than `results`.
  std::optional<TileShape> threads = std::nullopt;
  /// C is cut into parts of so many elements, and each thread has its place in all of them;
  /// without: C is one part.
  std::optional<TileShape> part = std::nullopt;
  enum class Known { thread, block, nothing };
  Known known = Known::thread;  ///< what of it a contract lays down
};

/// What to ask about a launch whose blocks have other shapes than the kernel is for: whether grid
/// and block have changed places, or the block was left out. Begins with a blank; empty where
/// nothing is odd. Only a doubt: there are kernels for blocks of any shape.
std::string doubt_about_launch(const LaunchInfo& launch, TileShape block);

/// A value as a student should read it: "1.25", "NaN".
std::string describe_value(float value);
std::string describe_value(double value);

/// A value of this array, with the digits that its type has.
std::string describe_element(const DeviceArray& array, double value);

/// "37 of 1369 elements are wrong", "All 9 elements are wrong".
std::string count_wrong(const Comparison& comparison);

/// Wrong elements: the first one, whose it is, how many there are and, if known, why. `advice`: the
/// hint where the diagnosis has none.
Finding wrong_result(const std::string& call, const Comparison& comparison, const Mapping& mapping,
                     const std::optional<Diagnosis>& diagnosis, const std::string& advice);

/// `inputs`: "A and B are", for the hint that they are read only.
Finding changed_input(const std::string& call, const DeviceArray& array,
                      const DeviceArray::Change& change,
                      const std::string& inputs = tr("A and B are"));

/// `cols`: columns of the matrix, or the distance of its rows where there are gaps, to say in which
/// row a stray write lies.
Finding written_outside(const std::string& call, const DeviceArray& array,
                        const DeviceArray::GuardDamage& damage, int cols,
                        const std::string& hint = tr(
                            "Threads that hang over the edge of C must not store: test row < n and "
                            "col < n before the store."));

/// Another status than the contract asks for.
Finding wrong_status(const std::string& call, const std::string& returned,
                     const std::string& expected, const std::string& reason);

/// Faults that the run-time found while a kernel ran, at least one; tells of one.
Finding kernel_fault(const std::string& call, const std::vector<Finding>& findings);

/// A fault that a tool of compute-sanitizer found in one of the calls up to this one.
Finding sanitizer_fault(const std::string& call, const std::string& tool,
                        const SanitizerError& error);

/// What a wrong element is, in words that follow its name: "is 1.25", "was never written".
std::string describe_wrong(double found, bool unwritten);

/// "f(m=5): C[3][4] was never written, expected 0.5 (allowed error 1e-15). 3 of 20 elements are
/// wrong: ...". `expected`: with all that is to be said of it. `advice`: the hint where the
/// diagnosis has none.
Finding wrong_element(const std::string& call, const std::string& matrix,
                      const Comparison& comparison, const std::string& found,
                      const std::string& expected, const std::optional<Diagnosis>& diagnosis,
                      const std::string& advice);

/// The same for doubles, which are compared within a tolerance.
Finding wrong_double(const std::string& call, const std::string& matrix,
                     const Comparison& comparison, const std::optional<Diagnosis>& diagnosis,
                     const std::string& advice);

}  // namespace tilewise::grading
