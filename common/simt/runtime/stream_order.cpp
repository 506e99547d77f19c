#include "common/simt/runtime/stream_order.hpp"

#include <algorithm>

#include "common/base/language.hpp"

namespace tilewise::simt {

StreamOrder& StreamOrder::instance() {
  static auto* order = new StreamOrder;  // modules may still use it when the program ends
  return *order;
}

std::size_t StreamOrder::index_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return 0;
  if (stream == cudaStreamPerThread) {
    has_streams_ = true;
    return 1;
  }
  const auto known = index_.find(stream);
  return known == index_.end() ? 0 : known->second;
}

void StreamOrder::create(cudaStream_t stream, bool blocks, unsigned long long id) {
  const std::lock_guard lock(mutex_);
  has_streams_ = true;
  index_[stream] = streams_.size();  // replaces a stream that was at that address before
  streams_.push_back({.blocks = blocks, .id = id});
}

void StreamOrder::join(Known& known, const Known& other) {
  if (known.size() < other.size()) known.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) known[i] = std::max(known[i], other[i]);
}

StreamOrder::Known StreamOrder::after(std::size_t stream) const {
  Known known = streams_[stream].known;
  if (known.size() <= stream) known.resize(stream + 1);
  known[stream] = streams_[stream].issued;
  if (stream != 0) return known;
  for (std::size_t other = 1; other < streams_.size(); ++other) {
    if (streams_[other].blocks) join(known, after(other));
  }
  return known;
}

void StreamOrder::begin(cudaStream_t of, const char* name) {
  const std::lock_guard lock(mutex_);
  const std::size_t index = index_of(of);
  Known known = after(index);
  join(known, host_);
  if (index != 0 && streams_[index].blocks) {
    Known of_default = streams_[0].known;
    of_default.resize(std::max<std::size_t>(of_default.size(), 1));
    of_default[0] = streams_[0].issued;
    join(known, of_default);
  }
  known.resize(streams_.size());
  has_all_ended_ = true;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    has_all_ended_ = has_all_ended_ && streams_[i].issued <= known[i];
  }
  Stream& stream = streams_[index];
  ++stream.issued;
  works_.push_back({static_cast<std::uint32_t>(index), stream.issued, name});
  host_knows_all_ = false;
  stream.known = known;
  known_ = std::move(known);
}

thread_local int StreamOrder::depth_ = 0;

StreamOrder::Work::Work(cudaStream_t stream, const char* name)
    : turn_(StreamOrder::instance().turn()) {
  StreamOrder& order = StreamOrder::instance();
  const bool is_outermost = depth_++ == 0;
  if (is_outermost && order.is_followed()) order.begin(stream, name);
}

StreamOrder::Work::~Work() { --depth_; }

bool StreamOrder::host_knows(std::uint32_t work) const {
  const std::lock_guard lock(mutex_);
  const Issued& issued = works_[work];
  return issued.stream < host_.size() && issued.number <= host_[issued.stream];
}

std::string StreamOrder::name_of(std::uint32_t work) const {
  const std::lock_guard lock(mutex_);
  const Issued& issued = works_[work];
  if (issued.stream == 0) return tr("{} in the default stream", issued.name);
  if (issued.stream == 1) return tr("{} in a thread's default stream", issued.name);
  return tr("{} in stream {}", issued.name, streams_[issued.stream].id);
}

void StreamOrder::record(const void* event, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  events_[event] = after(index_of(stream));
}

void StreamOrder::wait(cudaStream_t stream, const void* event) {
  const std::lock_guard lock(mutex_);
  join(streams_[index_of(stream)].known, events_[event]);
}

void StreamOrder::host_learns(const Known& known) {
  join(host_, known);
  host_.resize(streams_.size());
  bool knows_all = true;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    knows_all = knows_all && streams_[i].issued <= host_[i];
  }
  host_knows_all_ = knows_all;
}

void StreamOrder::host_waits_for(cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  host_learns(after(index_of(stream)));
}

void StreamOrder::host_waits_for_current() {
  const std::lock_guard lock(mutex_);
  if (works_.size() > 1) host_learns(after(works_.back().stream));
}

void StreamOrder::host_waits_for_event(const void* event) {
  const std::lock_guard lock(mutex_);
  host_learns(events_[event]);
}

void StreamOrder::host_waits() {
  const std::lock_guard lock(mutex_);
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) host_learns(after(stream));
}

}  // namespace tilewise::simt
