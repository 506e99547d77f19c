# The options that every target of the project is compiled with, and the folders of its files.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# bin/ and lib/ lie side by side: executables find their siblings relative to themselves, so that a
# build folder can be carried to another machine.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(NOT TILEWISE_COVERAGE AND NOT APPLE)
  # `lab pack` puts the system's libraries there. DT_RPATH also holds for libraries that only other
  # libraries need; DT_RUNPATH does not. DT_RPATH comes before LD_LIBRARY_PATH, by which tests find
  # the simulator that counts coverage, so builds that count coverage do without it.
  set(CMAKE_BUILD_RPATH "$ORIGIN/../lib")
  add_link_options(LINKER:--disable-new-dtags)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Builds of several clones, or of a clone made again, take from ccache what they have in common.
# Without CCACHE_SLOPPINESS it would not cache sources that use precompiled headers, as tests do.
find_program(TILEWISE_CCACHE ccache)
if(TILEWISE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${TILEWISE_CCACHE})
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(tilewise_options INTERFACE)
target_compile_features(tilewise_options INTERFACE cxx_std_20)
target_include_directories(tilewise_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tilewise_options INTERFACE -Wall -Wextra -Wpedantic
                                                  $<$<BOOL:${TILEWISE_WERROR}>:-Werror>)
# GCC warns about a std::optional's value even after a test that there is one (GCC bug 80635).
target_compile_options(tilewise_options
                       INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # GCC warns about "x" + std::string inside the standard library (GCC bug 105651).
  target_compile_options(tilewise_options INTERFACE -Wno-restrict)
endif()
# This is for sources that read and write text, and take longer to compile than they will ever run.
set(tilewise_quick $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Og>)
if(TILEWISE_SANITIZE)
  target_compile_definitions(tilewise_options INTERFACE TILEWISE_SANITIZE=1)
  target_compile_options(tilewise_options INTERFACE -fsanitize=address,undefined
                                                    -fno-sanitize-recover=undefined
                                                    -fno-omit-frame-pointer)
  target_link_options(tilewise_options INTERFACE -fsanitize=address,undefined)
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TILEWISE_COVERAGE OFF)  # one compiler's counts are enough, and clang's need not be installed
endif()
if(TILEWISE_COVERAGE)
  # Tests are not counted, nor code that would take several times as long: the run-time library of
  # the simulator is counted in a copy (common/simt). Code that forks is not counted either, because
  # nothing may allocate or lock between fork and exec, and counting does both.
  # Definitions in the system's headers are not counted: nobody reads their counts, and compiling
  # would take an eighth to a third longer.
  set(uncounted $<BOOL:$<TARGET_PROPERTY:TILEWISE_UNCOUNTED>>)
  set(counting --coverage "-fprofile-exclude-files=^/usr/(include|lib)/")
  target_compile_options(tilewise_options
                         INTERFACE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:${uncounted}>>:${counting}>")
  target_link_options(tilewise_options INTERFACE $<$<LINK_LANGUAGE:CXX>:--coverage>)
  add_library(tilewise_quiet_counters OBJECT ${CMAKE_CURRENT_LIST_DIR}/quiet_counters.cpp)
  target_link_libraries(tilewise_options INTERFACE $<TARGET_OBJECTS:tilewise_quiet_counters>)
endif()
