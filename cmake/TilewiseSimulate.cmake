# tilewise_simulate(TARGET barriers_test SOURCES barriers_test.cu)
#
# Adds kernel files to a host program, rewritten and compiled for the simulator as a submission is.
function(tilewise_simulate)
  cmake_parse_arguments(arg "" "TARGET" "SOURCES" ${ARGN})
  foreach(source IN LISTS arg_SOURCES)
    set(kernel ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/${source}.cpp)
    add_custom_command(OUTPUT ${rewritten}
                       COMMAND tilewise-rewrite ${kernel} ${rewritten}
                       DEPENDS tilewise-rewrite ${kernel} VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${rewritten})
    # Quoted includes are relative to the kernel file, not to what was made of it.
    set_source_files_properties(${rewritten} PROPERTIES COMPILE_OPTIONS
                                "-iquote;${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
  target_link_libraries(${arg_TARGET} PRIVATE tilewise_simt)
endfunction()

# tilewise_simt_test(NAME simt_barriers_test SOURCES barriers_test.cu)
#
# A GoogleTest binary whose sources are kernel files.
function(tilewise_simt_test)
  cmake_parse_arguments(arg "" "NAME" "SOURCES" ${ARGN})
  if(TILEWISE_TESTS)
    tilewise_test(NAME ${arg_NAME} LIBS tilewise_simt)
    tilewise_simulate(TARGET ${arg_NAME} SOURCES ${arg_SOURCES})
  endif()
endfunction()
