#include "grading/cohort/test/slurm_cluster.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>

#include "common/process/process.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Holds an unused port, so that the next one is another.
class FreePort {
 public:
  FreePort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    socklen_t size = sizeof address_;
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket_.get(), address(), size) != 0 ||
        ::getsockname(socket_.get(), address(), &size) != 0) {
      throw std::system_error(errno, std::generic_category(), "a port for Slurm");
    }
  }

  std::string number() const { return std::to_string(ntohs(address_.sin_port)); }

 private:
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&address_); }

  FileDescriptor socket_;
  sockaddr_in address_{};
};

Command daemons(const std::filesystem::path& folder, SlurmLimits limits) {
  const FreePort controller, node;
  Command command;
  // The end of this process ends the namespace, and with it all processes in it.
  command.arguments = {"setpriv", "--pdeathsig", "KILL",         "unshare",
                       "--pid",   "--fork",      "--kill-child", "--mount-proc"};
  if (::geteuid() != 0) command.arguments.push_back("--map-current-user");
  const auto script = layout().root / "grading" / "cohort" / "test" / "slurm_cluster.sh";
  command.arguments.insert(command.arguments.end(),
                           {"sh", script, folder, controller.number(), node.number(),
                            std::to_string(limits.array_tasks), std::to_string(limits.jobs)});
  return command;
}

}  // namespace

SlurmCluster::SlurmCluster(SlurmLimits limits) {
  // A daemon's first look at the machine takes a second or two, and more on a busy machine.
  constexpr auto patience = 30s;
  daemons_.emplace(daemons(scratch_.path(), limits));
  const auto begin = Clock::now();
  while (!has_idle_node()) {
    if (daemons_->is_over()) {
      const CommandResult ended = daemons_->wait();
      why_not_ = "no Slurm can be started here: " +
                 (ended.output.empty() ? describe_ending(ended) : ended.output);
      return;
    }
    if (Clock::now() - begin > patience) {
      why_not_ = "Slurm was started, but its node is not ready: " + output_of({"sinfo"});
      return;
    }
    std::this_thread::sleep_for(100ms);
  }
}

void SlurmCluster::kill_node() {
  std::ofstream(scratch_.path() / "no_node") << "";
  while (!std::filesystem::exists(scratch_.path() / "node_is_dead") && !daemons_->is_over()) {
  }
}

void SlurmCluster::start_node() const { std::filesystem::remove(scratch_.path() / "no_node"); }

bool SlurmCluster::has_idle_node() const {
  if (find_program("sinfo").empty()) return false;
  return output_of({"sinfo", "--noheader", "--format=%T"}).find("idle") == 0;
}

Command SlurmCluster::command(const std::vector<std::string>& arguments) const {
  Command command;
  command.arguments = {"setpriv", "--pdeathsig", "KILL"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = {{"SLURM_CONF", scratch_.path() / "slurm.conf"}};
  return command;
}

std::string SlurmCluster::output_of(const std::vector<std::string>& arguments) const {
  return run_command(command(arguments)).output;
}

}  // namespace tilewise::grading
