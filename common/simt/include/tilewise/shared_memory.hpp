#pragma once

#include <stddef.h>

namespace tilewise::simt {

/// Reserves room for one `__shared__` declaration in every block's shared memory. Called while a
/// module loads; the number names the room from then on.
int reserve_shared(size_t bytes, size_t alignment);

/// The room in the running block's shared memory. Poisoned (every byte 0xFF: float NaN) when a
/// block first comes to the declaration, because a real block finds arbitrary bytes there.
void* enter_shared(int slot);

/// The running block's dynamic shared memory, aligned to 128 bytes.
void* enter_dynamic_shared(const char* name);

template <class T>
inline const int shared_slot = reserve_shared(sizeof(T), alignof(T));

/// The block's one instance of a shared declaration; T is unique to the declaration.
template <class T>
inline T& shared() {
  return *static_cast<T*>(enter_shared(shared_slot<T>));
}

/// Tells an array's name and type to builds that check every access; this one does not.
template <class T>
inline void name_shared(T&, const char*) {}

template <class T>
inline T* dynamic_shared(const char* name) {
  return static_cast<T*>(enter_dynamic_shared(name));
}

}  // namespace tilewise::simt
