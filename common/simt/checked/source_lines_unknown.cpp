#include "common/simt/checked/source_lines.hpp"

#include "common/simt/host_apart.hpp"

namespace tilewise::simt {

SourceLine source_line(std::uintptr_t) { return {}; }

void read_source_lines_from(int, const void*) {}

}  // namespace tilewise::simt
