#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/program/options.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::program {

/// What a program is told of its kernels: each finding as it comes and once, and at the end how
/// often each came. Several threads may not use it at a time.
class Report {
 public:
  explicit Report(const Options& options);

  void tell(const simt::Finding& found);
  void tell(const simt::LaunchRecord& launch);
  void tell(const simt::KernelProfile& profile);

  /// @param ended "" where main() returned or exit() was called, or what else ended the program
  void end();

  bool found_something() const { return !told_.empty(); }
  int descriptor() const;
  int event_descriptor() const;  ///< -1: nobody wants them

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

/// "product.cu:12: race: ..."; "product.cu: ..." where the line is not known.
std::string in_words(const simt::Finding& found);

}  // namespace tilewise::program
