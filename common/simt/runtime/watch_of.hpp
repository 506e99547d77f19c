#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/simt/runtime/block_watch.hpp"

namespace tilewise::simt {

/// A BlockWatch with its observers. Accesses are reported here to each observer by its own type,
/// because there are too many accesses for virtual calls.
template <class... Observers>
class WatchOf final : public BlockWatch {
 public:
  WatchOf() { (add(std::get<Observers>(all_)), ...); }

 private:
  void tell_accesses(unsigned warp, std::uint32_t waiting) override {
    traces_[warp].take(order_, warp, waiting, [this](const Request& request) { tell_of(request); });
  }

  void tell_of(const Request& request) {
    if (request.site.action() == Action::none) return tell_of_note(request);
    SiteState& site = sites_.at(request.site.word());
    const Pattern* known = patterns_.recall(request, site.recent);
    if (known == nullptr) {
      if (const std::uint32_t elsewhere = lanes_elsewhere(request); elsewhere != 0) {
        return tell_apart(request, elsewhere);
      }
      known = &patterns_.find(request, site.recent);
    }
    tell_all({request, *known, site}, std::index_sequence_for<Observers...>());
    if (watch_.checks) check(request, *known, site);
  }

  /// Handles an entry that is no access: a mark of a loop, which concerns no observer, or a note of
  /// a copy.
  void tell_of_note(const Request& request) {
    const unsigned note = request.site.bytes();
    if (note == 1 || !(watch_.checks || watch_.sample)) return;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      const AccessRecord record = record_of(request, lane);
      tell([&](Observer& observer) {
        if (note == note_of_wait) return observer.copies_arrived(request.places[lane], record);
        observer.copy_begun(copy(request.places[lane]), record);
      });
    }
  }

  /// Returns the lanes that access the other kind of memory than the first lane.
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
    const Access access = {request, pattern, site};
    if (pattern.shared) {
      (tell_shared(std::get<Observers>(all_), access), ...);
    } else {
      (tell_global(std::get<Observers>(all_), access), ...);
    }
  }

  /// Checks lanes whose accesses are sound as if they were alone.
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

  /// @return false if the one lane of the request accesses no array or buffer
  bool check_alone(const Request& request) {
    Patterns::Recent unused{};
    SiteState site = sites_.at(request.site.word());
    site.begin = site.end = 0;
    const Pattern& pattern = patterns_.find(request, unused);
    if (!inside(request, pattern, site)) return false;
    check(request, pattern, site);
    return true;
  }

  // When a function is named by its type, the call is not virtual, and a function that does nothing
  // is not called at all.

  template <std::size_t... i>
  void tell_all(const Access& access, std::index_sequence<i...>) {
    (tell_if(sees_[i], std::get<i>(all_), access), ...);
  }

  template <class Check>
  static void tell_if(bool sees, Check& check, const Access& access) {
    if constexpr (!std::is_same_v<decltype(&Check::access), decltype(&Observer::access)>) {
      if (sees) check.Check::access(access);
    }
  }

  template <class Check>
  static void tell_shared(Check& check, const Access& access) {
    using Nothing = decltype(&Observer::shared_access);
    if constexpr (!std::is_same_v<decltype(&Check::shared_access), Nothing>) {
      check.Check::shared_access(access);
    }
  }

  template <class Check>
  static void tell_global(Check& check, const Access& access) {
    using Nothing = decltype(&Observer::global_access);
    if constexpr (!std::is_same_v<decltype(&Check::global_access), Nothing>) {
      check.Check::global_access(access);
    }
  }

  void choose_listeners() override { sees_ = {std::get<Observers>(all_).sees_accesses()...}; }

  std::tuple<Observers...> all_;
  std::array<bool, sizeof...(Observers)> sees_{};  ///< whether each observer sees accesses
};

}  // namespace tilewise::simt
