#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "common/simt/runtime/block_watch.hpp"

namespace tilewise::simt {

/// A BlockWatch with its observers. Accesses are told here, to each by its own type: there are too
/// many of them for virtual calls.
template <class... Observers>
class WatchOf final : public BlockWatch {
 public:
  WatchOf() { (add(std::get<Observers>(all_)), ...); }

 private:
  void tell_accesses(unsigned warp, std::uint32_t waiting) override {
    traces_[warp].take(order_, warp, waiting, [this](const Request& request) { tell_of(request); });
  }

  void tell_of(const Request& request) {
    if (request.site.action() == Action::none) return;  // a mark, not an access
    SiteState& site = sites_.at(request.site.word());
    const Pattern* known = patterns_.recall(request, site.recent);
    if (known == nullptr) {
      if (const std::uint32_t elsewhere = lanes_elsewhere(request); elsewhere != 0) {
        return tell_apart(request, elsewhere);
      }
      known = &patterns_.find(request, site.recent);
    }
    (access(std::get<Observers>(all_), {request, *known, site}), ...);
    if (watch_.checks) check(request, *known, site);
  }

  /// Lanes that touch the other kind of memory than the first lane.
  static std::uint32_t lanes_elsewhere(const Request& request) {
    std::uint32_t elsewhere = 0;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      const bool other = is_shared(request.places[lane]) != is_shared(request.first_place());
      elsewhere |= (other ? 1u : 0u) << lane;
    }
    return elsewhere;
  }

  void tell_apart(const Request& request, std::uint32_t elsewhere) {
    Request one = request, other = request;
    one.lanes &= ~elsewhere;
    other.lanes = elsewhere;
    tell_of(one);
    tell_of(other);
  }

  void check(const Request& request, const Pattern& pattern, SiteState& site) {
    if (pattern.misaligned || !inside(request, pattern, site)) return check_lane_by_lane(request);
    (sound_access(std::get<Observers>(all_), {request, pattern, site}), ...);
  }

  /// The lanes whose accesses are sound are checked as if they were alone.
  void check_lane_by_lane(const Request& request) {
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      Request alone = request;
      alone.lanes = 1u << lane;
      const bool misaligned = request.places[lane] % request.site.bytes() != 0;
      if (misaligned || !check_alone(alone)) {
        tell([&](Observer& observer) { observer.stray_lane({request, lane, misaligned}); });
      }
    }
  }

  /// @return false where the one lane of the request touches no array or buffer
  bool check_alone(const Request& request) {
    Patterns::Recent unused{};
    SiteState site = sites_.at(request.site.word());
    site.begin = site.end = 0;
    const Pattern& pattern = patterns_.find(request, unused);
    if (!inside(request, pattern, site)) return false;
    check(request, pattern, site);
    return true;
  }

  // Named by its type, a function is called as any other, and one that does nothing not at all.

  template <class Check>
  static void access(Check& check, const Access& access) {
    constexpr bool listens = !std::is_same_v<decltype(&Check::access), decltype(&Observer::access)>;
    if constexpr (listens) {
      if (check.sees_accesses()) check.Check::access(access);
    }
  }

  template <class Check>
  static void sound_access(Check& check, const Access& access) {
    constexpr bool listens =
        !std::is_same_v<decltype(&Check::sound_access), decltype(&Observer::sound_access)>;
    if constexpr (listens) check.Check::sound_access(access);
  }

  std::tuple<Observers...> all_;
};

}  // namespace tilewise::simt
