#include <algorithm>
#include <queue>
#include <set>
#include <utility>

#include "common/simt/recorder/control_flow.hpp"

namespace tilewise::simt {

namespace {

using Block = std::uint32_t;
using Blocks = std::vector<Block>;

constexpr std::uint32_t no_block = ~0u;

/// Deeper loops are treated as straight code, whose blocks keep the order of their addresses. No
/// kernel that a person writes nests as deep; control flow that loops do not describe may, and
/// would take long.
constexpr std::size_t most_nested = 24;

/// A longer way out of a loop is treated as code that follows the loop. Otherwise, each of many
/// loops without marks would be followed to the function's end.
constexpr std::size_t longest_way = 256;

class Orderer {
 public:
  Orderer(const ControlFlow& flow, const Marks& ends, const std::vector<std::uint32_t>& room)
      : flow_(flow),
        ends_(ends),
        room_(room),
        predecessors_(flow.size()),
        region_(flow.size(), no_block),
        visited_(flow.size()),
        low_(flow.size()),
        component_of_(flow.size()),
        open_(flow.size(), false),
        paths_(flow.size()) {}

  BlockPaths run() {
    const Blocks blocks = reachable();
    for (const Block from : blocks) {
      for (const Block to : flow_[from]) predecessors_[to].push_back(from);
    }
    order_region(blocks, no_block, {});
    // These are padding between blocks, and blocks that no thread reaches.
    for (Block block = 0; block < flow_.size(); ++block) {
      if (paths_[block].empty()) number(block, {});
    }
    return std::move(paths_);
  }

 private:
  Blocks reachable() const {
    std::vector<bool> seen(flow_.size(), false);
    Blocks open = {0}, found;
    seen[0] = true;
    while (!open.empty()) {
      const Block block = open.back();
      open.pop_back();
      found.push_back(block);
      for (const Block to : flow_[block]) {
        if (!seen[to]) open.push_back(to);
        seen[to] = true;
      }
    }
    std::ranges::sort(found);
    return found;
  }

  void number(Block block, std::vector<std::uint32_t> path) {
    path.push_back(next_);
    next_ += room_[block];
    paths_[block] = std::move(path);
  }

  // Orders the blocks of one loop, or of the whole function. Edges back to the header belong to
  // another pass.
  void order_region(const Blocks& blocks, Block header, const std::vector<std::uint32_t>& path) {
    const std::uint32_t region = ++regions_;
    for (const Block block : blocks) region_[block] = region;
    const auto inside = [&](Block block) { return region_[block] == region && block != header; };
    const std::vector<Blocks> components =
        with_ways_to_their_ends(strongly_connected(blocks, inside), inside, header);
    for (const Blocks& component : in_topological_order(components, inside)) {
      if (!loops(component, header) || path.size() == most_nested) {
        for (const Block block : component) number(block, path);
        continue;
      }
      std::vector<std::uint32_t> here = path;
      here.push_back(next_++);
      order_region(component, header_of(component), here);
    }
  }

  bool loops(const Blocks& component, Block header) const {
    const Block first = component[0];
    return component.size() > 1 ||
           (first != header && std::ranges::find(flow_[first], first) != flow_[first].end());
  }

  // Adds to each loop the blocks between it and the marks of its end, if all ways out lead to one.
  template <class Inside>
  std::vector<Blocks> with_ways_to_their_ends(std::vector<Blocks> components, Inside&& inside,
                                              Block header) {
    find_components_of_blocks(components);
    for (std::size_t loop = 0; loop < components.size(); ++loop) {
      if (components[loop].empty() || !loops(components[loop], header)) continue;
      std::set<std::size_t> taken = {loop};
      const auto is_taken = [&](Block block) {
        return (inside(block) || block == header) && taken.contains(component_of_[block]);
      };
      const auto only_follows = [&](std::size_t component) {
        return std::ranges::all_of(components[component], [&](Block block) {
          return !ends_[block] && std::ranges::all_of(predecessors_[block], [&](Block from) {
            return is_taken(from) || std::ranges::binary_search(components[component], from);
          });
        });
      };
      std::vector<std::size_t> open = {loop};
      while (!open.empty() && taken.size() <= longest_way) {
        const std::size_t from = open.back();
        open.pop_back();
        for (const Block block : components[from]) {
          for (const Block to : flow_[block]) {
            if (!inside(to) || is_taken(to) || !only_follows(component_of_[to])) continue;
            taken.insert(component_of_[to]);
            open.push_back(component_of_[to]);
          }
        }
      }
      const auto comes_to_an_end = [&](Block block) {
        return !flow_[block].empty() && std::ranges::all_of(flow_[block], [&](Block to) {
          return is_taken(to) || ends_[to];
        });
      };
      if (!open.empty()) continue;
      Blocks all;
      for (const std::size_t way : taken) {
        all.insert(all.end(), components[way].begin(), components[way].end());
      }
      if (!std::ranges::all_of(all, comes_to_an_end)) continue;
      for (const std::size_t way : taken) components[way].clear();
      std::ranges::sort(all);
      components[loop] = std::move(all);
    }
    std::erase_if(components, [](const Blocks& component) { return component.empty(); });
    return components;
  }

  void find_components_of_blocks(const std::vector<Blocks>& components) {
    for (std::size_t i = 0; i < components.size(); ++i) {
      for (const Block block : components[i]) component_of_[block] = i;
    }
  }

  // Returns the block where the loop is entered; the first one, if there are several, which only
  // `goto` can cause.
  Block header_of(const Blocks& component) const {
    const auto is_entered = [&](Block block) {
      return block == 0 || std::ranges::any_of(predecessors_[block], [&](Block from) {
               return !std::ranges::binary_search(component, from);
             });
    };
    const auto found = std::ranges::find_if(component, is_entered);
    return found == component.end() ? component[0] : *found;
  }

  // Tarjan's algorithm. It does without recursion, because it may run on the small stack of a
  // kernel's thread.
  template <class Inside>
  std::vector<Blocks> strongly_connected(const Blocks& blocks, Inside&& inside) {
    struct Visit {
      Block block;
      std::size_t next_edge;
    };
    std::vector<Blocks> components;
    for (const Block block : blocks) visited_[block] = low_[block] = no_block;
    Blocks stack;
    std::vector<Visit> visits;
    std::uint32_t visited = 0;
    const auto enter = [&](Block block) {
      visited_[block] = low_[block] = visited++;
      stack.push_back(block);
      open_[block] = true;
      visits.push_back({block, 0});
    };
    for (const Block start : blocks) {
      if (visited_[start] != no_block) continue;
      enter(start);
      while (!visits.empty()) {
        Visit& visit = visits.back();
        const Block block = visit.block;
        if (visit.next_edge < flow_[block].size()) {
          const Block to = flow_[block][visit.next_edge++];
          if (!inside(to)) continue;
          if (visited_[to] == no_block) {
            enter(to);
          } else if (open_[to]) {
            low_[block] = std::min(low_[block], visited_[to]);
          }
          continue;
        }
        visits.pop_back();
        if (!visits.empty())
          low_[visits.back().block] = std::min(low_[visits.back().block], low_[block]);
        if (low_[block] != visited_[block]) continue;
        Blocks& component = components.emplace_back();
        do {
          component.push_back(stack.back());
          open_[stack.back()] = false;
          stack.pop_back();
        } while (component.back() != block);
        std::ranges::sort(component);
      }
    }
    return components;
  }

  // Among the components that no remaining component leads to, the one at the lowest address comes
  // next.
  template <class Inside>
  std::vector<Blocks> in_topological_order(const std::vector<Blocks>& components, Inside&& inside) {
    find_components_of_blocks(components);
    std::vector<std::size_t> ways_in(components.size(), 0);
    const auto each_way_out = [&](std::size_t from, auto&& visit) {
      for (const Block block : components[from]) {
        for (const Block to : flow_[block]) {
          if (inside(to) && component_of_[to] != from) visit(component_of_[to]);
        }
      }
    };
    for (std::size_t i = 0; i < components.size(); ++i) {
      each_way_out(i, [&](std::size_t to) { ++ways_in[to]; });
    }
    const auto later = [&](std::size_t a, std::size_t b) {
      return components[a][0] > components[b][0];
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (ways_in[i] == 0) ready.push(i);
    }
    std::vector<Blocks> ordered;
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      ordered.push_back(components[next]);
      each_way_out(next, [&](std::size_t to) {
        if (--ways_in[to] == 0) ready.push(to);
      });
    }
    return ordered;
  }

  const ControlFlow& flow_;
  const Marks& ends_;
  const std::vector<std::uint32_t>& room_;
  ControlFlow predecessors_;
  /// For each block, the innermost region that is being ordered.
  std::vector<std::uint32_t> region_;
  std::uint32_t regions_ = 0;
  std::vector<std::uint32_t> visited_, low_;  ///< for each block, in that region
  std::vector<std::size_t> component_of_;
  std::vector<bool> open_;
  std::uint32_t next_ = 0;
  BlockPaths paths_;
};

}  // namespace

BlockPaths order_blocks(const ControlFlow& flow, const Marks& ends,
                        const std::vector<std::uint32_t>& room) {
  return Orderer(flow, ends, room).run();
}

}  // namespace tilewise::simt
