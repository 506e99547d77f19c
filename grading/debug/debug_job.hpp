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

/// A thread of a call; the call may launch several kernels.
struct ThreadOfCall {
  ThreadOfGrid place;
  /// The launch of the thread, from 1. As a stop it means this launch or the next one that has such
  /// a thread.
  unsigned launch = 1;

  bool operator==(const ThreadOfCall&) const = default;
};

/// The element of a matrix of a call, as a range of bytes.
struct WatchedElement {
  std::string matrix;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// The task of tilewise-debuggee: one call, in a module built for a debugger.
struct DebugJob {
  Hello hello;  ///< module and GPU
  CallRequest call;
  std::string text;  ///< of the call, for messages
  /// Where gdb stops; nullopt if it does not.
  std::optional<ThreadOfCall> stop = {};
  /// The element whose writer is searched for; nullopt if there is none.
  std::optional<WatchedElement> element = {};
};

/// A job's folder holds the job, the bytes of the matrices and, once the job has run, the thread
/// that wrote the element, if there was one.
void write_job(const std::filesystem::path& folder, const DebugJob& job,
               const std::vector<std::byte>& matrices);
DebugJob read_job(const std::filesystem::path& folder);
std::vector<std::byte> read_matrices(const std::filesystem::path& folder);

void write_writer(const std::filesystem::path& folder, const ThreadOfCall& writer);
std::optional<ThreadOfCall> read_writer(const std::filesystem::path& folder);

}  // namespace tilewise::grading
