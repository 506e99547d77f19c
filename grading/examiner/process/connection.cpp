#include "grading/examiner/process/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "grading/worker/protocol.hpp"

namespace tilewise::grading {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

#ifdef __linux__

int create(std::size_t bytes) {
  const int fd = memfd_create("tilewise", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) fail("cannot create shared memory");
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    fail("cannot size shared memory");
  }
  return fd;
}

#else

int create(std::size_t bytes) {
  const std::string name = "/tilewise-" + std::to_string(getpid());
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) fail("cannot create shared memory");
  shm_unlink(name.c_str());
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    fail("cannot size shared memory");
  }
  return fd;
}

#endif

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);  // an empty mapping is an error
  fd_ = FileDescriptor(create(bytes));
  void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (address == MAP_FAILED) fail("cannot map shared memory");
  bytes_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::~SharedMemory() { munmap(bytes_.data(), bytes_.size()); }

std::chrono::nanoseconds waited_for_processor(pid_t process) {
  std::int64_t longest = 0;
  std::error_code gone;
  std::filesystem::directory_iterator task("/proc/" + std::to_string(process) + "/task", gone);
  for (; !gone && task != std::filesystem::directory_iterator(); task.increment(gone)) {
    // The file holds "nanoseconds on a processor, nanoseconds ready for one, turns".
    std::ifstream file(task->path() / "schedstat");
    std::int64_t ran = 0, waited = 0;
    if (file >> ran >> waited) longest = std::max(longest, waited);
  }
  return std::chrono::nanoseconds(longest);
}

std::size_t threads_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  // The second field is a name in parentheses, which may hold anything; the count is the 20th.
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string field;
  constexpr int before = 17;
  for (int i = 0; i < before; ++i) fields >> field;
  std::size_t threads = 0;
  fields >> threads;
  return threads;
}

std::chrono::nanoseconds ran_on_all_processors(pid_t process) {
  clockid_t clock;
  timespec ran{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &ran) != 0) {
    return std::chrono::nanoseconds(0);
  }
  unsigned processors = std::thread::hardware_concurrency();
#ifdef __linux__
  cpu_set_t usable;
  if (sched_getaffinity(process, sizeof usable, &usable) == 0) {
    processors = static_cast<unsigned>(CPU_COUNT(&usable));
  }
#endif
  const auto total = std::chrono::seconds(ran.tv_sec) + std::chrono::nanoseconds(ran.tv_nsec);
  return total / std::max(processors, 1U);
}

namespace {

using std::chrono::milliseconds;

/// This is long enough for a signal handler on a loaded machine, and too short to be noticed.
constexpr milliseconds last_words(300);
/// Between closing its channel and ending, a process runs its exit handlers.
constexpr milliseconds closing_time(250);
/// The end of a process is noticed at once by its closed channel, unless it has left a child behind
/// that holds the channel open. Therefore its state is checked again from time to time.
constexpr milliseconds look_again(50);
constexpr milliseconds look_again_when_closed(2);

/// A process that shares its processors with others gets more time, up to this many times its own.
constexpr int patience = 10;

/// Reads what is available. Closes `fd` at the end of the stream.
/// @param limit reading stops after about this many bytes, even if there are more
template <class Sink>
void read_available(FileDescriptor& fd, std::size_t limit, Sink&& sink) {
  std::array<char, 16 << 10> bytes;
  std::size_t total = 0;
  while (fd && total < limit) {
    const ssize_t received = read(fd.get(), bytes.data(), bytes.size());
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (received <= 0) {
      fd.close();
      return;
    }
    total += static_cast<std::size_t>(received);
    sink(std::string_view(bytes.data(), static_cast<std::size_t>(received)));
  }
}

bool is_text(const char* begin, const char* end) {
  const char* const terminator = std::find(begin, end, '\0');
  return terminator != end && std::all_of(begin, terminator, [](unsigned char byte) {
           return byte >= 0x20 && byte < 0x7f;
         });
}

/// Whether the worker can have written the record; otherwise the student's code has forged it.
bool is_possible(const Fault& record) {
  constexpr int highest_signal = 64;
  return record.magic == Fault::expected_magic && record.signal > 0 &&
         record.signal <= highest_signal && record.phase >= Phase::starting &&
         record.phase <= Phase::idle && record.caller_count <= Fault::max_callers &&
         is_text(std::begin(record.kernel), std::end(record.kernel)) &&
         is_text(std::begin(record.explanation), std::end(record.explanation));
}

/// Adds up a figure of the worker and of the process that it has for host code; these two work in
/// turns.
template <class Figure>
auto of_worker(const Process& process, Figure figure) {
  decltype(figure(pid_t())) sum{};
  if (const auto worker = process.process_meant()) {
    sum += figure(*worker);
    if (const auto host = first_child(*worker)) sum += figure(*host);
  }
  return sum;
}

}  // namespace

Connection::Connection(const ConnectionOptions& options)
    : output_bytes_(options.output_bytes), threads_(options.threads) {
  const FileDescriptor null = open_null();
  Pipe channel = make_socket_pair();
  Pipe output = make_pipe();
  Pipe fault = make_pipe();
  static_assert(channel_fd == 3 && memory_fd == 4 && fault_fd == 5);
  process_.emplace(
      options.program,
      ProcessOptions{.descriptors = {null.get(), output.in.get(), output.in.get(), channel.in.get(),
                                     options.memory_fd, fault.in.get()},
                     // A milder signal would not end a worker in an endless loop.
                     .when_parent_ends = SIGKILL});
  channel_ = std::move(channel.out);
  output_pipe_ = std::move(output.out);
  fault_pipe_ = std::move(fault.out);
  for (const FileDescriptor* fd : {&channel_, &output_pipe_, &fault_pipe_}) make_non_blocking(*fd);
}

Connection::~Connection() { close(closing_time); }

void Connection::close(Clock::duration patience) {
  channel_.close();
  closed_since_ = Clock::now();
  const auto deadline = *closed_since_ + patience;
  while (!process_->ended() && Clock::now() < deadline) {
    read_all();  // nobody needs it any more, but a full pipe would block the process
    poll_until(deadline);
  }
}

bool Connection::send(const std::string& message) {
  return channel_ && send_message(channel_.get(), message);
}

void Connection::read_all() {
  // Each round has a limit, so that a process that writes without end cannot keep the examiner
  // reading.
  constexpr std::size_t round = std::size_t{1} << 20;
  constexpr std::size_t fault_bytes_kept = 8 * sizeof(Fault);
  if (channel_) {
    read_available(channel_, round, [this](std::string_view bytes) { frames_.append(bytes); });
    if (!channel_) closed_since_ = Clock::now();
  }
  read_available(output_pipe_, output_bytes_ + 1,
                 [this](std::string_view bytes) { output_.append(bytes); });
  read_available(fault_pipe_, round, [this](std::string_view bytes) {
    fault_bytes_.append(bytes);
    if (fault_bytes_.size() > fault_bytes_kept) {
      fault_bytes_.erase(0, fault_bytes_.size() - fault_bytes_kept);
    }
  });
}

void Connection::poll_until(Clock::time_point deadline) const {
  std::array<pollfd, 3> watched = {{{channel_.get(), POLLIN, 0},  // poll ignores a closed one (-1)
                                    {output_pipe_.get(), POLLIN, 0},
                                    {fault_pipe_.get(), POLLIN, 0}}};
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  const auto wait =
      std::clamp(left, milliseconds(0), is_closed() ? look_again_when_closed : look_again);
  poll(watched.data(), watched.size(), static_cast<int>(wait.count()));
}

/// Returns for how long since `begin` other processes have kept this one from running. Its own
/// threads may keep all processors busy and wait for each other, which does not count. Therefore
/// the time that it ran, on as many processors as it may use, is left out.
Connection::Clock::duration Connection::time_for_others(Clock::time_point begin,
                                                        Clock::duration waited_before,
                                                        Clock::duration ran_before) const {
  const Clock::duration waited = of_worker(*process_, waited_for_processor) - waited_before;
  const Clock::duration ran = of_worker(*process_, ran_on_all_processors) - ran_before;
  const Clock::duration not_running = Clock::now() - begin - ran;
  return std::max(std::min(waited, not_running), Clock::duration(0));
}

Event Connection::wait(Clock::time_point deadline, std::string& message) {
  const auto begin = Clock::now();
  const auto limit = std::max(deadline - begin, Clock::duration(0));
  const Clock::duration waited_before = of_worker(*process_, waited_for_processor);
  const Clock::duration ran_before = of_worker(*process_, ran_on_all_processors);
  Clock::duration for_others{};
  auto end = deadline;
  const auto next_event = [&]() -> Event {
    while (true) {
      // Asked before reading, because a process that has ended has written everything.
      const bool has_ended = process_->ended().has_value();
      read_all();
      if (output_.size() > output_bytes_) {
        output_.resize(output_bytes_);
        return Event::flooded;
      }
      // This is checked whether an answer came or not, because threads that calls leave behind add
      // up.
      if (threads_ > 0 && of_worker(*process_, threads_of) > threads_) return Event::crowded;
      if (auto next = frames_.next()) {
        message = std::move(*next);
        return Event::message;
      }
      if (frames_.garbled()) return Event::garbled;
      if (has_ended) return Event::ended;
      const auto now = Clock::now();
      if (is_closed() && now > *closed_since_ + closing_time) return Event::closed;
      if (now >= end) {
        for_others =
            std::min(time_for_others(begin, waited_before, ran_before), (patience - 1) * limit);
        end = deadline + for_others;
      }
      if (now >= end) return Event::late;
      poll_until(end);
    }
  };
  const Event event = next_event();
  // The system no longer reports anything about a process that has ended.
  if (event != Event::ended) for_others = time_for_others(begin, waited_before, ran_before);
  counted_ += std::max(Clock::now() - begin - for_others, Clock::duration(0));
  return event;
}

void Connection::interrupt() {
  process_->send_signal(SIGXCPU);
  const auto deadline = Clock::now() + last_words;
  while (!process_->ended() && Clock::now() < deadline) {
    read_all();
    poll_until(deadline);
  }
  end();
  read_all();
}

std::optional<Fault> Connection::fault() const {
  std::optional<Fault> last;
  // A record may begin at any offset, because the student's code may have written to the pipe too.
  for (std::size_t at = 0; at + sizeof(Fault) <= fault_bytes_.size(); ++at) {
    Fault record;
    std::memcpy(&record, fault_bytes_.data() + at, sizeof record);
    if (is_possible(record)) last = record;
  }
  return last;
}

}  // namespace tilewise::grading
