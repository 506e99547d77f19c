#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "grading/problem/reference.hpp"
#include "grading/repair/repair.hpp"
#include "grading/repair/runner.hpp"

namespace tilewise::grading {

/// Limits of a call's time. Most calls take milliseconds; a slow one is slow in most variants.
inline constexpr double shortest_call_s = 0.25, longest_call_s = 2;
inline constexpr double times_as_long = 4;

/// Returns how many processors try variants at a time.
unsigned processors_to_use();

/// Tries variants on all processors, in a given order, until it is destroyed.
class Search {
 public:
  /// @param order the numbers of the variants, counted from 0
  /// @param limits the calls' limits. If empty, they are measured, and they stay empty if no call
  /// goes wrong in the unchanged source.
  Search(const std::filesystem::path& module, const RepairRequest& request,
         std::vector<std::size_t> order, std::vector<CallLimits>& limits);
  ~Search() { is_over_ = true; }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Whether one of the calls goes wrong in the unchanged source.
  bool goes_wrong() const { return goes_wrong_; }

  /// Waits until the variant at this place of the order has been tried.
  /// @return whether all calls come right in it
  bool is_right(std::size_t i);

 private:
  enum class State { open, wrong, right, failed };

  void try_all(Runner& runner);

  ReferencesWithoutThreads without_threads_;
  std::vector<std::size_t> order_;
  std::vector<std::atomic<State>> states_;  ///< by place in the order
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_over_ = false;
  bool goes_wrong_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

}  // namespace tilewise::grading
