/// \file
/// Lets a class wait in a cluster's queue, on a Slurm of this machine's own. Checks that every
/// submission is in the queue once and that none is given up: while the run asks after them, when
/// the node is killed, and when the run is killed and started anew. Exit status: 0 if so, 1 if not,
/// 2 if it could not run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cohort/test/slurm_cluster.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  int submissions = 10'000;
  int jobs_of_the_cluster = 20'000;
  int watch_s = 120;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Benchmark {
 public:
  explicit Benchmark(const Options& options)
      : options_(options), cluster_({.array_tasks = 1001, .jobs = options.jobs_of_the_cluster}) {
    if (!cluster_.why_not().empty()) throw std::runtime_error(cluster_.why_not());
    for (int i = 0; i < options.submissions; ++i) {
      const fs::path stage =
          scratch_.path() / "in" / fmt::format("student_{:05}", i) / "labs" / "03_shared_memory";
      fs::create_directories(stage);
      std::ofstream(stage / "matmul_shared.cu") << "#error nothing yet\n";
    }
  }

  bool run() {
    const int expected = std::min(options_.submissions, options_.jobs_of_the_cluster - 1);
    auto begin = Clock::now();
    bool right = true;
    {
      RunningCommand command(grade());
      wait_for(command, expected);
      fmt::print("{} submissions with Slurm after {:.0f} s\n", in_queue(), seconds_since(begin));
      right = watch(command, "asked after them", expected) && right;
      cluster_.kill_node();
      right = watch(command, "with the node killed", expected) && right;
      cluster_.start_node();
      fmt::print("{}", command.output());
    }
    RunningCommand command(grade());
    right = watch(command, "killed and started anew", expected) && right;
    fmt::print("{}", command.output());
    return right;
  }

 private:
  Command grade() const {
    return cluster_.command({tool("tilewise"), "cohort", "grade", scratch_.path() / "in", "3",
                             "--backend", "simt", "--engine", "slurm", "--sbatch", "--hold",
                             "--out", scratch_.path() / "out"});
  }

  long in_queue() const {
    // The list is longer than what is kept of a command's output, so a pipe counts it.
    return std::stol(
        cluster_.output_of({"sh", "-c", "squeue --noheader --array --format=%K | wc -l"}));
  }

  void wait_for(RunningCommand& command, int expected) const {
    for (auto looked = Clock::now(); in_queue() < expected;) {
      while (!command.is_over() && seconds_since(looked) < 1) {
      }
      if (command.is_over()) throw std::runtime_error(command.wait().output);
      looked = Clock::now();
    }
  }

  bool watch(RunningCommand& command, const char* what, int expected) const {
    const auto begin = Clock::now();
    while (!command.is_over() && seconds_since(begin) < options_.watch_s) {
    }
    const bool goes_on = !command.is_over();
    const long left = in_queue();
    fmt::print("{} for {} s: {}, {} in the queue\n", what, options_.watch_s,
               goes_on ? "none given up" : "ENDED: " + command.wait().output, left);
    return goes_on && left == expected;
  }

  Options options_;
  ScratchDirectory scratch_;
  SlurmCluster cluster_;
};

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  tilewise::grading::Options options;
  CLI::App app("Whether a class that waits in Slurm's queue is there once, whatever happens.");
  app.add_option("--submissions", options.submissions, "How many (default: 10000)")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--cluster-jobs", options.jobs_of_the_cluster,
                 "Jobs that the cluster takes, MaxJobCount (default: 20000)")
      ->check(CLI::Range(2, 1'000'000));
  app.add_option("--watch", options.watch_s, "Seconds of each look (default: 120)")
      ->check(CLI::Range(1, 3600));
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // minutes pass from line to line
  try {
    return tilewise::grading::Benchmark(options).run() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "queue_benchmark: {}\n", error.what());
    return 2;
  }
}
