#pragma once

#include <stdint.h>

#include <type_traits>

#include "driver_types.hpp"

// Arrays, and the textures and surfaces through which kernels access them.

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height = 0, unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from,
                              size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x_bytes, size_t y,
                                size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from,
                                size_t pitch, size_t width_bytes, size_t height,
                                cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes,
                                  size_t y, size_t width_bytes, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y,
                                     cudaArray_const_t from, size_t from_x_bytes, size_t from_y,
                                     size_t width_bytes, size_t height,
                                     cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y,
                                            const void* from, size_t pitch, size_t width_bytes,
                                            size_t height, cudaMemcpyKind kind,
                                            cudaStream_t = nullptr) {
  return cudaMemcpy2DToArray(to, x_bytes, y, from, pitch, width_bytes, height, kind);
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from,
                                              size_t x_bytes, size_t y, size_t width_bytes,
                                              size_t height, cudaMemcpyKind kind,
                                              cudaStream_t = nullptr) {
  return cudaMemcpy2DFromArray(to, pitch, from, x_bytes, y, width_bytes, height, kind);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

namespace tilewise::simt {

/// The value of a texel that was read.
struct Texel {
  bool is_real;  ///< which of the two members holds it
  float real[4];
  int whole[4];
};

/// The place at which a texture is read. Dimensions that the texture does not have are ignored.
struct TexturePlace {
  float x, y, z;
  int layer;
};

/// Reads a texture as its description says: filtered, normalised, or beyond its edges.
Texel read_texture(cudaTextureObject_t texture, TexturePlace place);
/// The place in a cube map that lies in the direction of x, y and z.
TexturePlace place_in_cube(float x, float y, float z, int cube = 0);
/// Reads a texel of linear memory by its number; beyond the end it is 0.
Texel read_texel(cudaTextureObject_t texture, int number);
/// One component of each of the four texels that a filter would read.
Texel gather_texels(cudaTextureObject_t texture, TexturePlace place, int component);

/// The address of bytes of a surface; null beyond its edges, unless `mode` moves the place to the
/// nearest one inside.
void* place_in_surface(cudaSurfaceObject_t surface, int x_bytes, int y, int z, int bytes,
                       cudaSurfaceBoundaryMode mode);

template <class T, class = void>
struct ComponentsOf {
  using Type = T;
  static constexpr int count = 1;
};
template <class T>
struct ComponentsOf<T, std::void_t<decltype(T::x)>> {
  using Type = std::remove_reference_t<decltype(T::x)>;
  static constexpr int count = sizeof(T) / sizeof(Type);
};

template <class T>
cudaChannelFormatDesc channel_format() {
  using Type = typename ComponentsOf<T>::Type;
  constexpr int bits = 8 * sizeof(Type), count = ComponentsOf<T>::count;
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          std::is_floating_point_v<Type> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Type>       ? cudaChannelFormatKindSigned
                                         : cudaChannelFormatKindUnsigned};
}

template <class T>
T texel_as(const Texel& texel) {
  using Type = typename ComponentsOf<T>::Type;
  Type components[ComponentsOf<T>::count];
  for (int i = 0; i < ComponentsOf<T>::count; ++i) {
    components[i] =
        texel.is_real ? static_cast<Type>(texel.real[i]) : static_cast<Type>(texel.whole[i]);
  }
  T value;
  __builtin_memcpy(&value, components, sizeof value);
  return value;
}

}  // namespace tilewise::simt

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  return tilewise::simt::channel_format<T>();
}

// Each function has two forms: one returns the value, one stores it.
#define TILEWISE_TEXTURE_READ(name, parameters, ...)                          \
  template <class T>                                                          \
  T name(cudaTextureObject_t texture TILEWISE_OPEN parameters) {              \
    return tilewise::simt::texel_as<T>(tilewise::simt::__VA_ARGS__);          \
  }                                                                           \
  template <class T>                                                          \
  void name(T* value, cudaTextureObject_t texture TILEWISE_OPEN parameters) { \
    *value = tilewise::simt::texel_as<T>(tilewise::simt::__VA_ARGS__);        \
  }
#define TILEWISE_OPEN(...) , __VA_ARGS__

TILEWISE_TEXTURE_READ(tex1Dfetch, (int x), read_texel(texture, x))
TILEWISE_TEXTURE_READ(tex1D, (float x), read_texture(texture, {x, 0, 0, 0}))
TILEWISE_TEXTURE_READ(tex2D, (float x, float y), read_texture(texture, {x, y, 0, 0}))
TILEWISE_TEXTURE_READ(tex3D, (float x, float y, float z), read_texture(texture, {x, y, z, 0}))
TILEWISE_TEXTURE_READ(tex1DLayered, (float x, int layer), read_texture(texture, {x, 0, 0, layer}))
TILEWISE_TEXTURE_READ(tex2DLayered, (float x, float y, int layer),
                      read_texture(texture, {x, y, 0, layer}))
TILEWISE_TEXTURE_READ(texCubemap, (float x, float y, float z),
                      read_texture(texture, tilewise::simt::place_in_cube(x, y, z)))
TILEWISE_TEXTURE_READ(texCubemapLayered, (float x, float y, float z, int layer),
                      read_texture(texture, tilewise::simt::place_in_cube(x, y, z, layer)))
// Levels of detail belong to mipmaps, which are not simulated.
TILEWISE_TEXTURE_READ(tex1DLod, (float x, float), read_texture(texture, {x, 0, 0, 0}))
TILEWISE_TEXTURE_READ(tex2DLod, (float x, float y, float), read_texture(texture, {x, y, 0, 0}))
TILEWISE_TEXTURE_READ(tex3DLod, (float x, float y, float z, float),
                      read_texture(texture, {x, y, z, 0}))
#undef TILEWISE_TEXTURE_READ
#undef TILEWISE_OPEN

template <class T>
T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  return tilewise::simt::texel_as<T>(
      tilewise::simt::gather_texels(texture, {x, y, 0, 0}, component));
}

// A surface's x is in bytes.
#define TILEWISE_SURFACE(dimension, parameters, ...)                                     \
  template <class T>                                                                     \
  T surf##dimension##read(                                                               \
      cudaSurfaceObject_t surface, int x,                                                \
      TILEWISE_OPEN parameters cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    const void* const place =                                                            \
        tilewise::simt::place_in_surface(surface, x, __VA_ARGS__, int(sizeof(T)), mode); \
    return place == nullptr ? T{} : *static_cast<const T*>(place);                       \
  }                                                                                      \
  template <class T>                                                                     \
  void surf##dimension##read(                                                            \
      T* value, cudaSurfaceObject_t surface, int x,                                      \
      TILEWISE_OPEN parameters cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    const void* const place =                                                            \
        tilewise::simt::place_in_surface(surface, x, __VA_ARGS__, int(sizeof(T)), mode); \
    *value = place == nullptr ? T{} : *static_cast<const T*>(place);                     \
  }                                                                                      \
  template <class T>                                                                     \
  void surf##dimension##write(                                                           \
      T value, cudaSurfaceObject_t surface, int x,                                       \
      TILEWISE_OPEN parameters cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    void* const place =                                                                  \
        tilewise::simt::place_in_surface(surface, x, __VA_ARGS__, int(sizeof(T)), mode); \
    if (place != nullptr) *static_cast<T*>(place) = value;                               \
  }
#define TILEWISE_OPEN(...) __VA_ARGS__
TILEWISE_SURFACE(1D, (), 0, 0)
TILEWISE_SURFACE(2D, (int y, ), y, 0)
TILEWISE_SURFACE(3D, (int y, int z, ), y, z)
TILEWISE_SURFACE(1DLayered, (int layer, ), 0, layer)
TILEWISE_SURFACE(2DLayered, (int y, int layer, ), y, layer)
#undef TILEWISE_SURFACE
#undef TILEWISE_OPEN
