#include "grading/worker/loaded_libraries.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// Two libraries of the C library that this program does not need. The first is in none of the lists
// of known libraries, the second is in one.
constexpr const char* unknown_library = "libBrokenLocale.so.1";
constexpr const char* run_time_library = "libanl.so.1";

class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~Library() { close(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void close() {
    if (handle_ != nullptr) dlclose(handle_);
    handle_ = nullptr;
  }

  std::string path() const {
    const link_map* map = nullptr;
    return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
  }

 private:
  void* handle_;
};

TEST(KindOfLibrary, IsKnownByItsName) {
  const struct {
    const char* file;
    LibraryKind kind;
  } cases[] = {
      {"libstdc++.so.6", LibraryKind::run_time},
      {"libstdc++.so.6.0.33", LibraryKind::run_time},
      {"libgcc_s.so.1", LibraryKind::run_time},
      {"libgcc_s-14-20241112.so.1", LibraryKind::run_time},
      {"libm.so.6", LibraryKind::run_time},
      {"libm-2.31.so", LibraryKind::run_time},
      {"libmvec.so.1", LibraryKind::run_time},
      {"libc.so.6", LibraryKind::run_time},
      {"libc++.so.1", LibraryKind::run_time},
      {"libc++abi.so.1.0", LibraryKind::run_time},
      {"libunwind.so.1", LibraryKind::run_time},
      {"libgomp.so.1", LibraryKind::run_time},
      {"libomp.so.5", LibraryKind::run_time},
      {"libiomp5.so", LibraryKind::run_time},
      {"libsvml.so", LibraryKind::run_time},
      {"libatomic.so.1", LibraryKind::run_time},
      {"ld-linux-x86-64.so.2", LibraryKind::run_time},
      {"linux-vdso.so.1", LibraryKind::run_time},
      {"libnss_files.so.2", LibraryKind::run_time},
      {"libcuda.so.1", LibraryKind::driver},
      {"libcuda.so.580.159.04", LibraryKind::driver},
      {"libnvidia-ptxjitcompiler.so.1", LibraryKind::driver},
      {"libsanitizer-public.so", LibraryKind::driver},
      {"libcublas.so.13", LibraryKind::product},
      {"libcublasLt.so.12", LibraryKind::product},
      {"libcutensor.so.2", LibraryKind::product},
      {"libcusolver.so.12", LibraryKind::product},
      {"libcusparse.so.12", LibraryKind::product},
      {"libcudnn_ops.so.9", LibraryKind::product},
      {"libnvrtc.so.13", LibraryKind::product},
      {"libcudart.so.13", LibraryKind::product},
      {"libopenblas.so.0", LibraryKind::product},
      {"libopenblasp-r0.3.21.so", LibraryKind::product},
      {"libblas.so.3", LibraryKind::product},
      {"libcblas.so.3", LibraryKind::product},
      {"liblapack.so.3", LibraryKind::product},
      {"libatlas.so.3", LibraryKind::product},
      {"libblis.so.4", LibraryKind::product},
      {"libmkl_rt.so.2", LibraryKind::product},
      {"libmkl_avx512.so.2", LibraryKind::product},
      {"libdnnl.so.3", LibraryKind::product},
      {"Accelerate", LibraryKind::product},
      {"libsomething.so.1", LibraryKind::unknown},
      {"libstdc++extra.so", LibraryKind::unknown},
      {"libmine.so", LibraryKind::unknown},
      {"", LibraryKind::unknown},
  };
  for (const auto& c : cases) EXPECT_EQ(kind_of_library(c.file), c.kind) << c.file;
}

TEST(LoadedLibraries, NamesWhatIsThereAndWhatWasThere) {
  const LoadedLibraries libraries;
  EXPECT_THAT(libraries.since(""), IsEmpty());
  Library library(unknown_library);
  EXPECT_THAT(libraries.since(""), ElementsAre(unknown_library));
  library.close();
  EXPECT_THAT(libraries.since(""), ElementsAre("a library"));
}

TEST(LoadedLibraries, ExpectsTheModule) {
  const LoadedLibraries libraries;
  const Library library(unknown_library);
  EXPECT_THAT(libraries.since(library.path()), IsEmpty());
}

TEST(LoadedLibraries, DoNotMindARunTimeLibrary) {
  const LoadedLibraries libraries;
  const Library library(run_time_library);
  EXPECT_THAT(libraries.since(""), IsEmpty());
}

TEST(LoadedLibraries, MindOneThatWasWrittenSince) {
  std::string found;
  {
    const Library library(run_time_library);
    found = library.path();
  }
  const LoadedLibraries libraries;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // file times change by clock ticks
  const fs::path copy = fs::path(testing::TempDir()) / "tilewise_loaded" / run_time_library;
  fs::create_directories(copy.parent_path());
  fs::copy_file(found, copy, fs::copy_options::overwrite_existing);
  {
    const Library library(copy);
    EXPECT_THAT(libraries.since(""), ElementsAre(run_time_library));
  }
  fs::remove_all(copy.parent_path());
}

}  // namespace
}  // namespace tilewise::grading
