#include "common/simt/runtime/faults.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "common/base/language.hpp"
#include "common/simt/device_functions.hpp"
#include "common/simt/include/tilewise/fibers.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/division.hpp"
#include "common/simt/runtime/grid_progress.hpp"
#include "common/simt/runtime/thread_pool.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

namespace {

/// This is enough for the handler, snprintf and the reporter's own frames.
constexpr std::size_t signal_stack_bytes = 64 * 1024;

void (*reporter)(const Fault&) = nullptr;

/// The process of this program's host part, if that is apart.
std::atomic<pid_t> host_part = 0;

const void* program_counter(const void* context) {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__linux__) && defined(__x86_64__)
  return reinterpret_cast<const void*>(machine->gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return reinterpret_cast<const void*>(machine->pc);
#elif defined(__APPLE__) && defined(__aarch64__)
  return reinterpret_cast<const void*>((*machine)->__ss.__pc);
#elif defined(__APPLE__) && defined(__x86_64__)
  return reinterpret_cast<const void*>((*machine)->__ss.__rip);
#else
  (void)machine;
  return nullptr;
#endif
}

void report_once(const Fault& fault) {
  static std::atomic_flag reported = ATOMIC_FLAG_INIT;
  if (!reported.test_and_set()) reporter(fault);
}

/// A signal that is sent to the process arrives at any of its threads. Passes it on to those that
/// may be running a kernel.
/// @return whether this is the first time.
bool forward_to_pool(int signal) {
  static std::atomic_flag forwarded = ATOMIC_FLAG_INIT;
  if (ThreadPool::instance().handles().empty()) return true;
  if (forwarded.test_and_set()) return false;
  for (const pthread_t thread : ThreadPool::instance().handles()) pthread_kill(thread, signal);
  usleep(100'000);  // time for one of them to report, which ends the process
  return true;
}

void handle(int signal, siginfo_t* info, void* context) {
  const Block* block = Block::if_any_of_this_thread();
  if (signal == SIGFPE && block != nullptr && block->goes_on_as_hardware()) {
    const auto pc = reinterpret_cast<std::uintptr_t>(program_counter(context));
    const RefusedDivision division = go_on_behind_division(context);
    if (division == RefusedDivision::by_zero) {
      Block::of_this_thread().note_arithmetic(
          {.what = DoubtfulArithmetic::What::division_by_zero, .place = pc});
    }
    if (division != RefusedDivision::none) return;
  }
  Fault fault{};
  fault.signal = signal;
  fault.pc = reinterpret_cast<std::uintptr_t>(program_counter(context));
  fault.in_kernel = block != nullptr && block->runs_device_code();
  if (signal == SIGXCPU && !fault.in_kernel) {
    if (host_part != 0 && !ThreadPool::instance().is_running()) {
      kill(host_part, signal);
      return;
    }
    if (!forward_to_pool(signal)) return;
  }
  if (fault.in_kernel) {
    std::snprintf(fault.kernel, sizeof fault.kernel, "%s", block->launch()->kernel);
    const unsigned indices[2][3] = {{blockIdx.x, blockIdx.y, blockIdx.z},
                                    {threadIdx.x, threadIdx.y, threadIdx.z}};
    std::memcpy(fault.block, indices[0], sizeof fault.block);
    std::memcpy(fault.thread, indices[1], sizeof fault.thread);
    const GridProgress& progress = GridProgress::instance();
    if (signal == SIGXCPU && progress.is_moving()) {
      std::snprintf(fault.explanation, sizeof fault.explanation,
                    "%llu of its %llu blocks were done by then, one after another, so that it "
                    "seems to be slow rather than endless",
                    static_cast<unsigned long long>(progress.done()),
                    static_cast<unsigned long long>(progress.blocks()));
    }
  }
  if (signal == SIGSEGV || signal == SIGBUS) {
    fault.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    explain(fault, block, info->si_code);
  }
  report_once(fault);
  ::signal(signal, SIG_DFL);
  raise(signal);  // the signal is held back until this handler returns
}

}  // namespace

#if defined(__linux__) && defined(__x86_64__)
namespace {

/// Returns the address of the 16 bytes that the running thread is about to move, as far as its
/// accesses are recorded, if it is one that 16 does not divide; null otherwise.
const void* odd_place_of_vector() {
  const Recorder& r = recorder;
  if (r.next == nullptr) return nullptr;
  const std::uint32_t* const last = r.next - trace_lanes;
  const Place place = last[(trace_rows + 1) * trace_lanes];
  const bool is_it = Site32(last[0]).bytes() == 16 && place % 16 != 0 && !is_shared(place);
  return is_it ? reinterpret_cast<const void*>(r.device_base + place) : nullptr;
}

}  // namespace
#endif

void explain(Fault& fault, const Block* block, [[maybe_unused]] int code) {
  const DeviceMemory& memory = DeviceMemory::instance();
  const void* const address = reinterpret_cast<const void*>(fault.address);
  char where[160];
  if (fault.in_kernel && fault.pc == fault.address) {
    std::snprintf(
        fault.explanation, sizeof fault.explanation,
        "the kernel jumped to address %p, where there is no code: a pointer to a function "
        "was never set, or a local array was written beyond its end",
        address);
    return;
  }
#if defined(__linux__) && defined(__x86_64__)
  if (fault.in_kernel && code == SI_KERNEL) {  // the processor does not report the address
    if (const void* const place = odd_place_of_vector()) {
      memory.explain(place, where, sizeof where);
      std::snprintf(fault.explanation, sizeof fault.explanation,
                    "the kernel moved 16 bytes at once at %s, an address that 16 does not divide",
                    where);
      return;
    }
    std::snprintf(
        fault.explanation, sizeof fault.explanation,
        "the kernel followed a pointer to neither global nor shared memory, such as one "
        "that was never set, or moved a vector, as float4 is, at an address that its size "
        "does not divide");
    return;
  }
#endif
  if (memory.contains(address)) {
    memory.explain(address, where, sizeof where);
    std::snprintf(fault.explanation, sizeof fault.explanation,
                  fault.in_kernel ? "the kernel touched global memory %s"
                                  : "host code dereferenced a device pointer (%s); copy with "
                                    "cudaMemcpy, or compute in a kernel",
                  where);
  } else if (fault.in_kernel && block->stacks().overflowed_at(address)) {
    std::snprintf(fault.explanation, sizeof fault.explanation,
                  "the thread's local variables and calls need more than 256 KiB");
  } else if (fault.in_kernel) {
    std::snprintf(fault.explanation, sizeof fault.explanation,
                  "the kernel touched address %p, which is neither global nor shared memory",
                  address);
  }
}

void pass_time_limits_to(pid_t host) { host_part = host; }

void use_alternate_signal_stack() {
  static thread_local std::unique_ptr<char[]> memory;
  if (memory) return;
  memory = std::make_unique<char[]>(signal_stack_bytes);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = signal_stack_bytes;
  sigaltstack(&stack, nullptr);
}

void install_fault_handler(void (*report)(const Fault&)) {
  reporter = report;
  use_alternate_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace tilewise::simt

/// The key with which return addresses are kept; 0 on threads that run no block, which keep none.
/// Code that does not know the key cannot know what to write in place of a kept address.
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
       .message = tr("a function of the kernel does not return to where it was called from: "
                     "something has been written past the end of a local variable"),
       .file = launch.file,
       .line = launch.line}));
}

}  // namespace tilewise::simt

// Checks calls of a kernel through a pointer that leads out of its module's device code.

namespace tilewise::simt {
namespace {

void add_function(std::string name, std::set<const void*>& functions) {
  const bool is_wrapped = std::ranges::find(wrapped_functions, name) != wrapped_functions.end();
  if (is_wrapped) name.insert(0, "__wrap_");
  if (const void* found = dlsym(RTLD_DEFAULT, name.c_str())) functions.insert(found);
}

/// Returns the addresses of the library functions that a GPU has, too.
std::set<const void*> device_functions() {
  std::set<const void*> functions;
  for (const std::string_view name : device_mathematics) {
    add_function(std::string(name), functions);
    add_function(std::string(name) + 'f', functions);
  }
  for (const std::string_view name : device_library) add_function(std::string(name), functions);
  return functions;
}

/// Describes what a kernel calls at that address.
std::string description_of(const void* function) {
  constexpr std::uintptr_t near_null = 64 << 10;  // no system maps anything there
  if (reinterpret_cast<std::uintptr_t>(function) < near_null) {
    return tr("a kernel calls through a pointer to a function that is null");
  }
  Dl_info info;
  if (dladdr(function, &info) == 0) {
    return tr("a kernel calls through a pointer that leads to no function ({})", function);
  }
  const bool has_name = info.dli_sname != nullptr && info.dli_saddr == function;
  return tr(
      "a kernel calls {}, itself or through a pointer; no GPU has it: write it as a __device__ "
      "function of your own, or call it on the host",
      has_name ? tr("{}, a host function", info.dli_sname) : tr("a host function"));
}

}  // namespace

/// @param caller the address that the call returns to
/// @param device_code the module's device code; null if the builder has not separated it from other
/// code
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
