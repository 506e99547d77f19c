#pragma once

#include <stddef.h>

#include <type_traits>
#include <utility>

#include "qualifiers.hpp"

namespace tilewise::simt {

/// Room for one `__shared__` declaration in every block's shared memory.
struct SharedRoom {
  size_t bytes;
  size_t alignment;
  int slot;  ///< names the room once it is reserved
};

/// Called while a module loads.
int reserve_shared(SharedRoom& room);

/// The room in the running block's shared memory. Poisoned (every byte 0xFF: float NaN) when a
/// block first comes to the declaration, because a real block finds arbitrary bytes there.
void* enter_shared(int slot);

/// The same for a declaration at file scope, which the first block of the first kernel that comes
/// to it reports to the run-time, once.
void* enter_shared_at_file_scope(int slot);

/// The running block's dynamic shared memory, aligned to 128 bytes.
void* enter_dynamic_shared(const char* name);

/// Passes a value on within a block, without using the memory of kernels. A barrier has to lie
/// between the two calls.
/// @param slot  one of the block's 32
/// @param bytes  at most 64
void keep_for_block(unsigned slot, const void* value, size_t bytes);
void take_from_block(unsigned slot, void* value, size_t bytes);

/// Loaders know this variable by its name: if initialisers run in another process than kernels, the
/// loader reserves the room.
template <class T>
inline SharedRoom shared_room = {sizeof(T), alignof(T), 0};

template <class T>
inline const int shared_reservation = reserve_shared(shared_room<T>);

/// The block's one instance of a shared declaration; T is unique to the declaration.
template <class T>
inline T& shared() {
  static_cast<void>(&shared_reservation<T>);  // this instantiates it
  return *static_cast<T*>(enter_shared(shared_room<T>.slot));
}

template <class T>
inline T& shared_at_file_scope() {
  static_cast<void>(&shared_reservation<T>);  // this instantiates it
  return *static_cast<T*>(enter_shared_at_file_scope(shared_room<T>.slot));
}

/// Tells the run-time the name of an array, for the messages of the checked build.
/// @param element_function what element_name() returns
/// @param alignment the one that the compiler knows; for an array that it places itself, that of
/// the widest access
/// @param extents none for dynamic shared memory
void name_shared_array(const void* start, const char* name, const char* element_function,
                       size_t element_bytes, size_t alignment, const size_t* extents, size_t rank);

/// The bytes of the widest access.
inline constexpr size_t widest_access = 16;

/// The compiler's name of this function, which spells out the type.
template <class Element>
const char* element_name() {
  return __PRETTY_FUNCTION__;
}

#ifdef TILEWISE_CHECKED

template <class T, size_t... dimension>
inline void name_shared_of_rank(T& array, const char* name, std::index_sequence<dimension...>) {
  using Element = std::remove_volatile_t<std::remove_all_extents_t<T>>;
  static constexpr size_t extents[] = {std::extent_v<T, dimension>..., 0};
  name_shared_array(const_cast<std::remove_volatile_t<T>*>(&array), name, element_name<Element>(),
                    sizeof(Element), widest_access, extents, sizeof...(dimension));
}

template <class T>
inline void name_shared(T& array, const char* name) {
  name_shared_of_rank(array, name, std::make_index_sequence<std::rank_v<T>>{});
}

template <class T, size_t alignment = alignof(T)>
inline T (&dynamic_shared(const char* name))[] {
  void* start = enter_dynamic_shared(name);
  name_shared_array(start, name, element_name<T>(), sizeof(T), alignment, nullptr, 0);
  return *static_cast<T(*)[]>(start);
}

#else

template <class T>
inline void name_shared(T&, const char*) {}

template <class T, size_t = alignof(T)>
inline T (&dynamic_shared(const char* name))[] {
  return *static_cast<T(*)[]>(enter_dynamic_shared(name));
}

#endif

/// For a declaration at file scope, which the first block that comes to it reports.
template <class T>
inline T& named_shared(T& array, const char* name) {
  name_shared(array, name);
  return array;
}

}  // namespace tilewise::simt

/// The text of a name that is given to a macro.
#define TILEWISE_TEXT(name) #name
