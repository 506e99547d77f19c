#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

struct WorkerOptions {
  std::filesystem::path executable;  ///< tilewise-worker-simt or tilewise-worker-cuda
  /// A program that runs and observes the worker, with its arguments; the worker is appended as the
  /// last one. The program gets time to write down what it saw. Empty: the worker runs by itself.
  std::vector<std::string> supervisor = {};
  Sandbox sandbox = {};  ///< for a worker without supervisor; empty: only the limits confine it
  std::filesystem::path module;
  core::GpuProfile profile;      ///< the GPU to simulate
  double time_limit_s = 10;      ///< for loading the module, and again for each call
  std::size_t shared_bytes = 0;  ///< capacity for the images of one call
  /// How much address space the worker may map, the shared memory included. 0 means no limit, which
  /// the CUDA driver needs, because it reserves far more addresses than it uses.
  std::size_t address_space_bytes = 0;
  std::size_t cpu_s = 0;  ///< processor time of all calls and threads together; 0: no limit
  std::size_t output_bytes = std::size_t{1} << 20;  ///< how much the student's code may print
  bool writes_coverage = false;  ///< for a module built to be covered, which may then write files
  /// For trials: of hundreds of calls only those that return matter. Other endings are reported
  /// without a line of the source, and a kernel that fails does not end the worker.
  bool is_for_trials = false;
};

/// Returns how much address space a worker of the simulator may map, with room for the matrices
/// shared with it and for the student's own allocations.
std::size_t simulator_address_space_bytes();

/// Returns a limit of processor time that is enough for all calls that an honest test makes.
std::size_t cpu_seconds(double time_limit_s);

/// The outcome of a call.
struct CallReply {
  enum class Ending {
    returned,   ///< the function returned; all members but `finding` say how
    crashed,    ///< a fatal signal, an exception or a kernel that failed
    timed_out,  ///< it was still running at the time limit
    exited,     ///< the student's code ended the process
    flooded,    ///< it printed too much, or started too many threads
    protocol,   ///< it tampered with the channel between worker and examiner
    refused,    ///< nobody's code ran: no such module, function or device, or wrong arguments
  };
  Ending ending = Ending::refused;
  int cuda_status = 0;                  ///< what the function returned
  std::string cuda_error_name;          ///< its name, e.g. "cudaErrorInvalidValue"
  int launches = 0;                     ///< successful kernel launches; if timed, of the last run
  std::vector<LaunchInfo> launch_list;  ///< the first of these launches
  std::size_t bytes_for_the_host = 0;   ///< device memory that the function let the host read
  std::vector<std::string> loaded_libraries;  ///< libraries that the submission has loaded so far
  std::vector<Finding> findings;
  /// What may explain a wrong result, and is no fault by itself: calls of CUDA that returned an
  /// error, and shuffles that moved nothing.
  std::vector<Finding> explanations;
  std::vector<KernelProfile> profiles;  ///< of the launches listed, if counters were asked for
  std::vector<double> times_ms;  ///< one a repetition; fewer where the function returned an error
  double copies_ms = 0;  ///< to copy a timed call's matrices to the device, and results back
  std::string trace;     ///< the worker's text, if a trace was asked for (trace_text.hpp)
  Finding finding;       ///< for anything but returned: what happened, where, and what to do
};

/// A process of its own that runs a student's module. Whatever that code does affects only this
/// process: calls report it, and never throw or hang. After any ending but returned and refused the
/// process is gone, has_ended() is true, and every later call repeats that reply. A worker for
/// trials survives kernels that failed.
class Worker {
 public:
  /// Starts the process; ready() reports how that went.
  /// @throws std::system_error if this process is out of memory or descriptors
  explicit Worker(WorkerOptions options);
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  /// Waits until the module is loaded. The reply's ending is `returned`, or the reply says why the
  /// module is not loaded.
  const CallReply& ready();

  /// The device that the worker runs on, which is not known before ready().
  const DeviceInfo& device() const;

  /// The memory shared with the worker, WorkerOptions::shared_bytes long. Buffer arguments are
  /// ranges of it. A call reads and writes it; a call that fails may leave it half written.
  std::span<std::byte> memory();

  /// Calls a contract function and waits for its kernels.
  /// @param watch what to watch of the kernels; needs a module of the checked build
  /// @param hand_over called between the warm-ups of a timed call and its timed runs. It puts the
  ///                  matrices of the timed runs into memory(); before that the worker must not
  ///                  have had them.
  /// @param share_of_time the fraction of WorkerOptions::time_limit_s that the call gets
  CallReply call(const std::string& function, std::span<const Argument> arguments,
                 std::optional<Timing> timing = {}, std::optional<simt::Watch> watch = {},
                 const std::function<void()>& hand_over = {}, double share_of_time = 1);

  /// Makes the calls that follow run this variant of a module that was built to be varied.
  void choose_variant(std::int32_t variant);

  /// Whether the process is gone.
  bool has_ended() const;

  /// Returns the seconds that the student's code has taken so far, in loading and in calls, without
  /// the time in which other processes had the processors.
  double seconds_taken() const;

  /// Ends the worker, and waits until its supervisor has written down what it saw. No call can be
  /// made any more.
  void finish();

  /// Returns what the student's code has printed up to the last reply, stdout and stderr together.
  std::string output() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewise::grading
