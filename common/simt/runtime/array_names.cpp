// Where kernels of the checked build tell what their shared arrays are called.

#include <string>
#include <string_view>

#include "common/simt/include/tilewise/shared_memory.hpp"
#include "common/simt/runtime/block_watch.hpp"

namespace tilewise::simt {

namespace {

/// The type in "const char* tilewise::simt::element_name() [with Element = float]" (g++) or
/// "... [Element = float]" (clang).
std::string type_in(std::string_view function) {
  constexpr std::string_view before = "Element = ";
  const std::size_t at = function.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = function.substr(at + before.size());
  return std::string(rest.substr(0, rest.rfind(']')));
}

}  // namespace

void name_shared_array(const void* start, const char* name, const char* element_function,
                       size_t element_bytes, const size_t* extents, size_t rank) {
  if (recorder.next == nullptr) return;
  const auto offset = reinterpret_cast<std::uintptr_t>(start) - recorder.shared_base;
  BlockWatch& watch = BlockWatch::of_this_thread();
  SharedNames& names = watch.names();
  const Place place = shared_place + static_cast<Place>(offset);
  if (watch.tracer().traces()) watch.tracer().note_array(place);
  if (names.knows(place, name, element_function)) return;
  watch.pause_recording();
  names.note(place, name, element_function);
  names.add(place, name, type_in(element_function), element_bytes, {extents, extents + rank});
  watch.go_on_recording();
}

}  // namespace tilewise::simt
