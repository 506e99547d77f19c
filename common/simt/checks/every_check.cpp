// All observers that this folder declares. list_checks.cmake makes the list when the library is
// built, so that a new observer needs no more than its own files.

#include <memory>

#include "common/simt/checks/list_of_checks.hpp"
#include "common/simt/runtime/watch_of.hpp"

namespace tilewise::simt {

static const bool is_known = BlockWatch::make_by(
    [] { return std::unique_ptr<BlockWatch>(new WatchOf<TILEWISE_EVERY_CHECK>); });

}  // namespace tilewise::simt
