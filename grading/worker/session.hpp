#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "common/cuda/device_buffer.hpp"
#include "grading/worker/binding_abi.hpp"
#include "grading/worker/call.hpp"
#include "grading/worker/examiner_memory.hpp"
#include "grading/worker/module.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {

/// While such an object exists, no signal handler runs on this thread; signals wait until it is
/// destroyed.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_;
};

/// Performs calls of a module's contract functions.
class Session {
 public:
  /// @param memory holds the images of every call
  Session(const Module& module, ExaminerMemory& memory) : module_(module), memory_(memory) {}

  /// Tells the examiner that the warm-up of a timed call is over, and waits until the examiner has
  /// put the matrices of the timed runs where those of the warm-up were. Returns false if nobody
  /// answers.
  using HandOver = std::function<bool()>;

  /// Performs one call. What goes wrong is in the reply.
  /// @throws Tampering
  WorkerReply perform(const CallRequest& request, const HandOver& hand_over);

 private:
  struct Image {
    BufferArgument argument;
    cuda::DeviceBuffer device;
    std::optional<cuda::DeviceBuffer> result = {};  ///< what it was when the last timed run ended
  };

  /// @throws std::exception if the request is impossible
  void place_images(const CallRequest& request);
  std::vector<DecodedArgument> decode(const CallRequest& request) const;
  void restore_outputs();
  void upload_all();
  void make_room_for_results();
  void keep_results();

  WorkerReply perform_watched(const CallRequest& request, const HandOver& hand_over);
  /// @return how many bytes of text were written behind the images
  std::size_t write_trace(const CallRequest& request);

  /// @throws std::exception for what the student's code did wrong
  void run(const BoundFunction& function, const CallRequest& request,
           const std::vector<DecodedArgument>& arguments, const HandOver& hand_over,
           WorkerReply& reply);
  /// @return how many milliseconds it took to copy the matrices to the device
  double take_over(const BoundFunction& function, const HandOver& hand_over);

  const Module& module_;
  ExaminerMemory& memory_;
  std::vector<Image> images_;  ///< kept between calls, and used again for images of the same size
  bool needs_reset_ = false;   ///< whether a kernel has failed
};

}  // namespace tilewise::grading
