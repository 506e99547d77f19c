# Precompiles headers that most tests include, and that take longer to read than a test to compile.
# JSON's header does not belong here: each test would compile the instances of its functions again,
# used or not, which takes a second. Tests run for milliseconds, so they are not optimised.
function(tilewise_compile_quickly test)
  if(NOT TARGET tilewise_test_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp CONTENT "")
    add_library(tilewise_test_headers OBJECT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp)
    target_link_libraries(tilewise_test_headers PRIVATE tilewise_options GTest::gmock)
    # The compiler must see the same options as for an executable, which CMake gives -fPIE.
    set_target_properties(tilewise_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF
                                                           TILEWISE_UNCOUNTED ON)
    target_compile_options(tilewise_test_headers PRIVATE -fPIE $<$<CONFIG:Release>:-O0>)
    target_precompile_headers(tilewise_test_headers PRIVATE
      <gmock/gmock.h> <gtest/gtest.h>
      <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional> <sstream>
      <string> <thread> <vector>)
  endif()
  # Without SHELL, CMake would remove -O0 as a repetition of an option of the folder; and g++ 12
  # crashes if it uses headers that were precompiled with other options.
  target_compile_options(${test} PRIVATE $<$<CONFIG:Release>:SHELL:-O0>)
  if(TILEWISE_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Without it, ccache would not use precompiled headers.
    target_compile_options(${test} PRIVATE -fpch-preprocess)
  endif()
  target_precompile_headers(${test} REUSE_FROM tilewise_test_headers)
  # gold takes less than half of the usual linker's time, and there are some 200 tests to link.
  find_program(TILEWISE_QUICK_LINKER ld.gold)
  if(TILEWISE_QUICK_LINKER AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${test} PRIVATE -fuse-ld=gold)
  endif()
endfunction()

# tilewise_test(NAME core_paths_test SOURCES paths_test.cpp LIBS tilewise_base)
#
# Declares a GoogleTest binary and the CTest test that runs it. With PARTS, there is one CTest test
# for each part, NAME_PART, which runs the cases with PART in their name, so that long ones run side
# by side. COST is the number of seconds that it takes, if many; CTest then starts it early.
# KERNELS: its sources are kernel files, which are compiled with the simulator's options.
function(tilewise_test)
  cmake_parse_arguments(arg "KERNELS" "NAME;TIMEOUT;COST" "SOURCES;LIBS;PARTS" ${ARGN})
  if(NOT TILEWISE_TESTS)
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  if(NOT arg_KERNELS)
    tilewise_compile_quickly(${arg_NAME})
  endif()
  target_link_libraries(${arg_NAME} PRIVATE tilewise_options ${arg_LIBS} tilewise_matches
                                            GTest::gmock GTest::gtest_main)
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test
                                              TILEWISE_UNCOUNTED ON)
  # The time limit ends a test that hangs. A test of 50 s of processor time took more than 120 s on
  # busy processors.
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  set(names ${arg_NAME})
  if(arg_PARTS)
    list(TRANSFORM arg_PARTS PREPEND ${arg_NAME}_ OUTPUT_VARIABLE names)
    foreach(part IN LISTS arg_PARTS)
      add_test(NAME ${arg_NAME}_${part} COMMAND ${arg_NAME} --gtest_filter=*${part}*)
    endforeach()
  else()
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
  endif()
  set_tests_properties(${names} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_COST}
                       ENVIRONMENT TILEWISE_ROOT=${PROJECT_SOURCE_DIR})
endfunction()
