#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/repair/repair.hpp"

namespace tilewise::grading {

/// A stage's solution with one mistake, in a folder of its own, for tests.
class MistakenSolution {
 public:
  /// @param given words of the solution, which `mistake` takes the place of
  MistakenSolution(std::string stage, std::string file, const std::string& given,
                   const std::string& mistake)
      : stage_(std::move(stage)), file_(std::move(file)) {
    const std::filesystem::path solution = layout().root / "solutions" / stage_;
    right_ = core::text_of(solution / file_);
    line_ = line_in(right_, given);
    source_ = right_;
    source_.replace(source_.find(given), given.size(), mistake);
    std::filesystem::copy(solution, submission_.path(), std::filesystem::copy_options::recursive);
    std::ofstream(submission_.path() / file_) << source_ << std::flush;
  }

  const std::string& right() const { return right_; }  ///< the solution's source
  int line() const { return line_; }                   ///< of the mistake
  int line_of(const std::string& words) const { return line_in(source_, words); }

  RepairRequest request(const std::string& gpu) const {
    return {.stage = stage_called(stage_),
            .source_directory = submission_.path(),
            .scratch = scratch_.path(),
            .calls = {},
            .gpu = core::gpu_profile(gpu)};
  }

 private:
  static int line_in(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    if (at == text.npos) throw std::runtime_error("the source does not say " + words);
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
  }

  std::string stage_, file_, right_, source_;
  int line_ = 0;
  ScratchDirectory submission_, scratch_;
};

}  // namespace tilewise::grading
