/// \file
/// The worker. It loads a student's module and calls its functions as the examiner says. A
/// student's code runs only in the worker and in the process that the worker starts for a module's
/// host code, so that whatever the code does costs one test.
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grading/worker/backend.hpp"
#include "grading/worker/fault_report.hpp"
#include "grading/worker/loaded_libraries.hpp"
#include "grading/worker/module.hpp"
#include "grading/worker/protocol.hpp"
#include "grading/worker/session.hpp"

namespace tilewise::grading {
namespace {

/// The worker's end of the conversation.
class Examiner {
 public:
  /// @return nothing once the examiner has closed the channel.
  std::optional<std::string> receive() { return receive_message(channel_fd, reader_); }

  void set_token(const std::string& token) { token_ = token; }

  /// @return whether the examiner still listens.
  bool send(const WorkerReply& reply) {
    std::fflush(nullptr);  // the student's output belongs to the call that printed it
    return send_message(channel_fd, encode(reply, token_, sequence_++));
  }

 private:
  FrameReader reader_;
  std::string token_;
  std::uint64_t sequence_ = 0;
};

WorkerReply reply_of(WorkerReply::Kind kind, const std::string& message = "") {
  WorkerReply reply;
  reply.kind = kind;
  reply.message = message;
  return reply;
}

int serve(Examiner& examiner, const Hello& hello, ExaminerMemory& memory) {
  set_phase(Phase::loading);
  const LoadedLibraries libraries;
  std::optional<Module> module;
  try {
    module.emplace(load_module(hello));
  } catch (const Tampering& tampering) {
    examiner.send(reply_of(WorkerReply::Kind::tampered, tampering.what));
    return 0;
  } catch (const std::exception& error) {
    examiner.send(reply_of(WorkerReply::Kind::refused, error.what()));
    return 0;
  }
  if (hello.writes_coverage) set_last_action(module->write_coverage());
  set_phase(Phase::idle);
  if (!examiner.send(reply_of(WorkerReply::Kind::loaded))) return 0;

  Session session(*module, memory);
  while (const auto message = examiner.receive()) {
    const auto hand_over = [&] {
      return examiner.send(reply_of(WorkerReply::Kind::warmed_up)) && examiner.receive();
    };
    WorkerReply reply;
    try {
      reply = session.perform(decode_call(*message), hand_over);
    } catch (const Tampering& tampering) {
      examiner.send(reply_of(WorkerReply::Kind::tampered, tampering.what));
      return 0;
    }
    if (hello.writes_coverage) module->write_coverage()();
    reply.loaded_libraries = libraries.since(module->path());
    reply.loaded_libraries.resize(std::min(reply.loaded_libraries.size(), max_listed));
    set_phase(Phase::idle);
    if (!examiner.send(reply)) break;
  }
  return 0;
}

int probe() {
  try {
    std::puts(start_device({}).name.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_no_device;
  }
}

int run() {
  for (const int inherited : {channel_fd, fault_fd}) fcntl(inherited, F_SETFD, FD_CLOEXEC);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a crash must not swallow what was printed
  Examiner examiner;
  const auto message = examiner.receive();
  if (!message) {
    std::fputs("A worker is started by tilewise-examiner. By hand, --probe names the device.\n",
               stderr);
    return exit_not_started_by_examiner;
  }
  const Hello hello = decode_hello(*message);
  examiner.set_token(hello.token);
  const std::unique_ptr<ExaminerMemory> memory = examiner_memory(hello);
  WorkerReply started = reply_of(WorkerReply::Kind::started);
  try {
    started.device = start_device(hello.profile);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    examiner.send(reply_of(WorkerReply::Kind::refused, error.what()));
    return exit_no_device;
  }
  prepare_fault_reports();
  install_fault_handler();
  if (hello.writes_coverage) {
    run_blocks_on_one_thread();  // because threads that share counters wait for each other
  }
  if (!examiner.send(started)) return 0;
  return serve(examiner, hello, *memory);
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--probe") return tilewise::grading::probe();
  try {
    return tilewise::grading::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
    return 1;
  }
}
