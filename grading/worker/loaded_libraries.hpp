#pragma once

#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// What a library can do for a submission.
enum class LibraryKind {
  run_time,  ///< of C, C++, Fortran or OpenMP: compilers link it with any code
  driver,    ///< the GPU's driver, or NVIDIA's tools; loaded when it is first needed
  product,   ///< computes (BLAS and the like), compiles kernels, or reaches the GPU in another way
  unknown,
};

/// @param file  the name without folders, such as "libcublas.so.13"
LibraryKind kind_of_library(std::string_view file);

/// Lists the shared objects that a module has loaded since this object was made, except those that
/// cannot compute a product for a submission. These are the driver's and run-time libraries, if
/// their files were there before, and unknown libraries that were linked with the module, because
/// that is not the submission's choice.
class LoadedLibraries {
 public:
  LoadedLibraries();

  /// Returns file names without folders, sorted, followed by "a library" if any was loaded and
  /// unloaded again.
  /// @param module  the path of the module itself, which is not listed
  std::vector<std::string> since(const std::string& module) const;

 private:
  struct State {
    std::set<std::string> paths;
    unsigned long long ever_loaded = 0;
  };
  static State now();
  bool may_be_there(const std::string& path, bool is_linked) const;

  State before_;
  timespec made_ = {};
};

}  // namespace tilewise::grading
