# tilewise_test(NAME core_paths_test SOURCES paths_test.cpp LIBS tilewise_core)
#
# Declares a GoogleTest binary and the CTest test that runs it. With PARTS, it is one CTest test for
# each of them, NAME_PART, which runs the cases with PART in their name: long ones run side by side.
# COST: seconds that it takes, if many; CTest then starts it early.
function(tilewise_test)
  cmake_parse_arguments(arg "" "NAME;TIMEOUT;COST" "SOURCES;LIBS;PARTS" ${ARGN})
  if(NOT TILEWISE_TESTS)
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE tilewise_options ${arg_LIBS} GTest::gmock
                                            GTest::gtest_main)
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test
                                              TILEWISE_UNCOUNTED ON)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
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
