# tilewise_test(NAME core_paths_test SOURCES paths_test.cpp LIBS tilewise_core)
#
# Declares a GoogleTest binary and the CTest test that runs it.
function(tilewise_test)
  cmake_parse_arguments(arg "" "NAME;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT TILEWISE_TESTS)
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE tilewise_options ${arg_LIBS} GTest::gmock
                                            GTest::gtest_main)
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT}
                       ENVIRONMENT TILEWISE_ROOT=${PROJECT_SOURCE_DIR})
endfunction()
