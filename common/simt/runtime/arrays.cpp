#include "common/simt/runtime/arrays.hpp"

#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/textures.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/streams.hpp"

using namespace tilewise::simt;

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  if (array == nullptr || format == nullptr || extent.width == 0) {
    return device::fail(cudaErrorInvalidValue);
  }
  const bool is_cube = (flags & cudaArrayCubemap) != 0;
  if (is_cube && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0)) {
    return device::fail(cudaErrorInvalidValue);
  }
  if (RemoteDevice::instance() != nullptr) return device::not_supported("cudaMallocArray");
  cudaArray made{*format, extent, flags, nullptr};
  const cudaError_t error = cudaMalloc(&made.data, made.row_bytes() * made.rows() * made.layers());
  if (error == cudaSuccess) *array = new cudaArray(made);
  return error;
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  const cudaError_t error = cudaFree(array->data);
  delete array;
  return error;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (array == nullptr) return device::fail(cudaErrorInvalidResourceHandle);
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}

namespace {

/// One side of a copy: where its first byte is, and the distances to the next row and layer.
struct Side {
  std::byte* start;
  std::size_t pitch, layer_bytes;
};

Side side_of(cudaArray_const_t array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  const std::size_t pitch = array->row_bytes(), layer = pitch * array->rows();
  return {array->data + z * layer + y * pitch + x_bytes, pitch, layer};
}

Side side_of(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const std::size_t layer = pointer.pitch * pointer.ysize;
  return {static_cast<std::byte*>(pointer.ptr) + at.z * layer + at.y * pointer.pitch + at.x,
          pointer.pitch, layer};
}

cudaError_t copy_layers_now(const Side& to, const Side& from, const cudaExtent& bytes,
                            cudaMemcpyKind kind) {
  for (std::size_t z = 0; z < bytes.depth; ++z) {
    const cudaError_t error =
        copy_rows_now(to.start + z * to.layer_bytes, to.pitch, from.start + z * from.layer_bytes,
                      from.pitch, bytes.width, bytes.height, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

// The rows of an array follow each other without a gap, so the bytes of a copy are contiguous.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from,
                              size_t bytes, cudaMemcpyKind kind) {
  if (to == nullptr) return device::fail(cudaErrorInvalidValue);
  return copy_now(side_of(to, x_bytes, y, 0).start, from, bytes, kind);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x_bytes, size_t y,
                                size_t bytes, cudaMemcpyKind kind) {
  if (from == nullptr) return device::fail(cudaErrorInvalidValue);
  return copy_now(to, side_of(from, x_bytes, y, 0).start, bytes, kind);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from,
                                size_t pitch, size_t width_bytes, size_t height,
                                cudaMemcpyKind kind) {
  if (to == nullptr) return device::fail(cudaErrorInvalidValue);
  const Side side = side_of(to, x_bytes, y, 0);
  return copy_rows_now(side.start, side.pitch, from, pitch, width_bytes, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes,
                                  size_t y, size_t width_bytes, size_t height,
                                  cudaMemcpyKind kind) {
  if (from == nullptr) return device::fail(cudaErrorInvalidValue);
  const Side side = side_of(from, x_bytes, y, 0);
  return copy_rows_now(to, pitch, side.start, side.pitch, width_bytes, height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y,
                                     cudaArray_const_t from, size_t from_x_bytes, size_t from_y,
                                     size_t width_bytes, size_t height, cudaMemcpyKind kind) {
  if (from == nullptr) return device::fail(cudaErrorInvalidValue);
  const Side side = side_of(from, from_x_bytes, from_y, 0);
  return cudaMemcpy2DToArray(to, to_x_bytes, to_y, side.start, side.pitch, width_bytes, height,
                             kind);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (parameters == nullptr) return device::fail(cudaErrorInvalidValue);
  const cudaMemcpy3DParms& of = *parameters;
  const bool one_source = (of.srcArray != nullptr) != (of.srcPtr.ptr != nullptr);
  const bool one_target = (of.dstArray != nullptr) != (of.dstPtr.ptr != nullptr);
  if (!one_source || !one_target) return device::fail(cudaErrorInvalidValue);
  // If an array takes part, widths are in its elements.
  const std::size_t unit = of.srcArray   ? of.srcArray->element_bytes()
                           : of.dstArray ? of.dstArray->element_bytes()
                                         : 1;
  const Side from = of.srcArray ? side_of(of.srcArray, of.srcPos.x * unit, of.srcPos.y, of.srcPos.z)
                                : side_of(of.srcPtr, of.srcPos);
  const Side to = of.dstArray ? side_of(of.dstArray, of.dstPos.x * unit, of.dstPos.y, of.dstPos.z)
                              : side_of(of.dstPtr, of.dstPos);
  const cudaExtent bytes = {of.extent.width * unit, of.extent.height, of.extent.depth};
  return issue(stream, cudaGraphNodeTypeMemcpy,
               [=, kind = of.kind] { return copy_layers_now(to, from, bytes, kind); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return cudaMemcpy3DAsync(parameters, nullptr);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* of, cudaStream_t stream) {
  if (of == nullptr) return device::fail(cudaErrorInvalidValue);
  const cudaMemcpy3DParms same = {of->srcArray, of->srcPos, of->srcPtr, of->dstArray,
                                  of->dstPos,   of->dstPtr, of->extent, cudaMemcpyDefault};
  return cudaMemcpy3DAsync(&same, stream);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return cudaMemcpy3DPeerAsync(parameters, nullptr);
}
