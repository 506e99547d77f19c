#include "grading/worker/loaded_libraries.hpp"

#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <tuple>

namespace tilewise::grading {
namespace {

// Returns "libstdc++" for "libstdc++.so.6" and "libgcc_s" for "libgcc_s-14-20241112.so.1".
std::string_view stem_of(std::string_view file) {
  std::string_view stem = file.substr(0, file.find(".so"));
  for (std::size_t dash = stem.find('-'); dash != stem.npos; dash = stem.find('-', dash + 1)) {
    const bool is_version =
        dash + 1 < stem.size() && stem[dash + 1] >= '0' && stem[dash + 1] <= '9';
    if (is_version) return stem.substr(0, dash);
  }
  return stem;
}

// The run-time libraries of the GNU, LLVM, Intel and NVIDIA compilers, the C libraries, and the
// libraries that sanitizers and coverage add.
constexpr std::string_view run_time_libraries[] = {"linux-vdso",
                                                   "libc",
                                                   "libm",
                                                   "libmvec",
                                                   "libdl",
                                                   "librt",
                                                   "libpthread",
                                                   "libutil",
                                                   "libanl",
                                                   "libresolv",
                                                   "libstdc++",
                                                   "libsupc++",
                                                   "libgcc_s",
                                                   "libatomic",
                                                   "libgomp",
                                                   "libquadmath",
                                                   "libgfortran",
                                                   "libc++",
                                                   "libc++abi",
                                                   "libunwind",
                                                   "libomp",
                                                   "libflang_rt",
                                                   "libFortranRuntime",
                                                   "libiomp5",
                                                   "libimf",
                                                   "libsvml",
                                                   "libirng",
                                                   "libintlc",
                                                   "libirc",
                                                   "libifcore",
                                                   "libifport",
                                                   "libnvc",
                                                   "libnvomp",
                                                   "libnvhpcatm",
                                                   "libnvcpumath",
                                                   "libasan",
                                                   "libubsan",
                                                   "libtsan",
                                                   "liblsan",
                                                   "libhwasan",
                                                   "libgcov"};

// The loaders, and the libraries that the C library and NVIDIA's compiler load by themselves.
constexpr std::string_view run_time_prefixes[] = {"ld-linux-", "ld-musl-", "libnss_",
                                                  "libnvcpumath-"};

constexpr std::string_view driver_prefixes[] = {"libcuda.so", "libcudadebugger.so",
                                                "libnvidia-", "libsanitizer-",
                                                "libnvrm",    "libcuda-injection"};

// CUDA's libraries; those of AMD, Intel and others that multiply on a processor; and run-times of
// the device other than the one that the module is linked with, whose calls nobody counts.
constexpr std::string_view product_prefixes[] = {
    "libcublas",        "libcutensor",  "libcusolver", "libcusparse",  "libcudnn",
    "libcufft",         "libcurand",    "libnvrtc",    "libnvJitLink", "libnvjitlink",
    "libnvptxcompiler", "libnvvm",      "libnvblas",   "libcudart",    "libcupti",
    "libcudadevrt",     "libcutlass",   "libmagma",    "libnccl",      "libnpp",
    "libnvtiff",        "libcudss",     "libblas",     "libcblas",     "libopenblas",
    "libgoto",          "libatlas",     "libsatlas",   "libtatlas",    "libf77blas",
    "libptcblas",       "libptf77blas", "libblis",     "libflame",     "liblapack",
    "libmkl_",          "libdnnl",      "libmkldnn",   "libarmpl",     "libamdlibm",
    "libaocl",          "libarmadillo", "libgsl",      "libtorch",     "libtensorflow",
    "libonnxruntime",   "libtvm",       "libOpenCL",   "libvulkan",    "libsycl",
    "librocblas",       "libhipblas",   "Accelerate",  "vecLib"};

bool begins_with_any_of(std::string_view file, const auto& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return file.starts_with(prefix); });
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename(); }

// Returns the names of the libraries that a shared object was linked with.
std::set<std::string> linked_with(const dl_phdr_info& info) {
  std::set<std::string> names;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* const first =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    ElfW(Addr) strings = 0;
    for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    }
    if (strings < info.dlpi_addr) strings += info.dlpi_addr;  // some loaders leave it relative
    for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag != DT_NEEDED) continue;
      names.insert(reinterpret_cast<const char*>(strings + entry->d_un.d_val));
    }
  }
  return names;
}

// Returns the names of all libraries that a shared object is linked with, directly or by way of
// others.
std::set<std::string> linked_with(const std::string& module) {
  std::map<std::string, std::set<std::string>> of_each;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& of_each = *static_cast<std::map<std::string, std::set<std::string>>*>(out);
        of_each[file_name(info->dlpi_name)] = linked_with(*info);
        return 0;
      },
      &of_each);
  std::set<std::string> all;
  std::vector<std::string> to_visit = {file_name(module)};
  while (!to_visit.empty()) {
    const std::string name = to_visit.back();
    to_visit.pop_back();
    for (const std::string& needed : of_each[name]) {
      if (all.insert(needed).second) to_visit.push_back(needed);
    }
  }
  return all;
}

// Whether the file was there before `time`. A file that was written later may be called libm.so.6
// and be anything. The library that the kernel itself provides has no file.
bool is_older(const std::string& path, const timespec& time) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return path.find('/') == path.npos;
  return std::tie(file.st_ctim.tv_sec, file.st_ctim.tv_nsec) < std::tie(time.tv_sec, time.tv_nsec);
}

}  // namespace

LibraryKind kind_of_library(std::string_view file) {
  if (begins_with_any_of(file, driver_prefixes)) return LibraryKind::driver;
  const bool is_run_time =
      std::ranges::find(run_time_libraries, stem_of(file)) != std::end(run_time_libraries) ||
      begins_with_any_of(file, run_time_prefixes);
  if (is_run_time) return LibraryKind::run_time;
  if (begins_with_any_of(file, product_prefixes)) return LibraryKind::product;
  return LibraryKind::unknown;
}

LoadedLibraries::State LoadedLibraries::now() {
  State state;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& state = *static_cast<State*>(out);
        state.paths.insert(info->dlpi_name);
        state.ever_loaded = info->dlpi_adds;
        return 0;
      },
      &state);
  return state;
}

LoadedLibraries::LoadedLibraries() : before_(now()) { clock_gettime(CLOCK_REALTIME, &made_); }

bool LoadedLibraries::may_be_there(const std::string& path, bool is_linked) const {
  switch (kind_of_library(file_name(path))) {
    case LibraryKind::driver:
    case LibraryKind::run_time:
      return is_older(path, made_);
    case LibraryKind::product:
      return false;
    case LibraryKind::unknown:
      break;
  }
  return is_linked;
}

std::vector<std::string> LoadedLibraries::since(const std::string& module) const {
  const State after = now();
  const std::set<std::string> linked = linked_with(module);
  std::vector<std::string> names;
  unsigned long long there = 0;
  for (const std::string& path : after.paths) {
    if (before_.paths.contains(path)) continue;
    ++there;
    const std::string name = file_name(path);
    if (path != module && !may_be_there(path, linked.contains(name))) names.push_back(name);
  }
  std::ranges::sort(names);
  if (after.ever_loaded - before_.ever_loaded > there) names.push_back("a library");
  return names;
}

}  // namespace tilewise::grading
