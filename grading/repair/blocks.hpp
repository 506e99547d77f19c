#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "grading/repair/variant.hpp"

/// Which blocks of statements a call enters. A change in a block that a wrong call never enters
/// cannot mend that call.
namespace tilewise::grading {

/// The blocks of a source that can report that they are entered: those of functions that no
/// compiler runs. Bodies of `switch` are left out, because nothing in front of a label runs.
std::vector<Part> blocks_of(const SourceText& source);

/// The blocks that one call of the source, as it is, enters, by their places in blocks_of().
struct Entered {
  bool is_right = false;  ///< whether the call comes right
  std::set<std::size_t> blocks;
};

/// The blocks that a worker's output names for one negative number of a variant
/// (tilewise/variants.hpp).
std::set<std::size_t> blocks_in(const std::string& output, std::int32_t number);

/// Leaves out the variants that cannot mend all wrong calls, because one of these enters none of
/// the blocks that they change, and has those come later whose blocks right calls enter, too.
void narrow_down(std::vector<Variant>& variants, const SourceText& source,
                 const std::vector<Entered>& calls);

}  // namespace tilewise::grading
