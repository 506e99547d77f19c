/// CUDA's interface to OpenGL. Nothing is shared here, because there is no graphics card. The
/// header lets programs that draw compile, and compute what they can without a window.
#pragma once

#include <GL/gl.h>

#include "cuda_runtime.h"

enum cudaGLDeviceList {
  cudaGLDeviceListAll = 1,
  cudaGLDeviceListCurrentFrame,
  cudaGLDeviceListNextFrame
};
enum cudaGLMapFlags { cudaGLMapFlagsNone, cudaGLMapFlagsReadOnly, cudaGLMapFlagsWriteDiscard };

// clang-format off
TILEWISE_NOT_SIMULATED(cudaGLGetDevices) TILEWISE_NOT_SIMULATED(cudaGLSetGLDevice)
TILEWISE_NOT_SIMULATED(cudaGraphicsGLRegisterBuffer) TILEWISE_NOT_SIMULATED(cudaGraphicsGLRegisterImage)
TILEWISE_NOT_SIMULATED(cudaGLRegisterBufferObject) TILEWISE_NOT_SIMULATED(cudaGLUnregisterBufferObject)
TILEWISE_NOT_SIMULATED(cudaGLSetBufferObjectMapFlags)
TILEWISE_NOT_SIMULATED(cudaGLMapBufferObject) TILEWISE_NOT_SIMULATED(cudaGLMapBufferObjectAsync)
TILEWISE_NOT_SIMULATED(cudaGLUnmapBufferObject) TILEWISE_NOT_SIMULATED(cudaGLUnmapBufferObjectAsync)
// clang-format on
