#include "common/simt/runtime/faults.hpp"

#include <signal.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>

#include "common/simt/include/tilewise/builtin_variables.hpp"
#include "common/simt/include/tilewise/launch.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/thread_pool.hpp"
#include "common/simt/simt.hpp"

namespace tilewise::simt {

namespace {

/// Enough for the handler, snprintf and the reporter's own frames.
constexpr std::size_t signal_stack_bytes = 64 * 1024;

void (*reporter)(const Fault&) = nullptr;

/// Where the host part of this program runs, if apart.
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

/// A signal sent to the process arrives at any of its threads: passes it on to those that may be
/// running a kernel. @return whether this is the first time.
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
  }
  if (signal == SIGSEGV || signal == SIGBUS) {
    fault.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    explain(fault, block, info->si_code);
  }
  report_once(fault);
  ::signal(signal, SIG_DFL);
  raise(signal);  // is held back until this handler returns
}

}  // namespace

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
  if (fault.in_kernel && code == SI_KERNEL) {  // the processor refuses to say which address
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
