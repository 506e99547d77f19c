# Reports which lines of common/, grading/ and tools/ the tests have reached, and fails if they are
# less than 90%. Writes HTML to BUILD/coverage.
#
#   cmake -DBUILD=FOLDER -DGCOV=gcov -P coverage.cmake
set(least 90)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
find_program(gcovr gcovr)
if(NOT gcovr)
  message(FATAL_ERROR "gcovr was not found: install the package gcovr")
endif()
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
file(MAKE_DIRECTORY ${BUILD}/coverage)
# Tests and their helper files, and code that only a GPU runs, are left out. Threads that count at
# the same time lose some counts, so that gcov computes a branch taken less than 0 times; gcovr 5.2
# stops at such a line, and hangs if it runs in several threads.
execute_process(
  COMMAND ${gcovr} --root ${root} -j ${cores} --gcov-executable ${GCOV} --gcov-ignore-parse-errors
          --filter common/ --filter grading/ --filter tools/
          --exclude ".*_test\\.cpp" --exclude ".*/(benchmark|test|testdata|defects|validation)/"
          --exclude ".*/(mistakes|others|exploits|attacks)/"
          --exclude ".*/cuda_[a-z_]*\\.cpp"
          --html-details ${BUILD}/coverage/index.html --txt ${BUILD}/coverage/lines.txt
          --print-summary --fail-under-line ${least} ${BUILD}
  WORKING_DIRECTORY ${root} RESULT_VARIABLE result TIMEOUT 900)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "Less than ${least}% of the lines of common/, grading/ and tools/ were reached, or "
                      "gcovr failed. What no test reached: ${BUILD}/coverage/index.html")
endif()
