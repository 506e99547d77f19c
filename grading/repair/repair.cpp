#include "grading/repair/repair.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "grading/builder/builder.hpp"
#include "grading/problem/reference.hpp"
#include "grading/repair/runner.hpp"
#include "grading/repair/search.hpp"
#include "grading/repair/varied_file.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

RepairRequest without_calls(RepairRequest request) {
  request.calls.clear();
  return request;
}

/// Looks for a change that mends a file, one portion of its variants after another.
class Hunt {
 public:
  Hunt(const RepairRequest& request, const VariedFile& file) : request_(request), file_(file) {
    if (request_.is_of_memory) {
      look_at_memory();
    } else {
      make_calls_large_enough();
    }
  }

  /// Tries some variants.
  /// @return the first one that is confirmed
  std::optional<Repair> look_among(std::vector<Variant> variants) {
    std::ranges::stable_sort(variants, {}, [](const Variant& variant) {
      return std::pair(variant.changes.size(), variant.changes.front().words.first);
    });
    const fs::path module = build_variants(request_, file_, variants);
    if (module.empty()) return std::nullopt;
    std::vector<std::size_t> order(variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return variants[i].distance; });
    Search search(module, request_, order, limits_);
    if (!search.goes_wrong() && !request_.optimised) {
      request_.optimised = true;
      return look_among(std::move(variants));
    }
    is_over_ = !search.goes_wrong();
    if (entered_.empty() && !is_over_) {
      entered_ = Runner(module, request_, limits_).what_is_entered();
    }
    Runner runner(module, request_, {{longest_call_s}});
    std::optional<WhatRuns> before;
    for (std::size_t i = 0; i < order.size() && !is_over(); ++i) {
      const Variant& found = variants[order[i]];
      const bool may_do_no_more =
          found.condition != 0 && is_decided_by(found.condition) && !found.asks_for_more;
      if ((may_do_no_more && !found.takes_one_path) || !search.is_right(i)) continue;
      if (found.takes_one_path) {
        paths_.push_back(found);
        continue;
      }
      if (puts_in_a_constant(found)) continue;
      const auto number = static_cast<std::int32_t>(order[i] + 1);
      if (!before) before = runner.what_runs(0);
      const WhatRuns after = runner.what_runs(number);
      const bool stops = !found.asks_for_more && stops_lines(found, *before, after);
      if (stops || launches_too_much(*before, after)) {
        idling_.push_back(found);
        continue;
      }
      if (!is_right_in_later_calls(module, number)) continue;
      if (confirms(found)) return Repair{found.words};
      is_over_ = confirmations_ >= most_confirmations;
    }
    return std::nullopt;
  }

  /// The variants that may mend the calls, by the blocks that these enter.
  std::vector<Variant> worth_a_try(std::span<const Variant> variants) const {
    std::vector<Variant> found(variants.begin(), variants.end());
    narrow_down(found, *file_.source, entered_);
    return found;
  }

  /// The variants near changes that come right because something no longer runs: the condition that
  /// decides on that stands beside them, and should be changed instead.
  std::vector<Variant> beside_what_idles(std::span<const Variant> variants) const {
    constexpr int lines = 3;
    std::vector<Variant> beside;
    std::ranges::copy_if(variants, std::back_inserter(beside), [&](const Variant& variant) {
      return std::ranges::any_of(idling_, [&](const Variant& idle) {
        return std::abs(variant.line - idle.line) <= lines;
      });
    });
    return beside;
  }

  /// A change after which something no longer runs, or far more threads run.
  std::optional<Repair> what_idles() { return first_confirmed(idling_); }

  /// Tries variants that are programs of their own.
  /// @return the first one that is confirmed
  std::optional<Repair> look_among_programs(std::span<const Variant> programs) {
    const ReferencesWithoutThreads without_threads;
    const std::size_t at_once = processors_to_use();
    for (std::size_t first = 0; first < programs.size() && !is_over(); first += at_once) {
      const std::size_t end = std::min(first + at_once, programs.size());
      std::vector<std::future<bool>> right;
      for (std::size_t i = first; i < end; ++i) {
        right.push_back(std::async(std::launch::async, [this, &programs, i] {
          return is_right_alone("program_" + std::to_string(i), programs[i]);
        }));
      }
      for (auto& each : right) each.wait();
      for (std::size_t i = first; i < end && !is_over(); ++i) {
        if (right[i - first].get() && confirms(programs[i])) return Repair{programs[i].words};
        is_over_ = confirmations_ >= most_confirmations;
      }
    }
    return std::nullopt;
  }

  /// A path such that all comes right if it is never taken.
  std::optional<Repair> path_at_fault() {
    auto path = first_confirmed(paths_);
    if (path) path->is_path = true;
    return path;
  }

  /// A change that leaves other faults as they are, for use if none mends all.
  const std::optional<Repair>& partly() const { return partly_; }

  /// Whether it is time to give up.
  bool is_over() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    return is_over_ || taken.count() > limit_s_;
  }

 private:
  static constexpr int most_confirmations = 4;  // each takes seconds
  /// The factor by which a change may raise a kernel's threads, for a grid that was too small. A
  /// grid of far more blocks than there is work for would cover everything, too.
  static constexpr double most_threads = 2;

  /// Measures the unchanged program's waste of memory accesses, with which variants and programs of
  /// their own are compared.
  void look_at_memory() {
    constexpr double of_varied = 4;  // variants are slower, because they are not optimised
    const fs::path module = built_alone("unchanged", Variant());
    is_over_ = module.empty();
    if (is_over_) return;
    limits_ = Runner(module, request_, {{longest_call_s / times_as_long}})
                  .find_limits(shortest_call_s, of_varied * times_as_long);
    is_over_ = std::ranges::none_of(limits_, [](const CallLimits& call) { return call.waste > 0; });
  }

  /// Raises the calls' size until one goes wrong: a sum that starts anew with every tile is right
  /// in a call of one tile.
  void make_calls_large_enough() {
    constexpr double times = 8;  // a matrix product of twice the size in all three dimensions
    constexpr double largest = 6.4e7;
    const ReferencesWithoutThreads without_threads;
    const Variant none;
    while (is_right_alone("unchanged", none)) {
      request_.most_operations *= times;
      is_over_ = request_.most_operations > largest;
      if (is_over_) return;
    }
  }

  /// Whether all calls come right if a variant is compiled as a program of its own.
  bool is_right_alone(const std::string& name, const Variant& variant) const {
    const fs::path module = built_alone(name, variant);
    if (module.empty()) return false;
    const std::vector<CallLimits> limits =
        limits_.empty() ? std::vector<CallLimits>{{longest_call_s}} : limits_;
    return Runner(module, request_, limits).all_right(0);
  }

  /// Builds a variant as a program of its own.
  /// @return its module; empty if it does not compile
  fs::path built_alone(const std::string& name, const Variant& variant) const {
    const std::string text = with_edits(*file_.source, file_.text, variant);
    BuildRequest build{request_.stage.id, folder_with(request_, name, file_.name, text),
                       Backend::simt, request_.scratch / name, Flavour::checked};
    build.bubblewrap = request_.bubblewrap;
    const BuildResult built = build_module(build);
    return built.ok ? built.module : fs::path();
  }

  /// Whether a built-in value that a change puts in may as well be 0, or 1 for a dimension, in all
  /// calls that were tried, as in a grid of one row. Nobody means such a change.
  bool puts_in_a_constant(const Variant& found) const {
    Variant constant = found;
    bool is_one = false;
    for (Rewording& edit : constant.edits) {
      const std::string name = edit.text.substr(0, edit.text.find('.'));
      const bool is_index = name == "blockIdx" || name == "threadIdx";
      if (edit.text.size() != name.size() + 2 || !(is_index || name.ends_with("Dim"))) continue;
      edit.text = is_index ? "0" : "1";
      is_one = true;
    }
    return is_one && is_right_alone("constant", constant);
  }

  /// Whether a line that the change leaves as it is accessed memory before and no longer does: a
  /// loop or a path that was right by itself may have stopped running.
  bool stops_lines(const Variant& found, const WhatRuns& before, const WhatRuns& after) const {
    const std::vector<Token>& code = file_.source->outline.code();
    std::set<int> changed;
    for (const Rewording& edit : found.edits) {
      for (std::size_t i = edit.words.first; i < edit.words.end; ++i) changed.insert(code[i].line);
    }
    return std::ranges::any_of(before.lines, [&](const auto& line) {
      return !after.lines.contains(line) && !changed.contains(line.second);
    });
  }

  /// Whether a kernel has far more threads than before, most of which have nothing to do.
  static bool launches_too_much(const WhatRuns& before, const WhatRuns& after) {
    return std::ranges::any_of(before.threads, [&](const auto& kernel) {
      const auto now = after.threads.find(kernel.first);
      return now != after.threads.end() && now->second > most_threads * kernel.second;
    });
  }

  /// Whether a variant also comes right in the calls for which others were refused. Many changes of
  /// one condition are right in the same few calls, and a confirmation takes seconds.
  bool is_right_in_later_calls(const fs::path& module, std::int32_t number) const {
    if (later_.calls.empty()) return true;
    Runner runner(module, later_, {{longest_call_s / times_as_long}});
    runner.find_limits(shortest_call_s, times_as_long);
    return runner.all_right(number);
  }

  std::optional<Repair> first_confirmed(const std::vector<Variant>& all) {
    for (const Variant& each : all) {
      if (confirmations_ >= most_confirmations) break;
      if (confirms(each)) return Repair{each.words};
    }
    return std::nullopt;
  }

  /// Whether a change mends all. One that leaves other faults may not be the one that is meant: if
  /// several threads do the same work, it may leave most of them without any. The first such change
  /// is kept, and the search goes on for a while.
  bool confirms(const Variant& found) {
    constexpr double while_s = 10;
    ++confirmations_;
    const std::string text = with_edits(*file_.source, file_.text, found);
    auto [mended, calls] = request_.confirm(folder_with(request_, "mended", file_.name, text));
    if (mended == Mended::no) std::ranges::move(calls, std::back_inserter(later_.calls));
    if (mended == Mended::but_for_other_faults && !partly_) {
      partly_ = Repair{found.words, found.takes_one_path, mended};
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
      limit_s_ = std::min(limit_s_, taken.count() + while_s);
    }
    return mended == Mended::wholly;
  }

  /// Whether all comes right if a condition always holds, or never does.
  bool is_decided_by(std::size_t condition) const {
    return std::ranges::find(paths_, condition, &Variant::condition) != paths_.end();
  }

  RepairRequest request_;
  const VariedFile& file_;
  std::vector<CallLimits> limits_;
  std::vector<Entered> entered_;  ///< by all calls, once some variants have been looked at
  std::vector<Variant> paths_;    ///< variants that come right by always taking one of two paths
  /// Variants that come right, but stop something that ran, or launch far more threads than before.
  std::vector<Variant> idling_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  RepairRequest later_ = without_calls(request_);  ///< with the calls of changes that were refused
  double limit_s_ = request_.time_limit_s;
  std::optional<Repair> partly_;
  int confirmations_ = 0;
  bool is_over_ = false;
};

/// The number of programs that are tried before all variants: constants that round down, on lines
/// that findings name or that compute the values used there, and layouts of fragments. A variant
/// that gives a loop one more iteration would come right as well.
std::size_t near_programs(const VariedFile& file) {
  constexpr double near = 1;
  const auto end = std::ranges::find_if(
      file.fixed, [](const Variant& variant) { return variant.distance > near; });
  return static_cast<std::size_t>(end - file.fixed.begin());
}

}  // namespace

std::optional<Repair> find_repair(const RepairRequest& request) {
  const std::vector<Posed> calls = calls_to_try(request);
  if (calls.empty()) return std::nullopt;
  std::set<std::string, std::less<>> wrong;
  for (const Posed& each : calls) wrong.insert(each.call.function);
  const auto file = file_with(request, calls.front().call.function, wrong);
  if (!file) return std::nullopt;
  // A source of many templates takes a minute to compile with all variants, so the nearest ones are
  // tried first. Each program of its own takes as long as dozens of variants.
  const std::span all(file->variants);
  const std::size_t nearest = std::min<std::size_t>(100, all.size());
  Hunt hunt(request, *file);
  const auto look_among = [&](std::span<const Variant> part) {
    return part.empty() || hunt.is_over() ? std::nullopt
                                          : hunt.look_among({part.begin(), part.end()});
  };
  const std::span programs(file->fixed);
  const std::size_t first_programs = request.is_of_memory ? programs.size() : near_programs(*file);
  if (const auto found = hunt.look_among_programs(programs.first(first_programs))) return found;
  if (const auto found = look_among(all.first(nearest))) return found;
  const std::vector<Variant> others = hunt.worth_a_try(all.subspan(nearest));
  const std::span rest(others);
  const std::size_t near = std::min<std::size_t>(300, rest.size());
  const std::size_t less_near = std::min<std::size_t>(700, rest.size());
  if (const auto found = look_among(hunt.beside_what_idles(rest))) return found;
  if (const auto found = hunt.what_idles()) return found;
  if (const auto found = look_among(rest.first(near))) return found;
  if (const auto found = look_among(rest.subspan(near, less_near - near))) return found;
  if (const auto found = hunt.look_among_programs(programs.subspan(first_programs))) return found;
  if (const auto found = look_among(rest.subspan(less_near))) return found;
  if (const auto found = hunt.what_idles()) return found;
  if (const auto found = hunt.path_at_fault()) return found;
  return hunt.partly();
}

}  // namespace tilewise::grading
