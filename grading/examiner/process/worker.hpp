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
  /// A program that runs the worker under its eyes, and its arguments; the worker is the last one.
  /// It gets time to write down what it saw. Empty: the worker runs by itself.
  std::vector<std::string> supervisor = {};
  Sandbox sandbox = {};  ///< for a worker without supervisor; none: limits alone hold it
  std::filesystem::path module;
  core::GpuProfile profile;      ///< the GPU to simulate
  double time_limit_s = 10;      ///< for loading the module, and again for each call
  std::size_t shared_bytes = 0;  ///< capacity for the images of one call
  /// All that the worker may map, the shared memory included. 0: no limit, which the CUDA driver
  /// needs, because it reserves far more addresses than it uses.
  std::size_t address_space_bytes = 0;
  std::size_t cpu_s = 0;  ///< processor time of all calls and threads together; 0: no limit
  std::size_t output_bytes = std::size_t{1} << 20;  ///< that the student's code may print
  bool writes_coverage = false;  ///< of a module built to be covered; it may then write files
  /// Of hundreds of calls only those that return matter: other ends are told without a line of the
  /// source, and a kernel that fails does not end the worker.
  bool is_for_trials = false;
};

/// What a worker of the simulator may map, with room for the matrices shared with it and for the
/// student's own allocations.
std::size_t simulator_address_space_bytes();

/// Processor time for any number of calls that an honest test makes.
std::size_t cpu_seconds(double time_limit_s);

/// What came of a call.
struct CallReply {
  enum class Ending {
    returned,   ///< the function returned; everything but `finding` tells how
    crashed,    ///< a fatal signal, an exception or a kernel that failed
    timed_out,  ///< still running at the time limit
    exited,     ///< the student's code ended the process
    flooded,    ///< it printed too much, or started too many threads
    protocol,   ///< it tampered with the channel between worker and examiner
    refused,    ///< nobody's code ran: no such module, function or device, or wrong arguments
  };
  Ending ending = Ending::refused;
  int cuda_status = 0;                  ///< what the function returned
  std::string cuda_error_name;          ///< its name, e.g. "cudaErrorInvalidValue"
  int launches = 0;                     ///< successful kernel launches; of the last run where timed
  std::vector<LaunchInfo> launch_list;  ///< the first of them
  std::size_t bytes_for_the_host = 0;   ///< of the device's, that the function let the host read
  std::vector<std::string> loaded_libraries;  ///< by the submission so far
  std::vector<Finding> findings;
  std::vector<Finding> refusals;  ///< calls of CUDA that returned an error, which is no fault yet
  std::vector<KernelProfile> profiles;  ///< of the launches listed, where counters were asked for
  std::vector<double> times_ms;  ///< one a repetition; fewer where the function returned an error
  double copies_ms = 0;          ///< of a timed call's matrices to the device, and of results back
  std::string trace;             ///< where one was asked for; a worker's text (trace_text.hpp)
  Finding finding;  ///< for anything but returned: what happened, where, and what to do
};

/// A process of its own that runs a student's module. Whatever that code does ends there: calls
/// report it, and never throw or hang. After any ending but returned and refused the process is
/// gone, as has_ended() tells, and every later call repeats that reply. One for trials outlives
/// kernels that failed.
class Worker {
 public:
  /// Starts the process; ready() tells how that went.
  /// @throws std::system_error where this process is out of memory or descriptors
  explicit Worker(WorkerOptions options);
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  /// Waits until the module is loaded. Ending::returned, or why not.
  const CallReply& ready();

  /// The device it runs on; nothing is known of it before ready().
  const DeviceInfo& device() const;

  /// The memory shared with the worker, WorkerOptions::shared_bytes long. Buffer arguments are
  /// ranges of it. A call reads and writes it; a call that fails may leave it half written.
  std::span<std::byte> memory();

  /// Calls a contract function and waits for its kernels.
  /// @param watch what to watch of them; takes a module of the checked build
  /// @param hand_over called between the warm-ups of a timed call and its timed runs: puts the
  ///                  matrices of these into memory(), which must have been nowhere before
  /// @param share_of_time of WorkerOptions::time_limit_s that it gets
  CallReply call(const std::string& function, std::span<const Argument> arguments,
                 std::optional<Timing> timing = {}, std::optional<simt::Watch> watch = {},
                 const std::function<void()>& hand_over = {}, double share_of_time = 1);

  /// Has the calls that follow run this variant of a module that was built to be varied.
  void choose_variant(std::int32_t variant);

  /// Whether the process is gone.
  bool has_ended() const;

  /// Seconds that the student's code has taken so far, to load and in calls, without those in which
  /// others had the processors.
  double seconds_taken() const;

  /// Ends the worker, and waits until its supervisor has written down what it saw. No call can be
  /// made any more.
  void finish();

  /// What the student's code has printed until the last reply, stdout and stderr in one.
  std::string output() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewise::grading
