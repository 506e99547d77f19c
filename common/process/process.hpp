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

/// Two connected ends. Neither is inherited by other processes unless handed to them.
struct Pipe {
  FileDescriptor out;  ///< to read from
  FileDescriptor in;   ///< to write to
};

/// @throws std::system_error
Pipe make_pipe();

/// Both ends read and write.
/// @throws std::system_error
Pipe make_socket_pair();

/// /dev/null, for reading and writing.
/// @throws std::system_error
FileDescriptor open_null();

/// Makes reads and writes return at once, with EAGAIN where they would wait.
void make_non_blocking(const FileDescriptor& fd);

/// Whether a program of ours can start under a limit of its address space: AddressSanitizer's
/// shadow memory alone takes terabytes of addresses.
#ifdef TILEWISE_SANITIZE
inline constexpr bool can_limit_address_space = false;
#else
inline constexpr bool can_limit_address_space = true;
#endif

/// What a process may use; 0: no limit. A limit of the system's that is stricter stays.
struct ProcessLimits {
  std::size_t address_space_bytes = 0;
  std::size_t data_bytes = 0;  ///< private writable memory
  std::size_t file_bytes = 0;  ///< of the largest file that it writes
  std::size_t open_files = 0;
  std::size_t cpu_s = 0;  ///< of all its threads together; SIGXCPU tells it a second before its end
};

/// A program to start, without a shell.
struct Program {
  std::vector<std::string> arguments;  ///< the program, looked up in its PATH, and its arguments
  std::filesystem::path working_directory = {};  ///< empty: this process's
  /// Variables set beside those of this process.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Names of the variables of this process that it gets; nothing: all of them.
  std::optional<std::vector<std::string>> inherits = {};
  ProcessLimits limits = {};
  Sandbox sandbox = {};   ///< that it runs in, if any
  SandboxView view = {};  ///< of the sandbox
};

/// For a program that fills, copies and compares matrices: glibc asks for large pages for them, and
/// the kernel has fewer to prepare.
inline const std::pair<std::string, std::string> with_large_pages = {"GLIBC_TUNABLES",
                                                                     "glibc.malloc.hugetlb=1"};

/// What a program has to do with this process and its terminal.
struct ProcessOptions {
  /// Become 0, 1, 2, ... in the program. It inherits no others.
  std::vector<int> descriptors = {};

  enum class Place {
    background,  ///< a session of its own, without a terminal: it could write there, or type
    foreground,  ///< as a shell starts a program: this process's session and terminal
    terminal,    ///< a session of its own on the terminal that its standard input is
  };
  Place place = Place::background;

  int when_parent_ends = SIGTERM;  ///< the signal that it gets then, however that came
};

/// The program could not be started; the system itself can start processes.
class NotStarted : public std::system_error {
 public:
  using std::system_error::system_error;
};

/// A process and whatever it starts in its group; both end with this object. It has the limits of
/// its program and leaves no core file. All signals are as if nobody had changed them.
class Process {
 public:
  /// @throws NotStarted naming the program; std::system_error where there is no process to be had
  explicit Process(const Program& program, const ProcessOptions& options);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { end(); }

  /// The wait status (see WIFEXITED) once the process has ended, its group with it; nothing while
  /// it runs.
  std::optional<int> ended();

  /// Whether it has ended by itself. Until ended(), wait() or end() its group may live on.
  bool has_exited() const;

  /// Sends a signal to the process meant, not to its group. Does nothing once it has ended.
  void send_signal(int signal) const;

  /// Kills the group, and does not wait for that.
  void kill_group() const;

  /// Waits for the process, and ends its group.
  /// @return its wait status; where a signal ended the process in a sandbox, that of the signal
  int wait();

  /// Ends the whole group at once and waits for the process.
  /// @return as wait()
  int end();

  /// The program itself, which a sandbox starts through processes of its own; nothing once it has
  /// ended.
  std::optional<pid_t> process_meant() const;

 private:
  pid_t pid_ = -1;
  bool leads_group_;
  int wrappers_;               ///< processes of a sandbox above the one meant
  std::optional<int> status_;  ///< once it has been waited for
};

/// The first process that `parent` has started and that still runs.
std::optional<pid_t> first_child(pid_t parent);

/// Runs a program that has the terminal to its end, as a shell does. Ctrl-C goes to it alone.
/// @return its exit status; 128 and the signal's number where a signal ended it
/// @throws as Process
int run_in_foreground(const Program& program);

struct ForegroundEnding {
  int status;  ///< as run_in_foreground()
  bool timed_out;
};

/// The same, for so long at most: then the program gets SIGXCPU, which has it tell where it is, and
/// is killed a second later. @param time_limit_s  0: none
ForegroundEnding run_in_foreground(const Program& program, double time_limit_s);

/// From here on no other process of the same user reads this one's memory or environment, where
/// seeds and references are, or writes to it; root still does. A sandbox keeps a submission from
/// seeing other processes at all; this is for where there is none.
void keep_secrets();

/// The file that this name would start; nothing if there is none.
std::optional<std::filesystem::path> find_on_path(const std::string& program);

}  // namespace tilewise::grading
