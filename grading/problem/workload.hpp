#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grading/bench/bench_cases.hpp"
#include "grading/problem/product_store.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// The matrices of a call, and the judgement of what comes back.
class Workload {
 public:
  virtual ~Workload() = default;

  /// Writes the matrices into memory shared with a worker: inputs as they are, outputs unwritten.
  /// @param memory holds bytes_in_memory(call)
  /// @return the call's arguments, which now lie there
  std::vector<Argument> place(const NamedCall& call, std::span<std::byte> memory) const;

  /// Whether the call's result, as it came back, is right.
  /// @param sampled some blocks only have run: elements that nobody wrote do not count
  /// @return nothing where that cannot be told of a part of the result
  virtual std::optional<bool> is_right(std::span<const Argument> arguments,
                                       std::span<const std::byte> memory, bool sampled) const = 0;

 protected:
  /// What the matrix of that name holds before the call; nothing: it is an output.
  virtual std::optional<std::span<const std::byte>> contents(const std::string& name) const = 0;
};

/// Memory shared with a worker that the matrices of a call take.
std::size_t bytes_in_memory(const NamedCall& call);

/// What a call is to work on.
struct WorkloadRequest {
  Problem problem = Problem::product;
  const NamedCall* call = nullptr;
  InputChoice inputs = {};
  std::filesystem::path store = {};
};

/// Why a problem cannot be posed with such inputs; empty where it can.
std::string obstacle_to(Problem problem, const InputChoice& inputs);

/// Makes it, where nothing is in the way.
/// @throws std::runtime_error where inputs cannot be read
std::unique_ptr<Workload> make_workload(const WorkloadRequest& request);

/// Memory of this machine that making it and judging its result takes.
std::size_t bytes_to_judge(Problem problem, const NamedCall& call);

}  // namespace tilewise::grading
