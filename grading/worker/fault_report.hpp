#pragma once

#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Prepares this process's reports to `fault_fd`. Call on the main thread, before any code of the
/// student's.
void prepare_fault_reports();

/// What the worker is doing from now on, for a report.
void set_phase(Phase phase);

/// Where the student's module is mapped.
void set_module_base(const void* base);

/// What report_fault() does at its end, if there is time: it need not be safe in a signal handler.
void set_last_action(void (*action)());

/// Completes a record (signal, address, pc, kernel and explanation are the caller's) and writes it
/// to `fault_fd`. Async-signal-safe except for its second half, which walks the stack: what is
/// known without that is written before.
void report_fault(const Fault& fault);

/// Writes what another process has said of a fault of its own, as one of this worker's.
void pass_on_fault(Fault fault);

}  // namespace tilewise::grading
