# Measures what the tests reach of common/ and grading/: HTML in build/coverage/report, and a
# summary as the last thing printed. Run by the target `coverage`.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
set(report ${root}/build/coverage/report)

find_program(GCOVR gcovr)
if(NOT GCOVR)
  message(FATAL_ERROR "gcovr was not found: install the package gcovr")
endif()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${root} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --preset coverage)
run(${CMAKE_COMMAND} --build --preset coverage)
run(${CMAKE_CTEST_COMMAND} --preset coverage)
file(MAKE_DIRECTORY ${report})
# --delete: counters left behind would count for the next run, too.
run(${GCOVR} --root ${root} --filter common/ --filter grading/ --exclude ".*_test\\.(cpp|cu)"
    --exclude ".*/(benchmark|testdata)/.*"
    --exclude-unreachable-branches --exclude-throw-branches
    --html-details ${report}/index.html --txt --print-summary --delete build/coverage)
