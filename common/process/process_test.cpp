#include "common/process/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Place = ProcessOptions::Place;

Program shell(const std::string& script) { return {.arguments = {"sh", "-c", script}}; }

/// Everything that a program writes until no process has its standard output open any more.
std::string output_of(const Program& program, ProcessOptions options = {}) {
  const FileDescriptor null = open_null();
  Pipe output = make_pipe();
  options.descriptors.insert(options.descriptors.begin(),
                             {null.get(), output.in.get(), output.in.get()});
  Process process(program, options);
  output.in.close();
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = read(output.out.get(), bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  process.wait();
  return text;
}

TEST(Process, IsStartedAsTold) {
  const ScratchDirectory folder;
  setenv("TILEWISE_TOKEN", "secret", 1);
  std::signal(SIGHUP, SIG_IGN);  // as under nohup
  Program elsewhere = shell("pwd -P");
  elsewhere.working_directory = "/";
  Program with_variables = shell("echo $TILEWISE_A $TILEWISE_TOKEN");
  with_variables.environment = {{"TILEWISE_A", "1"}, {"TILEWISE_TOKEN", "other"}};
  Program with_few_variables = shell("echo ${TILEWISE_A-none} ${TILEWISE_TOKEN-none}");
  with_few_variables.inherits = {"PATH", "TILEWISE_NO_SUCH"};
  std::ofstream(folder.path() / "answer") << "#!/bin/sh\necho found\n";
  fs::permissions(folder.path() / "answer", fs::perms::owner_all);
  Program on_its_path{.arguments = {"answer"}};
  on_its_path.environment = {{"PATH", "/nonexistent:" + folder.path().string()}};
  const struct {
    const char* what;
    Program program;
    std::string output;
  } cases[] = {
      {"reads nothing", shell("cat"), ""},
      {"runs in its folder", elsewhere, "/\n"},
      {"has this process's variables", shell("echo $TILEWISE_TOKEN"), "secret\n"},
      {"has other values where it is told", with_variables, "1 other\n"},
      {"has only the variables it is to inherit", with_few_variables, "none none\n"},
      {"is looked up in the PATH that it gets", on_its_path, "found\n"},
      {"leaves no core", shell("ulimit -c"), "0\n"},
      {"has no terminal", shell("(: </dev/tty) 2>/dev/null || echo none"), "none\n"},
      {"ignores no signal", shell("sed -n 's/^SigIgn:.*[1-9a-f]/ignored/p' /proc/self/status"), ""},
      {"blocks no signal", shell("sed -n 's/^SigBlk:.*[1-9a-f]/blocked/p' /proc/self/status"), ""},
  };
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  for (const auto& [what, program, output] : cases) EXPECT_EQ(output_of(program), output) << what;
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  std::signal(SIGHUP, SIG_DFL);
}

TEST(Process, GetsTheDescriptorsMeantForItAndNoOthers) {
  const int open = ::open("/dev/null", O_RDONLY);  // it stays open on exec
  const int high = ::fcntl(open, F_DUPFD, 100);
  const Pipe pipe = make_pipe();
  // The program's standard output and error replace other descriptors of the same numbers.
  EXPECT_EQ(
      output_of(shell("ls /proc/self/fd | tr '\\n' ' '"), {.descriptors = {pipe.in.get(), open}}),
      "0 1 2 3 4 5 ");  // ls itself has opened 5 to read the folder
  ::close(high);
  ::close(open);
}

TEST(Process, IsLimited) {
  constexpr std::size_t mebibyte = 1 << 20;
  const struct {
    const char* what;
    ProcessLimits limits;
    const char* script;
    std::string output;
  } cases[] = {
      {"addresses", {.address_space_bytes = 512 * mebibyte}, "ulimit -v", "524288\n"},
      {"data", {.data_bytes = 512 * mebibyte}, "ulimit -d", "524288\n"},
      {"files' size", {.file_bytes = 512 * mebibyte}, "ulimit -f", "1048576\n"},
      {"open files", {.open_files = 50}, "ulimit -n", "50\n"},
      {"processor time", {.cpu_s = 7}, "ulimit -S -t; ulimit -H -t", "7\n8\n"},
      {"a stricter limit stays",
       {.open_files = 50, .cpu_s = 7},
       "ulimit -n 20; exec sh -c 'ulimit -n'",
       "20\n"},
  };
  for (const auto& [what, limits, script, output] : cases) {
    if (limits.address_space_bytes > 0 && !can_limit_address_space) continue;
    Program program = shell(script);
    program.limits = limits;
    EXPECT_EQ(output_of(program), output) << what;
  }
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit strict = {30, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &strict);
  EXPECT_EQ(output_of(shell("ulimit -n")), "30\n") << "what nobody limits";
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Process, TellsWhyItCouldNotStart) {
  const ScratchDirectory folder;
  std::ofstream(folder.path() / "text") << "no program\n";
  const struct {
    const char* what;
    Program program;
    int reason;
  } cases[] = {
      {"no such program", {.arguments = {"tilewise-no-such-program"}}, ENOENT},
      {"a file that is none", {.arguments = {folder.path() / "text"}}, EACCES},
      {"no such folder", {.arguments = {"true"}, .working_directory = "/no/such"}, ENOENT},
  };
  const FileDescriptor null = open_null();
  for (const auto& [what, program, reason] : cases) {
    try {
      Process process(program, {.descriptors = {null.get(), null.get(), null.get()}});
      ADD_FAILURE() << what << " started";
    } catch (const NotStarted& error) {
      EXPECT_EQ(error.code().value(), reason) << what;
      EXPECT_NE(std::string(error.what()).find(program.arguments.front()), std::string::npos);
    }
  }
}

TEST(Process, EndsWithItsGroup) {
  const FileDescriptor null = open_null();
  const struct {
    const char* what;
    const char* script;
    void (*end)(Process& process);
    bool killed;
  } cases[] = {
      {"when it is ended", "sleep 100 & sleep 100", [](Process& process) { process.end(); }, true},
      {"when it is forgotten", "sleep 100 & sleep 100", [](Process&) {}, true},
      {"when it was waited for", "sleep 100 & exit 3",
       [](Process& process) { EXPECT_EQ(WEXITSTATUS(process.wait()), 3); }, false},
      {"when it has ended", "sleep 100 & exit 4",
       [](Process& process) {
         while (!process.has_exited()) usleep(1000);
         EXPECT_EQ(WEXITSTATUS(*process.ended()), 4);
         EXPECT_FALSE(process.process_meant().has_value());
       },
       false},
      {"when it was asked to", "trap 'exit 5' TERM; sleep 100 & echo; wait",
       [](Process& process) {
         while (!process.ended()) {
           process.send_signal(SIGTERM);
           usleep(1000);
         }
       },
       false},
  };
  for (const auto& [what, script, end, killed] : cases) {
    Pipe held = make_pipe();  // every process of the group holds it open while it lives
    {
      Process process(shell(script), {.descriptors = {null.get(), held.in.get(), null.get()}});
      held.in.close();
      EXPECT_EQ(process.ended().has_value() && killed, false) << what;
      end(process);
    }
    char byte;
    while (read(held.out.get(), &byte, 1) > 0) {
    }  // read() returns 0 once all of them have ended
  }
}

TEST(Process, StandsWhereItIsTold) {
  const std::string ours = std::to_string(getsid(0)) + " ";
  const std::string ids = "cut -d ' ' -f 6 /proc/self/stat | tr '\\n' ' '";
  EXPECT_NE(output_of(shell(ids)), ours);
  EXPECT_EQ(output_of(shell(ids), {.place = Place::foreground}), ours);
}

TEST(RunInForeground, TellsHowItEnded) {
  EXPECT_EQ(run_in_foreground(shell("exit 3")), 3);
  EXPECT_EQ(run_in_foreground(shell("kill -SEGV $$")), 128 + SIGSEGV);
  // Ctrl-C reaches both processes, and only the program is to react to it.
  EXPECT_EQ(run_in_foreground(shell("kill -INT $PPID; exit 4")), 4);
  EXPECT_THROW(run_in_foreground({.arguments = {"tilewise-no-such-program"}}), NotStarted);
}

TEST(FindOnPath, FindsWhatWouldStart) {
  EXPECT_TRUE(fs::exists(find_on_path("sh").value()));
  EXPECT_FALSE(find_on_path("tilewise-no-such-program").has_value());
}

/// Whether a child without privileges can open a file of its parent's in /proc.
bool child_reads(const std::string& name) {
  const std::string file = "/proc/" + std::to_string(getpid()) + "/" + name;
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (getuid() == 0 && setuid(nobody) != 0) _exit(2);
    std::ifstream stream(file, std::ios::binary);
    _exit(stream.get() != EOF ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 0;
}

TEST(Secrets, AreKeptFromOtherProcesses) {
  if (!can_limit_address_space) GTEST_SKIP() << "a sanitizer reads its own process";
  if (getuid() == 0) GTEST_SKIP() << "nothing of root's is readable for others anyhow";
  EXPECT_TRUE(child_reads("environ"));
  keep_secrets();
  EXPECT_FALSE(child_reads("environ"));
  EXPECT_FALSE(child_reads("mem"));
}

}  // namespace
}  // namespace tilewise::grading
