#include "common/simt/runtime/calls_and_returns.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "common/simt/device_functions.hpp"
#include "common/simt/include/tilewise/fibers.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/runtime/block.hpp"

/// What addresses are kept under; 0 where none are, on threads that run no block. Nobody knows what
/// to write in place of one who does not know it.
extern "C" {
__thread std::uint64_t tilewise_simt_return_key __attribute__((tls_model("initial-exec"))) = 0;
}

namespace tilewise::simt {
namespace {

std::uint64_t key_of_this_process() {
  static const std::uint64_t key = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random() | 1;
  }();
  return key;
}

}  // namespace

KeepingReturns::KeepingReturns() { tilewise_simt_return_key = key_of_this_process(); }
KeepingReturns::~KeepingReturns() { tilewise_simt_return_key = 0; }

extern "C" void tilewise_simt_refuse_return() {
  Block& block = Block::of_this_thread();
  if (block.watch() != nullptr) block.watch()->pause_recording();
  const LaunchConfiguration& launch = *block.launch();
  follow(block.break_off_access(
      {.kind = "out-of-bounds",
       .message = "a function of the kernel does not return to where it was called from: something "
                  "has been written past the end of a local variable",
       .file = launch.file,
       .line = launch.line}));
}

}  // namespace tilewise::simt

// What a kernel calls by a pointer, where that leads out of its module's device code.

namespace tilewise::simt {
namespace {

void add_function(std::string name, std::set<const void*>& functions) {
  const bool is_wrapped = std::ranges::find(wrapped_functions, name) != wrapped_functions.end();
  if (is_wrapped) name.insert(0, "__wrap_");
  if (const void* found = dlsym(RTLD_DEFAULT, name.c_str())) functions.insert(found);
}

/// Addresses of the library functions that a GPU has, too.
std::set<const void*> device_functions() {
  std::set<const void*> functions;
  for (const std::string_view name : device_mathematics) {
    add_function(std::string(name), functions);
    add_function(std::string(name) + 'f', functions);
  }
  for (const std::string_view name : device_library) add_function(std::string(name), functions);
  return functions;
}

/// What a kernel calls there.
std::string description_of(const void* function) {
  constexpr std::uintptr_t near_null = 64 << 10;  // no system maps anything there
  if (reinterpret_cast<std::uintptr_t>(function) < near_null) {
    return "a kernel calls through a pointer to a function that is null";
  }
  Dl_info info;
  if (dladdr(function, &info) == 0) {
    return fmt::format("a kernel calls through a pointer that leads to no function ({})", function);
  }
  const bool has_name = info.dli_sname != nullptr && info.dli_saddr == function;
  return fmt::format(
      "a kernel calls {}, itself or through a pointer; no GPU has it: write it as a __device__ "
      "function of your own, or call it on the host",
      has_name ? fmt::format("{}, a host function", info.dli_sname) : "a host function");
}

}  // namespace

/// @param caller       where the call returns to
/// @param device_code  of the module; null where the builder has not told it from other code
extern "C" void tilewise_simt_check_call(const void* function, std::uintptr_t caller,
                                         const void* device_code) {
  if (device_code == nullptr) return;
  const Block* running = Block::if_any_of_this_thread();
  if (running == nullptr || !running->runs_device_code()) return;
  static const std::set<const void*> allowed = device_functions();
  if (allowed.contains(function)) return;
  Block& block = Block::of_this_thread();
  if (block.watch() != nullptr) block.watch()->pause_recording();
  const SourceLine line = source_line(caller - 1);
  follow(block.break_off_access({.kind = "host-call",
                                 .message = description_of(function),
                                 .file = line.file,
                                 .line = line.line}));
}

}  // namespace tilewise::simt
