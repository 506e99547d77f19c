/// \file
/// The only place where Tilewise starts programs.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

/// Two connected ends. A child process inherits neither of them unless it is handed one.
struct Pipe {
  FileDescriptor out;  ///< to read from
  FileDescriptor in;   ///< to write to
};

/// @throws std::system_error
Pipe make_pipe();

/// Makes two connected sockets, each for reading and writing.
/// @throws std::system_error
Pipe make_socket_pair();

/// Opens /dev/null for reading and writing.
/// @throws std::system_error
FileDescriptor open_null();

/// Makes reads and writes that would have to wait fail at once with EAGAIN.
void make_non_blocking(const FileDescriptor& fd);

/// Whether Tilewise's own programs can start under a limit on their address space:
/// AddressSanitizer's shadow memory alone takes terabytes of addresses.
#ifdef TILEWISE_SANITIZE
inline constexpr bool can_limit_address_space = false;
#else
inline constexpr bool can_limit_address_space = true;
#endif

/// Limits on what a process may use; 0 means no limit. A stricter limit of the system stays in
/// force.
struct ProcessLimits {
  std::size_t address_space_bytes = 0;
  std::size_t data_bytes = 0;  ///< private writable memory
  std::size_t file_bytes = 0;  ///< size of the largest file that it may write
  std::size_t open_files = 0;
  /// CPU time of all its threads together. At the limit it gets SIGXCPU; a second later it is
  /// killed.
  std::size_t cpu_s = 0;
};

/// A program to start, without a shell.
struct Program {
  std::vector<std::string> arguments;  ///< the program, looked up in its PATH, and its arguments
  std::filesystem::path working_directory = {};  ///< empty: this process's
  /// Variables to set in addition to those inherited from this process.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Names of the variables that it inherits from this process; without a value, it inherits all.
  std::optional<std::vector<std::string>> inherits = {};
  ProcessLimits limits = {};
  Sandbox sandbox = {};   ///< the sandbox that it runs in, if any
  SandboxView view = {};  ///< what it sees in the sandbox
};

/// Makes glibc ask for large pages, of which the kernel has fewer to prepare. This helps a program
/// that fills, copies and compares matrices.
inline const std::pair<std::string, std::string> with_large_pages = {"GLIBC_TUNABLES",
                                                                     "glibc.malloc.hugetlb=1"};

/// How a program is connected to this process and to its terminal.
struct ProcessOptions {
  /// Descriptors of this process that become 0, 1, 2, ... in the program. It inherits no others.
  std::vector<int> descriptors = {};

  enum class Place {
    background,  ///< a session of its own without a terminal, on which it could write or type
    foreground,  ///< this process's session and terminal, as if a shell had started it
    terminal,    ///< a session of its own on the terminal that is its standard input
  };
  Place place = Place::background;

  /// The signal that it gets when this process ends, for whatever reason.
  int when_parent_ends = SIGTERM;
};

/// Thrown when the program cannot be started although the system can start processes.
class NotStarted : public std::system_error {
 public:
  using std::system_error::system_error;
};

/// A process, together with whatever it starts in its process group; all of them end with this
/// object. The process has the limits of its program and leaves no core file. It starts with the
/// default handling of every signal and blocks none.
class Process {
 public:
  /// @throws NotStarted naming the program; std::system_error if the system cannot start a process
  explicit Process(const Program& program, const ProcessOptions& options);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { end(); }

  /// Ends the group once the process has exited. Returns the wait status (see WIFEXITED) then, and
  /// nothing while the process runs.
  std::optional<int> ended();

  /// Whether the process has exited. Its group may live on until ended(), wait() or end() is
  /// called.
  bool has_exited() const;

  /// Sends a signal to the program itself (see process_meant()), not to its group. Does nothing
  /// once the program has ended.
  void send_signal(int signal) const;

  /// Kills the group without waiting for its end.
  void kill_group() const;

  /// Waits for the process to exit, then ends its group.
  /// @return its wait status; if a signal ended the program in a sandbox, the status for that
  /// signal
  int wait();

  /// Kills the whole group at once and waits for the process.
  /// @return as wait()
  int end();

  /// The program's own process, which a sandbox starts through processes of its own; nothing once
  /// it has ended.
  std::optional<pid_t> process_meant() const;

 private:
  pid_t pid_ = -1;
  bool leads_group_;
  int wrappers_;               ///< the sandbox's processes above the program's own
  std::optional<int> status_;  ///< set once the process has been waited for
};

/// The first child of `parent` that still runs.
std::optional<pid_t> first_child(pid_t parent);

/// Runs a program on this process's terminal until it ends, as a shell does. Only the program
/// reacts to Ctrl-C.
/// @return its exit status; 128 plus the signal's number if a signal ended it
/// @throws as Process
int run_in_foreground(const Program& program);

struct ForegroundEnding {
  int status;  ///< as run_in_foreground()
  bool timed_out;
};

/// Does the same under a time limit: at the limit the program gets SIGXCPU, so that it can report
/// where it is, and a second later it is killed.
/// @param time_limit_s  0: none
ForegroundEnding run_in_foreground(const Program& program, double time_limit_s);

/// From now on no other process of the same user can read this process's memory or environment,
/// which hold seeds and references, or write to them; root still can. This is for machines without
/// a sandbox: a sandbox hides all other processes from a submission anyway.
void keep_secrets();

/// The executable file that this name would start; nothing if there is none.
std::optional<std::filesystem::path> find_on_path(const std::string& program);

}  // namespace tilewise::grading
