#include "grading/worker/fault_report.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

std::atomic<Phase> current_phase = Phase::starting;
std::atomic<std::uint64_t> module_base = 0;
int memory_in_use = -1;  ///< kept open, since a handler may be forbidden to open a file
std::uint64_t stack_top = 0;
std::uint64_t stack_bytes = 0;
void (*last_action)() = nullptr;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// An overflow hits the first page below the stack, unless a large frame steps over that page.
bool is_below_stack(std::uint64_t address) {
  constexpr std::uint64_t largest_frame = 1 << 20;
  constexpr std::uint64_t slack = 64 << 10;  // environment and arguments lie above stack_top
  if (stack_bytes == 0) return false;
  const std::uint64_t bottom = stack_top - stack_bytes;
  return address > bottom - largest_frame && address < bottom + slack;
}

/// Returns the bytes of address space in use, from Linux's /proc; 0 on other systems.
std::uint64_t mapped_bytes() {
  char text[64];
  const ssize_t length = pread(memory_in_use, text, sizeof text, 0);
  std::uint64_t pages = 0;
  for (ssize_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i) {
    pages = pages * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void write_record(const Fault& record) {
  // If this fails, nobody is left to report it to.
  static_cast<void>(!write(fault_fd, &record, sizeof record));
}

}  // namespace

void prepare_fault_reports() {
  memory_in_use = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  stack_top = address_of(__builtin_frame_address(0));
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    stack_bytes = limit.rlim_cur;
  }
  void* caller;
  backtrace(&caller, 1);  // loads the unwinder now, because a signal handler must not
}

void set_phase(Phase phase) { current_phase = phase; }

void set_module_base(const void* base) { module_base = address_of(base); }

void set_last_action(void (*action)()) { last_action = action; }

void pass_on_fault(Fault record) {
  record.magic = Fault::expected_magic;
  record.phase = current_phase;
  record.module_base = module_base;
  write_record(record);
}

void report_fault(const Fault& fault) {
  Fault record = fault;
  record.magic = Fault::expected_magic;
  record.phase = current_phase;
  record.module_base = module_base;
  record.mapped_bytes = mapped_bytes();
  record.stack_overflow =
      (record.signal == SIGSEGV || record.signal == SIGBUS) && is_below_stack(record.address);
  record.caller_count = 0;
  write_record(record);

  void* callers[Fault::max_callers];
  const int count = backtrace(callers, Fault::max_callers);
  for (int i = 0; i < count; ++i) record.callers[i] = address_of(callers[i]);
  record.caller_count = static_cast<std::uint32_t>(count);
  write_record(record);

  if (last_action != nullptr) {
    alarm(1);  // ends the process if the action waits for a lock that the fault left locked
    last_action();
  }
}

}  // namespace tilewise::grading
