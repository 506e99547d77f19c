# Decides whether the cuda backend is built: TILEWISE_HAVE_CUDA.
#
# Only nvcc must be present, not a GPU: CI compiles the backend though it cannot run it.
include(CheckLanguage)

set(TILEWISE_HAVE_CUDA OFF)
if(NOT TILEWISE_CUDA STREQUAL "OFF")
  # CUDA's installer puts nvcc into a folder that is often not on PATH.
  if(NOT DEFINED ENV{CUDACXX} AND NOT CMAKE_CUDA_COMPILER)
    find_program(TILEWISE_NVCC nvcc HINTS /usr/local/cuda/bin)
    if(TILEWISE_NVCC)
      set(CMAKE_CUDA_COMPILER ${TILEWISE_NVCC})
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # A placeholder for the compiler check alone; the real list depends on the toolkit's version.
    set(CMAKE_CUDA_ARCHITECTURES 75)
    set(tilewise_default_architectures ON)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit 11.8 QUIET)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    set(TILEWISE_HAVE_CUDA ON)
    if(tilewise_default_architectures)
      set(CMAKE_CUDA_ARCHITECTURES 75 80 86 90)
      # CUDA 13 dropped everything before compute capability 7.5; the GPUs of the course's past have
      # 6.0 and 6.1.
      if(CUDAToolkit_VERSION VERSION_LESS 13.0)
        list(PREPEND CMAKE_CUDA_ARCHITECTURES 60 61 70)
      endif()
    endif()
  elseif(TILEWISE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TILEWISE_CUDA=ON, but no CUDA Toolkit 11.8 or later was found. "
                        "Put nvcc on PATH or set CUDACXX, or configure with TILEWISE_CUDA=AUTO.")
  endif()
endif()
message(STATUS "Tilewise: cuda backend ${TILEWISE_HAVE_CUDA}, simulator ${TILEWISE_SIMT}")
