#pragma once

/// CUDA's error codes, with CUDA's values (driver_types.h), as far as the simulator returns them or
/// a course kernel may.
enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999,
};
using cudaError_t = cudaError;

/// The enumerator's name, e.g. "cudaErrorInvalidValue".
const char* cudaGetErrorName(cudaError_t error);

/// What the error means, in CUDA's words.
const char* cudaGetErrorString(cudaError_t error);

/// The last error of this program, which is then forgotten. Errors of a kernel stay for ever.
cudaError_t cudaGetLastError();

/// As cudaGetLastError, but the error is kept.
cudaError_t cudaPeekAtLastError();
