#include "common/simt/recorder/control_flow.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {

namespace {

using ModuleName = std::pair<std::uintptr_t, std::string>;  // base and path

const std::vector<ModuleSymbol>& functions_of(const LoadedModule& module) {
  static std::mutex mutex;
  static auto* known = new std::map<ModuleName, std::vector<ModuleSymbol>>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known->try_emplace({module.base, module.path});
  if (is_new) entry->second = symbols_of(module, SymbolKind::function);
  return entry->second;
}

}  // namespace

FunctionOrder::FunctionOrder(std::uintptr_t begin, std::uintptr_t end) : begin_(begin) {
  const auto code = read_machine_code(begin, end);
  if (!code) return;
  blocks_ = code->blocks;
  std::vector<std::uint32_t> bytes;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::uintptr_t next = i + 1 < blocks_.size() ? blocks_[i + 1] : end;
    bytes.push_back(static_cast<std::uint32_t>(next - blocks_[i]));
  }
  paths_ = order_blocks(code->flow, code->ends, bytes);
  for (const MachineCode::Call& call : code->calls) returns_.push_back(call.returns_to);
  for (const MachineCode::Call& call : code->calls) {
    if (call.target != 0) calls_.push_back({place(call.returns_to), call.target});
  }
  std::ranges::sort(calls_, {}, [](const Call& call) { return call.place.path; });
}

CodePlace FunctionOrder::place(std::uintptr_t returns_to) const {
  CodePlace place{this, {}};
  if (blocks_.empty()) {
    place.path = {static_cast<std::uint32_t>(returns_to - begin_)};
    return place;
  }
  const auto is_return = [&](std::uintptr_t at) {
    return std::ranges::binary_search(returns_, at);
  };
  if (!is_return(returns_to) && is_return(returns_to + 1)) {
    place.continues = true;
    ++returns_to;
  }
  // The call's last byte is looked up, because the address that it returns to may lie in another
  // block.
  const auto behind = std::ranges::upper_bound(blocks_, returns_to - 1);
  const auto block = static_cast<std::size_t>(behind - blocks_.begin() - 1);
  place.path = paths_[block];
  place.path.back() += static_cast<std::uint32_t>(returns_to - 1 - blocks_[block]);
  return place;
}

void CodeOrder::start_launch(const LaunchBody& body) {
  roots_.clear();
  body_ = body;
  const LoadedModule module =
      module_at(reinterpret_cast<std::uintptr_t>(body.run)).value_or(LoadedModule{});
  if (symbols_ != nullptr && module_ == ModuleName{module.base, module.path}) return;
  module_ = {module.base, module.path};
  symbols_ = &functions_of(module);
  places_.clear();
  leads_.clear();
  functions_.clear();
}

const CodePlace& CodeOrder::place(std::uint32_t site) {
  const auto [entry, is_new] = places_.try_emplace(Site32(site).code());
  if (is_new) {
    const std::uintptr_t inside = code_address(site, reinterpret_cast<std::uintptr_t>(body_.run));
    entry->second = function_around(inside).place(inside + 1);
  }
  return entry->second;
}

const FunctionOrder& CodeOrder::function_around(std::uintptr_t address) {
  auto symbol = std::ranges::upper_bound(*symbols_, address, {}, &ModuleSymbol::address);
  // There may be symbols in between that have no bytes.
  while (symbol != symbols_->begin()) {
    --symbol;
    if (symbol->bytes == 0) continue;
    if (address - symbol->address >= symbol->bytes) break;
    std::unique_ptr<FunctionOrder>& function = functions_[symbol->address];
    if (!function) {
      function.reset(new FunctionOrder(symbol->address, symbol->address + symbol->bytes));
    }
    return *function;
  }
  // Code that no symbol names is treated as one function, ordered by address.
  std::unique_ptr<FunctionOrder>& unknown = functions_[0];
  if (!unknown) unknown.reset(new FunctionOrder(0, 0));
  return *unknown;
}

const FunctionOrder* CodeOrder::function_at(std::uintptr_t address) {
  const FunctionOrder& around = function_around(address);
  return around.begin() == address ? &around : nullptr;
}

std::span<const FunctionOrder* const> CodeOrder::roots() {
  if (roots_.empty()) {
    roots_.push_back(function_at(reinterpret_cast<std::uintptr_t>(body_.run)));
    if (body_.context_bytes >= sizeof(std::uintptr_t)) {
      roots_.push_back(function_at(*static_cast<const std::uintptr_t*>(body_.context)));
    }
    std::erase(roots_, nullptr);
  }
  return roots_;
}

bool CodeOrder::leads_to(const FunctionOrder& from, const FunctionOrder& to) {
  const auto [known, is_new] = leads_.try_emplace({&from, &to}, false);
  if (!is_new) return known->second;
  std::set<const FunctionOrder*> seen = {&from};
  std::vector<const FunctionOrder*> open = {&from};
  while (!open.empty() && !known->second) {
    const FunctionOrder& function = *open.back();
    open.pop_back();
    for (const FunctionOrder::Call& call : function.calls()) {
      const FunctionOrder* target = function_at(call.target);
      if (target == nullptr) continue;
      if (target == &to) known->second = true;
      if (seen.insert(target).second) open.push_back(target);
    }
  }
  return known->second;
}

namespace {

/// The number of nested calls that are followed. Deeper recursion is ordered as if it began there.
constexpr std::size_t most_frames = 8;

using Path = std::vector<std::uint32_t>;

std::size_t common_loops(const Path& a, const Path& b) {
  if (a.empty() || b.empty()) return 0;
  const auto loops = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())) - 1;
  const auto differs = std::mismatch(a.begin(), a.begin() + loops, b.begin()).first;
  return static_cast<std::size_t>(differs - a.begin());
}

}  // namespace

void LanePosition::advance(CodeOrder& order, std::uint32_t site) {
  const CodePlace& place = order.place(site);
  const FunctionOrder& function = *place.function;
  const auto at = std::find_if(frames_.rbegin(), frames_.rend(),
                               [&](const Frame& frame) { return frame.function == &function; });
  if (at == frames_.rend()) {
    if (!call_from_some_frame(order, function)) begin_at(order, function);
  } else {
    const auto index = static_cast<std::size_t>(frames_.rend() - at) - 1;
    return_to(index);
    if (move(frames_[index], place)) return;
    // The function has begun anew.
    if (index == 0 || !call(order, index - 1, function)) begin_at(order, function);
  }
  move(frames_.back(), place);
}

// Returns false, changing nothing, if the same call of the function cannot go on at the place.
bool LanePosition::move(Frame& frame, const CodePlace& place) {
  const Path& path = place.path;
  if (place.continues && frame.path == path) {
    ++key_.back();
    return true;
  }
  const std::size_t loops = common_loops(frame.path, path);
  if (!frame.path.empty() && path[loops] <= frame.path[loops]) {
    if (loops == 0) return false;
    ++key_[frame.key_begin + 2 * loops - 1];  // one more pass of the innermost loop around both
  }
  key_.resize(frame.key_begin + 2 * loops);
  for (std::size_t i = loops; i + 1 < path.size(); ++i) {
    key_.push_back(path[i]);
    key_.push_back(0);
  }
  key_.push_back(path.back());
  key_.push_back(0);
  frame.path = path;
  return true;
}

// If several calls lead to the function, the next one is taken, preferably in the innermost loop
// around the last access, since lanes that leave a loop leave a mark.
bool LanePosition::call(CodeOrder& order, std::size_t caller, const FunctionOrder& function) {
  return_to(caller);
  if (frames_.size() >= most_frames) return false;
  const FunctionOrder::Call* best = nullptr;
  std::size_t best_loops = 0;
  bool best_is_behind = false;
  const Path here = frames_[caller].path;
  for (const FunctionOrder::Call& candidate : frames_[caller].function->calls()) {
    const FunctionOrder* target = order.function_at(candidate.target);
    if (target == nullptr) continue;
    if (target != &function && !order.leads_to(*target, function)) continue;
    const std::size_t loops = common_loops(here, candidate.place.path);
    const bool is_behind = candidate.place.path > here;
    if (!is_behind && loops == 0) continue;
    if (best == nullptr || loops > best_loops ||
        (loops == best_loops && is_behind && !best_is_behind)) {
      best = &candidate;
      best_loops = loops;
      best_is_behind = is_behind;
    }
  }
  if (best == nullptr) return false;
  move(frames_[caller], best->place);
  const FunctionOrder* called = order.function_at(best->target);
  frames_.push_back({called, key_.size()});
  return called == &function || call(order, caller + 1, function);
}

bool LanePosition::call_from_some_frame(CodeOrder& order, const FunctionOrder& function) {
  for (std::size_t caller = frames_.size(); caller-- > 0;) {
    if (!order.leads_to(*frames_[caller].function, function)) continue;
    if (call(order, caller, function)) return true;
  }
  return false;
}

void LanePosition::return_to(std::size_t frame) {
  if (frame + 1 == frames_.size()) return;
  key_.resize(frames_[frame + 1].key_begin);
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(frame) + 1, frames_.end());
}

void LanePosition::begin_at(CodeOrder& order, const FunctionOrder& function) {
  const auto start = [&](const FunctionOrder& first) {
    key_ = {static_cast<std::uint32_t>(first.begin())};
    frames_ = {{&first, key_.size()}};
  };
  for (const FunctionOrder* root : order.roots()) {
    start(*root);
    if (root == &function) return;
    if (order.leads_to(*root, function) && call(order, 0, function)) return;
  }
  start(function);
}

}  // namespace tilewise::simt
