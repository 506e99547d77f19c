#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/program/options.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::program {

/// Reports on a program's kernels: each finding once, as it comes, and at the end how often each
/// came. Threads may not use it at the same time.
class Report {
 public:
  explicit Report(const Options& options);

  void tell(const simt::Finding& found);
  void tell(const simt::LaunchRecord& launch);
  void tell(const simt::KernelProfile& profile);

  /// @param ended what ended the program; "" if main() returned or exit() was called
  void end();

  bool found_something() const { return !told_.empty(); }
  int descriptor() const;
  int event_descriptor() const;  ///< -1: nobody reads events

 private:
  struct Told {
    simt::Finding finding;
    int times = 1;
  };
  void print(std::string_view line) const;
  void write_event(const std::string& json) const;

  Options options_;
  std::FILE* output_ = nullptr;  ///< null: standard error
  std::FILE* events_ = nullptr;
  std::vector<Told> told_;
};

/// Returns "product.cu:12: race: ..."; "product.cu: ..." if the line is not known.
std::string in_words(const simt::Finding& found);

}  // namespace tilewise::program
