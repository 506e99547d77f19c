#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grading/worker/call.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {

using Index3 = std::array<unsigned, 3>;

/// A thread of a call, which may launch several kernels.
struct ThreadOfCall {
  ThreadOfGrid place;
  unsigned launch =
      1;  ///< that it is of, from 1 on; for a stop: of this one or the next that has it

  bool operator==(const ThreadOfCall&) const = default;
};

/// Bytes of a matrix of a call.
struct WatchedElement {
  std::string matrix;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// What tilewise-debuggee is to do: one call, in a module built for a debugger.
struct DebugJob {
  Hello hello;  ///< module and GPU
  CallRequest call;
  std::string text;  ///< of the call, for messages
  /// Where gdb is to stop; nothing: nowhere.
  std::optional<ThreadOfCall> stop = {};
  /// Of which the writer is to be found; nothing: none.
  std::optional<WatchedElement> element = {};
};

/// The folder of a job holds the job, the bytes of the matrices and, once it was carried out,
/// the writer of the element, if there was one.
void write_job(const std::filesystem::path& folder, const DebugJob& job,
               const std::vector<std::byte>& matrices);
DebugJob read_job(const std::filesystem::path& folder);
std::vector<std::byte> read_matrices(const std::filesystem::path& folder);

void write_writer(const std::filesystem::path& folder, const ThreadOfCall& writer);
std::optional<ThreadOfCall> read_writer(const std::filesystem::path& folder);

}  // namespace tilewise::grading
