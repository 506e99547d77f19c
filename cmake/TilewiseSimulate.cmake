# The functions of the C library that checked kernels call replacements of
# (common/simt/device_functions.hpp). Tests need the replacements for copies and for the heap.
file(READ ${PROJECT_SOURCE_DIR}/common/simt/device_functions.hpp text)
string(REGEX MATCH "wrapped_functions[^;]*;" list "${text}")
string(REGEX MATCHALL "\"[A-Za-z0-9_]+\"" tilewise_wrapped_functions "${list}")
list(TRANSFORM tilewise_wrapped_functions REPLACE "\"" "")
set(tilewise_wraps ${tilewise_wrapped_functions})
list(FILTER tilewise_wraps INCLUDE REGEX "^(mem|malloc|free|_Z)")
list(TRANSFORM tilewise_wraps PREPEND LINKER:--wrap=)

# tilewise_checked_flags(flags gnu): sets the flags that make this compiler report every load and
# store. A build that was configured before they changed is configured again.
function(tilewise_checked_flags variable compiler)
  set(file ${PROJECT_SOURCE_DIR}/common/simt/recorder/flags.${compiler})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} flags)
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# tilewise_simulate(TARGET barriers_test SOURCES barriers_test.cu [CHECKED])
#
# Adds kernel files to a host program, rewritten and compiled for the simulator as a submission is.
# CHECKED compiles them like the checked build of a submission, in which every load and store
# reports itself.
function(tilewise_simulate)
  cmake_parse_arguments(arg "CHECKED" "TARGET" "SOURCES" ${ARGN})
  set(suffix .cpp)
  set(rewrite_options "")
  set(options -O3)
  if(arg_CHECKED)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      set(compiler clang)
    else()
      set(compiler gnu)
    endif()
    tilewise_checked_flags(flags ${compiler})
    set(suffix .checked.cpp)
    set(rewrite_options --checked)
    set(options ${flags} -g1 -gdwarf-4)
    # Counting coverage is done by loads and stores, which would report themselves like the
    # kernel's.
    set_target_properties(${arg_TARGET} PROPERTIES TILEWISE_UNCOUNTED ON)
    if(compiler STREQUAL clang)
      # The launcher is given by its path, because CMake before 3.27 takes no target here. It passes
      # on sources that are not checked unchanged.
      set(whole_copies ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/tilewise-whole-copies)
      add_dependencies(${arg_TARGET} tilewise-whole-copies)
      set_target_properties(${arg_TARGET} PROPERTIES CXX_COMPILER_LAUNCHER
                            "${whole_copies};${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
  endif()
  foreach(source IN LISTS arg_SOURCES)
    set(kernel ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/${source}${suffix})
    add_custom_command(OUTPUT ${rewritten}
                       COMMAND tilewise-rewrite ${rewrite_options} ${kernel} ${rewritten}
                       DEPENDS tilewise-rewrite ${kernel} VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${rewritten})
    # Quoted includes are relative to the kernel file, not to the rewritten one.
    cmake_path(GET kernel PARENT_PATH folder)
    set_source_files_properties(${rewritten} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                                COMPILE_OPTIONS "-iquote;${folder};${options}"
                                OBJECT_DEPENDS "${whole_copies}")
  endforeach()
  target_compile_features(${arg_TARGET} PRIVATE cxx_std_17)
  target_link_libraries(${arg_TARGET} PRIVATE tilewise_simt)
  if(arg_CHECKED)
    target_link_options(${arg_TARGET} PRIVATE ${tilewise_wraps})
  endif()
endfunction()

# tilewise_simulate_by_other_compiler(TARGET simt_defects_other_compiler_test SOURCES barriers.cu)
#
# Does the same as tilewise_simulate(... CHECKED), but with the compiler TILEWISE_OTHER_CXX.
function(tilewise_simulate_by_other_compiler)
  cmake_parse_arguments(arg "" "TARGET" "SOURCES" ${ARGN})
  tilewise_checked_flags(flags ${TILEWISE_OTHER_CXX_KIND})
  set(compiler ${TILEWISE_OTHER_CXX})
  if(TILEWISE_OTHER_CXX_KIND STREQUAL clang)
    set(compiler tilewise-whole-copies ${compiler})
  endif()
  foreach(source IN LISTS arg_SOURCES)
    set(kernel ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/${source}.other.cpp)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.other.o)
    cmake_path(GET kernel PARENT_PATH folder)
    add_custom_command(OUTPUT ${object}
                       COMMAND tilewise-rewrite --checked ${kernel} ${rewritten}
                       COMMAND ${compiler} ${flags} -g1 -gdwarf-4 -std=c++20 -fPIC -w
                               -iquote ${folder} -I ${PROJECT_SOURCE_DIR}
                               -isystem ${PROJECT_SOURCE_DIR}/common/simt/include
                               -MD -MF ${object}.d -c ${rewritten} -o ${object}
                       DEPENDS tilewise-rewrite tilewise-whole-copies ${kernel}
                       DEPFILE ${object}.d VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${object})
  endforeach()
  target_link_libraries(${arg_TARGET} PRIVATE tilewise_simt)
  target_link_options(${arg_TARGET} PRIVATE ${tilewise_wraps})
endfunction()

# tilewise_simt_test(NAME simt_barriers_test SOURCES barriers_test.cu [CHECKED])
#
# Adds a GoogleTest binary whose sources are kernel files.
function(tilewise_simt_test)
  cmake_parse_arguments(arg "CHECKED" "NAME" "SOURCES" ${ARGN})
  if(NOT TILEWISE_TESTS)
    return()
  endif()
  set(checked "")
  if(arg_CHECKED)
    set(checked CHECKED)
  endif()
  tilewise_test(NAME ${arg_NAME} LIBS tilewise_simt KERNELS)
  tilewise_simulate(TARGET ${arg_NAME} SOURCES ${arg_SOURCES} ${checked})
endfunction()

set(TILEWISE_SIMT_COUNTED_FOLDER ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/counted)

# tilewise_count_simulator(simt_barriers_test)
#
# If coverage is counted, a test of the run-time library runs with the copy of the library that
# counts.
function(tilewise_count_simulator test)
  if(TILEWISE_TESTS AND TILEWISE_COVERAGE)
    add_dependencies(${test} tilewise_simt_counted)
    # The loader looks there before it follows the path in a program.
    set_property(TEST ${test} APPEND PROPERTY
                 ENVIRONMENT LD_LIBRARY_PATH=${TILEWISE_SIMT_COUNTED_FOLDER})
  endif()
endfunction()
