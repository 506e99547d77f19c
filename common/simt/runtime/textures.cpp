#include "common/simt/include/tilewise/textures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "common/simt/runtime/arrays.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/remote_device.hpp"

// Textures follow the CUDA C++ Programming Guide, "Texture Fetching", in which texels are read, and
// with which weights, which have 8 bits.

namespace tilewise::simt {
namespace {

/// The data that a texture or a surface shows.
struct View {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  cudaChannelFormatDesc format;
  const std::byte* data;
  std::size_t element_bytes, width, height, depth, pitch;
  bool is_layered;
};

bool view_of(const cudaResourceDesc& resource, View& view) {
  view.resource = resource;
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* const array = resource.res.array.array;
      if (array == nullptr) return false;
      view.format = array->format;
      view.data = array->data;
      view.width = array->extent.width;
      view.height = array->extent.height;
      view.depth = array->extent.depth;
      view.pitch = array->row_bytes();
      view.is_layered = (array->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
      if ((array->flags & cudaArrayCubemap) != 0) {
        // A filter stays within a face, and does not reach the neighbouring faces.
        view.texture.normalizedCoords = 1;
        std::fill_n(view.texture.addressMode, 3, cudaAddressModeClamp);
      }
      break;
    }
    case cudaResourceTypeLinear:
      view.format = resource.res.linear.desc;
      view.data = static_cast<const std::byte*>(resource.res.linear.devPtr);
      break;
    case cudaResourceTypePitch2D:
      view.format = resource.res.pitch2D.desc;
      view.data = static_cast<const std::byte*>(resource.res.pitch2D.devPtr);
      view.width = resource.res.pitch2D.width;
      view.height = resource.res.pitch2D.height;
      view.pitch = resource.res.pitch2D.pitchInBytes;
      break;
    default:
      return false;
  }
  const cudaChannelFormatDesc& format = view.format;
  view.element_bytes = static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  if (view.element_bytes == 0) return false;
  if (resource.resType == cudaResourceTypeLinear) {
    view.width = resource.res.linear.sizeInBytes / view.element_bytes;
    view.pitch = resource.res.linear.sizeInBytes;
  }
  return view.data != nullptr;
}

const View& view_at(unsigned long long object) { return *reinterpret_cast<const View*>(object); }

float of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                     : exponent == 31
                         ? (fraction ? NAN : INFINITY)
                         : std::ldexp(static_cast<float>(fraction | 1024), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

Texel texel_at(const View& view, std::size_t x, std::size_t y, std::size_t z) {
  const std::byte* const at = view.data + z * view.pitch * std::max<std::size_t>(view.height, 1) +
                              y * view.pitch + x * view.element_bytes;
  const int bits = view.format.x, count = static_cast<int>(view.element_bytes) * 8 / bits;
  const bool normalised = view.texture.readMode == cudaReadModeNormalizedFloat && bits < 32;
  Texel texel{};
  texel.is_real = normalised || view.format.f == cudaChannelFormatKindFloat;
  for (int i = 0; i < count; ++i) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, at + i * bits / 8, static_cast<std::size_t>(bits / 8));
    if (view.format.f == cudaChannelFormatKindFloat) {
      texel.real[i] =
          bits == 16 ? of_half(static_cast<std::uint16_t>(raw)) : __builtin_bit_cast(float, raw);
      continue;
    }
    const bool is_signed = view.format.f == cudaChannelFormatKindSigned;
    const int whole =
        is_signed ? static_cast<int>(raw << (32 - bits)) >> (32 - bits) : static_cast<int>(raw);
    texel.whole[i] = whole;
    if (normalised) {
      const auto largest = static_cast<float>((1u << (is_signed ? bits - 1 : bits)) - 1);
      texel.real[i] = std::max(static_cast<float>(whole) / largest, -1.0f);
    }
  }
  return texel;
}

/// Returns the texel that an index beyond the edge stands for; -1 for the border.
long inside(long index, long extent, cudaTextureAddressMode mode) {
  if (index >= 0 && index < extent) return index;
  switch (mode) {
    case cudaAddressModeBorder:
      return -1;
    case cudaAddressModeWrap:
      return (index % extent + extent) % extent;
    case cudaAddressModeMirror: {
      const long turned = (index % (2 * extent) + 2 * extent) % (2 * extent);
      return turned < extent ? turned : 2 * extent - 1 - turned;
    }
    default:
      return std::clamp(index, 0L, extent - 1);
  }
}

/// The texels along one dimension: one texel, or two with the weight of the second.
struct Along {
  long first, second;
  float weight;
};

Along along(const View& view, float coordinate, std::size_t extent, int dimension, bool filtered) {
  if (extent == 0) return {0, 0, 0};
  const auto size = static_cast<long>(extent);
  const bool normalised = view.texture.normalizedCoords != 0;
  cudaTextureAddressMode mode = view.texture.addressMode[dimension];
  if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) {
    mode = cudaAddressModeClamp;
  }
  float place = coordinate;
  if (normalised && mode == cudaAddressModeWrap) place -= std::floor(place);
  if (normalised) place *= static_cast<float>(extent);
  if (!(std::fabs(place) < 1e9f)) place = 0;  // NaN, or farther out than any texture is large
  if (!filtered) {
    const long index = inside(static_cast<long>(std::floor(place)), size, mode);
    return {index, index, 0};
  }
  place -= 0.5f;
  const float whole = std::floor(place);
  constexpr float weights = 256;  // fractions have 8 bits
  const float weight = std::round((place - whole) * weights) / weights;
  const long index = static_cast<long>(whole);
  return {inside(index, size, mode), inside(index + 1, size, mode), weight};
}

Texel texel_or_border(const View& view, long x, long y, long z) {
  if (x >= 0 && y >= 0 && z >= 0) {
    return texel_at(view, static_cast<std::size_t>(x), static_cast<std::size_t>(y),
                    static_cast<std::size_t>(z));
  }
  Texel border{};
  border.is_real = view.format.f == cudaChannelFormatKindFloat ||
                   view.texture.readMode == cudaReadModeNormalizedFloat;
  std::copy_n(view.texture.borderColor, 4, border.real);
  for (int i = 0; i < 4; ++i) border.whole[i] = static_cast<int>(border.real[i]);
  return border;
}

void add_weighted(Texel& sum, const Texel& texel, float weight) {
  for (int i = 0; i < 4; ++i) sum.real[i] += weight * texel.real[i];
}

/// Returns the layer that is read, or the texels along z.
Along along_layers(const View& view, const TexturePlace& place, bool filtered) {
  if (!view.is_layered) return along(view, place.z, view.depth, 2, filtered);
  const long last = std::max(static_cast<long>(view.depth), 1L) - 1;
  const long layer = std::clamp(static_cast<long>(place.layer), 0L, last);
  return {layer, layer, 0};
}

}  // namespace

Texel read_texture(cudaTextureObject_t texture, TexturePlace place) {
  const View& view = view_at(texture);
  const bool is_real = view.format.f == cudaChannelFormatKindFloat ||
                       view.texture.readMode == cudaReadModeNormalizedFloat;
  const bool filtered = view.texture.filterMode == cudaFilterModeLinear && is_real;
  const Along x = along(view, place.x, view.width, 0, filtered);
  const Along y = along(view, place.y, view.height, 1, filtered);
  const Along z = along_layers(view, place, filtered);
  if (!filtered) return texel_or_border(view, x.first, y.first, z.first);
  Texel sum{};
  sum.is_real = true;
  for (int corner = 0; corner < 8; ++corner) {
    const bool right = (corner & 1) != 0, lower = (corner & 2) != 0, behind = (corner & 4) != 0;
    const float weight = (right ? x.weight : 1 - x.weight) * (lower ? y.weight : 1 - y.weight) *
                         (behind ? z.weight : 1 - z.weight);
    if (weight == 0) continue;
    add_weighted(sum,
                 texel_or_border(view, right ? x.second : x.first, lower ? y.second : y.first,
                                 behind ? z.second : z.first),
                 weight);
  }
  return sum;
}

// Faces are layers, in the order +x, -x, +y, -y, +z, -z. The largest coordinate chooses the face,
// and the others divided by it are the place on the face (Programming Guide, "Cubemap Textures").
TexturePlace place_in_cube(float x, float y, float z, int cube) {
  const float along_x = std::fabs(x), along_y = std::fabs(y), along_z = std::fabs(z);
  const auto on_face = [&](int face, float s, float t, float m) {
    return TexturePlace{(s / m + 1) / 2, (t / m + 1) / 2, 0, 6 * cube + face};
  };
  if (along_x > along_y && along_x > along_z) {
    return x >= 0 ? on_face(0, -z, -y, along_x) : on_face(1, z, -y, along_x);
  }
  if (along_y > along_z) return y >= 0 ? on_face(2, x, z, along_y) : on_face(3, x, -z, along_y);
  return z >= 0 ? on_face(4, x, -y, along_z) : on_face(5, -x, -y, along_z);
}

Texel read_texel(cudaTextureObject_t texture, int number) {
  const View& view = view_at(texture);
  if (number < 0 || static_cast<std::size_t>(number) >= view.width) {
    Texel nothing{};
    nothing.is_real = view.format.f == cudaChannelFormatKindFloat;
    return nothing;
  }
  return texel_at(view, static_cast<std::size_t>(number), 0, 0);
}

Texel gather_texels(cudaTextureObject_t texture, TexturePlace place, int component) {
  const View& view = view_at(texture);
  const Along x = along(view, place.x, view.width, 0, true);
  const Along y = along(view, place.y, view.height, 1, true);
  // The order is counter-clockwise, from the lower left texel.
  const long corners[4][2] = {
      {x.first, y.second}, {x.second, y.second}, {x.second, y.first}, {x.first, y.first}};
  Texel four{};
  for (int i = 0; i < 4; ++i) {
    const Texel texel = texel_or_border(view, corners[i][0], corners[i][1], 0);
    four.is_real = texel.is_real;
    four.real[i] = texel.real[component & 3];
    four.whole[i] = texel.whole[component & 3];
  }
  return four;
}

void* place_in_surface(cudaSurfaceObject_t surface, int x_bytes, int y, int z, int bytes,
                       cudaSurfaceBoundaryMode mode) {
  const View& view = view_at(surface);
  const auto rows = static_cast<long>(std::max<std::size_t>(view.height, 1));
  const auto layers = static_cast<long>(std::max<std::size_t>(view.depth, 1));
  const auto row_bytes = static_cast<long>(view.pitch);
  long x = x_bytes, row = y, layer = z;
  const bool is_inside =
      x >= 0 && x + bytes <= row_bytes && row >= 0 && row < rows && layer >= 0 && layer < layers;
  if (!is_inside && mode == cudaBoundaryModeTrap) __builtin_trap();
  if (!is_inside && mode == cudaBoundaryModeZero) return nullptr;
  x = std::clamp(x, 0L, row_bytes - bytes);
  row = std::clamp(row, 0L, rows - 1);
  layer = std::clamp(layer, 0L, layers - 1);
  return const_cast<std::byte*>(view.data) + (layer * rows + row) * row_bytes + x;
}

}  // namespace tilewise::simt

using namespace tilewise::simt;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc*) {
  if (texture == nullptr || resource == nullptr || description == nullptr) {
    return device::fail(cudaErrorInvalidValue);
  }
  if (RemoteDevice::instance() != nullptr) return device::not_supported("cudaCreateTextureObject");
  View view{};
  view.texture = *description;
  if (!view_of(*resource, view)) {
    return resource->resType == cudaResourceTypeMipmappedArray
               ? device::not_supported("cudaCreateTextureObject of a mipmapped array")
               : device::fail(cudaErrorInvalidValue);
  }
  *texture = reinterpret_cast<cudaTextureObject_t>(new View(view));
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  delete reinterpret_cast<const View*>(texture);
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
  if (resource == nullptr || texture == 0) return device::fail(cudaErrorInvalidValue);
  *resource = view_at(texture).resource;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture) {
  if (description == nullptr || texture == 0) return device::fail(cudaErrorInvalidValue);
  *description = view_at(texture).texture;
  return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  const cudaTextureDesc nothing{};
  return cudaCreateTextureObject(surface, resource, &nothing, nullptr);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return cudaDestroyTextureObject(surface);
}
