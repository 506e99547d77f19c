#pragma once

#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// What a library can do for a submission.
enum class LibraryKind {
  run_time,  ///< of C, C++, Fortran or OpenMP: what compilers link whatever the code is
  driver,    ///< the GPU's, or of NVIDIA's tools: loaded when they are first needed
  product,   ///< computes (BLAS and its kin), compiles kernels, or reaches the GPU by another way
  unknown,
};

/// @param file  name without folders: "libcublas.so.13"
LibraryKind kind_of_library(std::string_view file);

/// Tells which shared objects a module has loaded since this was made, other than those that nobody
/// has a product of: the driver's and run-time libraries, if their files were there before, and
/// what is unknown but was linked with the module, which is not the submission's choice.
class LoadedLibraries {
 public:
  LoadedLibraries();

  /// File names without folders, sorted; "a library" for what was loaded and unloaded again.
  /// @param module  path of one that is to be there
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
