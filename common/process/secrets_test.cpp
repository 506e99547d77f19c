#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "common/process/process.hpp"

namespace tilewise::grading {
namespace {

/// Whether a process without privileges can open a file of its parent's.
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
