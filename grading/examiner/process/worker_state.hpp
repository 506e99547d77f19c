#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/process/process.hpp"
#include "grading/examiner/process/connection.hpp"
#include "grading/examiner/process/failures.hpp"
#include "grading/examiner/process/worker.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {

/// What a Worker keeps: its process, and the call under way.
struct Worker::State {
  explicit State(WorkerOptions given);

  SandboxView view() const;
  void start();
  void load();
  void part();
  CallReply exchange(double time_limit_s);
  CallReply interpret(const std::string& message);
  CallReply fail(CallReply::Ending ending, const std::string& message,
                 const SourceLocation& place = {}, const std::optional<ThreadOfGrid>& thread = {});
  std::string trace_text(std::size_t bytes) const;
  std::string failed_assertion(const Fault& fault) const;
  SourceLocation place_of(const Fault& fault) const;
  CallReply fail_by_end();
  CallReply fail_by_tampering(const std::string& what);
  CallReply fail_by_time();

  WorkerOptions options;
  SharedMemory memory;
  std::string token;
  std::size_t trace_begin = 0;  ///< offset in the shared memory, for the call under way
  std::uint64_t sequence = 0;
  std::optional<Connection> connection;
  bool has_warmed_up = false;  ///< the last answer said only that the warm-up is over
  Situation situation;
  std::int32_t variant = 0;  ///< set by choose_variant()
  /// Time counted while none of the student's code ran.
  Connection::Clock::duration before_loading{};
  bool started = false;  ///< the worker is past the part in which only our code runs
  DeviceInfo device;
  std::optional<CallReply> ready;
  std::optional<CallReply> failure;  ///< set once the worker is gone
};

}  // namespace tilewise::grading
