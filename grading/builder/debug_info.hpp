#pragma once

#include <elfutils/libdwfl.h>

#include <filesystem>
#include <memory>

namespace tilewise::grading {

/// What a compiler wrote for debuggers into an object file, which is not linked yet.
class DebugInfo {
 public:
  /// Holds nothing where the file is no object.
  explicit DebugInfo(const std::filesystem::path& object);

  Dwfl_Module* module() const { return module_; }

 private:
  struct End {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };
  std::unique_ptr<Dwfl, End> dwfl_;
  Dwfl_Module* module_ = nullptr;
};

}  // namespace tilewise::grading
