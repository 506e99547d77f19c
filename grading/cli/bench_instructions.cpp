#include "grading/cli/bench_instructions.hpp"

#include <fstream>
#include <iterator>
#include <numeric>
#include <utility>

#include "grading/bench/bench_figures.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {

std::optional<std::filesystem::path> find_nsight_compute() {
  for (const std::filesystem::path& candidate :
       {find_program("ncu"), std::filesystem::path("/usr/local/cuda/bin/ncu")}) {
    if (!candidate.empty() && std::filesystem::exists(candidate)) return candidate;
  }
  return std::nullopt;
}

std::map<std::string, double> count_instructions(const std::filesystem::path& nsight_compute,
                                                 WorkerOptions options,
                                                 const std::vector<NamedCall>& calls,
                                                 const std::filesystem::path& scratch) {
  const std::filesystem::path log = scratch / "instructions.csv";
  std::filesystem::remove(log);
  options.supervisor = {nsight_compute, "--metrics", instructions_metric,  "--csv",
                        "--log-file",   log,         "--target-processes", "all"};
  Worker worker(std::move(options));
  std::vector<std::pair<std::string, int>> launches;  // of each call
  for (const NamedCall& call : calls) {
    const CallReply reply = worker.call(call.function, call.arguments);
    if (reply.outcome != CallReply::Outcome::returned) break;
    launches.emplace_back(call.text, reply.launches);
  }
  worker.finish();

  std::ifstream file(log);
  const std::vector<double> kernels =
      instructions_in(std::string(std::istreambuf_iterator<char>(file), {}));
  std::map<std::string, double> counts;
  auto kernel = kernels.begin();
  for (const auto& [call, of_call] : launches) {
    if (kernels.end() - kernel < of_call) break;
    counts[call] = std::accumulate(kernel, kernel + of_call, 0.0);
    kernel += of_call;
  }
  // More kernels than launches: nobody knows whose they are.
  if (kernel != kernels.end()) counts.clear();
  return counts;
}

}  // namespace tilewise::grading
