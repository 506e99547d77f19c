#include "grading/worker/simt_host_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "common/simt/host_apart.hpp"
#include "grading/worker/call.hpp"
#include "grading/worker/fault_report.hpp"
#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

// The descriptors of the host part. It writes its last words to descriptor 5, where a worker writes
// a Fault.
constexpr int device_fd = 3, requests_fd = 4, first_free_fd = 6;
static_assert(fault_fd == 5);

/// Contract functions have at most ten arguments.
constexpr std::size_t most_arguments = 32;

/// One call of a contract function, for the host part.
struct Request {
  std::uint32_t function;
  std::uint32_t count;
  std::int32_t variant;
  std::uint32_t follows_reset;  ///< 1: the device has been reset since the last call
  DecodedArgument arguments[most_arguments];
};

/// The host part's answer when it has done what it was told to. It is not to be trusted.
struct Answer {
  enum class Kind : std::uint32_t { initialised, returned, threw, ran_out_of_memory };
  Kind kind;
  BindResult result;
  std::int32_t status;
  char text[200];  ///< text of an exception, cut if it is longer
};
static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Answer>);

std::array<int, 2> make_sockets() {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return ends;
}

bool read_whole(int fd, void* bytes, std::size_t count) {
  auto* next = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = read(fd, next, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Returns the text as one line, with spaces in place of control characters.
std::string one_line(const char (&text)[sizeof Answer::text]) {
  std::string line(text, strnlen(text, sizeof text));
  std::ranges::replace_if(
      line, [](unsigned char byte) { return byte < 0x20; }, ' ');
  return line;
}

// The host part.

/// Reserves the host part's stack before the two parts separate; it is accessible to the host part
/// alone. On the stack that both inherit, a kernel that was given the address of a host function's
/// variable would read what the device part has there, or fault, depending on chance.
std::span<std::byte> reserve_stack() {
  constexpr std::size_t usual = 8 << 20;
  constexpr std::size_t most = 64 << 20;  // because what a worker may map is limited, too
  rlimit limit;
  const bool is_limited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const std::size_t bytes = is_limited ? std::min<std::size_t>(limit.rlim_cur, most) : usual;
  void* const room = mmap(nullptr, bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (room == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return {static_cast<std::byte*>(room), bytes};
}

/// Continues with `body`, which does not return, on another stack. The stack's first page stays
/// inaccessible.
[[noreturn]] void go_on_at(std::span<std::byte> stack, std::function<void()> body) {
  static std::function<void()> running;
  running = std::move(body);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (mprotect(stack.data() + page, stack.size() - page, PROT_READ | PROT_WRITE) != 0) {
    _exit(EXIT_FAILURE);
  }
  ucontext_t there;
  getcontext(&there);
  there.uc_stack.ss_sp = stack.data();
  there.uc_stack.ss_size = stack.size();
  there.uc_link = nullptr;
  makecontext(
      &there, [] { running(); }, 0);
  setcontext(&there);
  _exit(EXIT_FAILURE);
}

void answer(Answer given, std::string_view text = "") {
  std::fflush(nullptr);  // what it has printed belongs to this call
  text.copy(given.text, sizeof given.text - 1);
  simt::tell_device_part({reinterpret_cast<const char*>(&given), sizeof given});
}

void carry_out(const Request& request, const Module& module) {
  Answer given = {Answer::Kind::returned, BindResult::called, 0, {}};
  module.choose_variant(request.variant);
  if (request.follows_reset != 0) simt::forget_device_errors();
  try {
    given.result = module.bindings().functions[request.function].invoke(
        request.arguments, request.count, &given.status);
    answer(given);
  } catch (const std::bad_alloc&) {
    given.kind = Answer::Kind::ran_out_of_memory;
    answer(given);
  } catch (const std::exception& error) {
    given.kind = Answer::Kind::threw;
    answer(given, error.what());
  }
}

/// Keeps the descriptors for output and for talking to the device part, and closes all others.
void keep_descriptors(int device, int requests, int last_words) {
  std::array kept = {device, requests, last_words};
  // They are moved in two steps, so that none is overwritten before it has been moved.
  for (int& fd : kept) fd = fcntl(fd, F_DUPFD, 2 * first_free_fd);
  int wanted = device_fd;
  for (const int fd : kept) dup2(fd, wanted++);
  if (syscall(SYS_close_range, first_free_fd, ~0U, 0) == 0) return;
  const long highest = sysconf(_SC_OPEN_MAX);
  for (int fd = first_free_fd; fd < highest; ++fd) close(fd);
}

[[noreturn]] void be_host_part(const ModuleImage& image, const Module& module, pid_t device_part) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != device_part) _exit(EXIT_FAILURE);  // the device part has ended meanwhile
  simt::become_host_part(device_fd);
  prepare_fault_reports();
  confine_host_part();
  image.run_initialisers(module.base());
  answer({Answer::Kind::initialised, BindResult::called, 0, {}});
  Request request;
  while (read_whole(requests_fd, &request, sizeof request)) carry_out(request, module);
  for (;;) pause();  // the submission has closed the connection, or the device part ends
}

// The device part.

class HostPart : public HostProcess {
 public:
  HostPart(pid_t process, int device, int requests, int last_words, const ModuleImage& image,
           const Module& module)
      : process_(process),
        device_(device),
        requests_(requests),
        last_words_(last_words),
        map_(image.map(module.base())) {}

  void choose_variant(std::int32_t variant) override { variant_ = variant; }
  void go_on_after_reset() override { follows_reset_ = true; }

  BindResult call(std::size_t function, const DecodedArgument* arguments, std::size_t count,
                  std::int32_t* status) override {
    if (count > most_arguments) return BindResult::wrong_count;
    Request request = {};
    request.function = static_cast<std::uint32_t>(function);
    request.count = static_cast<std::uint32_t>(count);
    request.variant = variant_;
    request.follows_reset = std::exchange(follows_reset_, false) ? 1 : 0;
    std::copy_n(arguments, count, request.arguments);
    // If the request cannot be sent, nobody listens, as the wait for the answer will find.
    static_cast<void>(!write(requests_, &request, sizeof request));
    const Answer answer = wait_for_answer();
    switch (answer.kind) {
      case Answer::Kind::returned:
        *status = answer.status;
        return answer.result;
      case Answer::Kind::ran_out_of_memory:
        throw std::bad_alloc();
      case Answer::Kind::threw:
        throw std::runtime_error(one_line(answer.text));
      case Answer::Kind::initialised:
        break;
    }
    throw Tampering{"an answer of the submission's process was forged"};
  }

  void wait_for_initialisers() {
    if (wait_for_answer().kind != Answer::Kind::initialised) {
      throw Tampering{"an answer of the submission's process was forged"};
    }
  }

 private:
  /// Serves the host part until it has an answer.
  Answer wait_for_answer() {
    std::string message;
    while (true) {
      switch (simt::serve_host_part(device_, map_, message)) {
        case simt::HostRequest::served:
          break;
        case simt::HostRequest::message:
          return to_answer(message);
        case simt::HostRequest::gone:
          end_like_host_part();
        case simt::HostRequest::impossible:
          throw Tampering{"a request of the submission's process was forged"};
      }
    }
  }

  static Answer to_answer(const std::string& message) {
    Answer answer;
    const bool possible = message.size() == sizeof answer;
    if (possible) std::memcpy(&answer, message.data(), sizeof answer);
    if (!possible || answer.kind > Answer::Kind::ran_out_of_memory ||
        answer.result < BindResult::called || answer.result > BindResult::out_of_range) {
      throw Tampering{"an answer of the submission's process was forged"};
    }
    return answer;
  }

  /// Ends this process in the same way as the host part. The host part's connection is closed:
  /// either it has ended, or its code has closed the connection.
  [[noreturn]] void end_like_host_part() {
    constexpr int turns = 100;
    constexpr useconds_t turn_us = 1000;
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < turns && ended == 0; ++i) {
      ended = waitpid(process_, &status, WNOHANG);
      if (ended == 0) usleep(turn_us);
    }
    if (ended == 0) close(channel_fd);  // so that the examiner learns of it
    while (ended != process_) ended = waitpid(process_, &status, 0);
    std::fflush(nullptr);
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    pass_on_last_words(signal);
    ::signal(signal, SIG_DFL);
    raise(signal);
    _exit(EXIT_FAILURE);
  }

  /// Passes on the numbers that the host part has written, but none of its text.
  void pass_on_last_words(int signal) const {
    Fault given;
    // The record comes twice, the second time with the callers, if there was time.
    while (read_whole(last_words_, &given, sizeof given)) {
      if (given.signal != signal || given.caller_count > Fault::max_callers) continue;
      Fault fault = {};
      fault.signal = signal;
      fault.address = given.address;
      if (signal == SIGSEGV || signal == SIGBUS) simt::explain_host_fault(fault);
      fault.pc = given.pc;
      fault.mapped_bytes = given.mapped_bytes;
      std::copy_n(given.callers, given.caller_count, fault.callers);
      fault.caller_count = given.caller_count;
      fault.stack_overflow = given.stack_overflow != 0 ? 1 : 0;
      pass_on_fault(fault);
    }
  }

  pid_t process_;
  int device_, requests_, last_words_;
  simt::ModuleMap map_;
  std::int32_t variant_ = 0;
  bool follows_reset_ = false;
};

}  // namespace

std::unique_ptr<HostProcess> start_host_process(const ModuleImage& image, const Module& module) {
  for (void* const room : image.shared_rooms(module.base())) simt::give_shared_room(room);
  const auto [device, hosts_device] = make_sockets();
  const auto [requests, hosts_requests] = make_sockets();
  const auto [last_words, hosts_last_words] = make_sockets();
  simt::prepare_to_part();
  prctl(PR_SET_DUMPABLE, 0);  // no other process but root's may inspect this one
  std::fflush(nullptr);
  const std::span<std::byte> stack = reserve_stack();
  const pid_t self = getpid();
  const pid_t host = fork();
  if (host < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (host == 0) {
    keep_descriptors(hosts_device, hosts_requests, hosts_last_words);
    go_on_at(stack, [&] { be_host_part(image, module, self); });
  }
  for (const int end : {hosts_device, hosts_requests, hosts_last_words}) close(end);
  simt::become_device_part(host);
  confine_device_part(host);
  auto part = std::make_unique<HostPart>(host, device, requests, last_words, image, module);
  part->wait_for_initialisers();
  return part;
}

}  // namespace tilewise::grading
