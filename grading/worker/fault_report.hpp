#pragma once

#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Prepares this process's reports to `fault_fd`. Call it on the main thread, before any of the
/// student's code runs.
void prepare_fault_reports();

/// Records what the worker is doing from now on, for fault reports.
void set_phase(Phase phase);

/// Records where the student's module is mapped, for fault reports.
void set_module_base(const void* base);

/// Sets the function that report_fault() calls at its end, if there is time. It need not be safe in
/// a signal handler.
void set_last_action(void (*action)());

/// Completes a record and writes it to `fault_fd`. The caller must have set signal, address, pc,
/// kernel and explanation. The second half walks the stack and is not async-signal-safe; so what is
/// known without the stack is written before.
void report_fault(const Fault& fault);

/// Writes a fault that another process has reported of itself, as one of this worker's.
void pass_on_fault(Fault fault);

}  // namespace tilewise::grading
