#include "grading/examiner/process/sandbox.hpp"

#include <sys/wait.h>

#include <system_error>

#include "grading/examiner/process/child_process.hpp"
#include "grading/examiner/process/find_on_path.hpp"
#include "grading/examiner/process/pipe.hpp"

namespace tilewise::grading {
namespace {

/// Processes and threads that may run in a sandbox at a time: the simulator has at most 16 threads,
/// the CUDA driver a few for each GPU.
constexpr const char* most_processes = "256";

bool works(const Sandbox& sandbox) {
  std::vector<std::string> command = sandbox.command({});
  command.push_back("true");
  const FileDescriptor null = open_null();
  try {
    ChildProcess trial({.executable = command.front(),
                        .arguments = {command.begin() + 1, command.end()},
                        .descriptors = {null.get(), null.get(), null.get()}});
    const int status = trial.wait();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> Sandbox::command(
    const std::vector<std::filesystem::path>& readable) const {
  std::vector<std::string> words = {
      bubblewrap, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/",
      "--proc",   "/proc"};
  if (with_devices) {
    words.insert(words.end(), {"--dev-bind", "/dev", "/dev", "--tmpfs", "/dev/shm"});
  } else {
    words.insert(words.end(), {"--dev", "/dev"});
  }
  words.insert(words.end(), {"--tmpfs", "/tmp"});
  for (const auto& file : readable) words.insert(words.end(), {"--ro-bind", file, file});
  // Set inside, the limit counts the processes of the sandbox alone. It does not hold root.
  words.insert(words.end(), {"--chdir", "/tmp", "--", "prlimit",
                             std::string("--nproc=") + most_processes, "--"});
  return words;
}

SandboxSearch find_sandbox() {
  const auto bubblewrap = find_on_path("bwrap");
  if (!bubblewrap) return {{}, "bubblewrap is not installed"};
  if (!find_on_path("prlimit")) return {{}, "prlimit is not installed"};
  const Sandbox sandbox{*bubblewrap};
  if (!works(sandbox)) return {{}, "bubblewrap may not make namespaces here"};
  return {sandbox, ""};
}

}  // namespace tilewise::grading
