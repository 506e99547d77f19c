# Builds the site in OUT without a warning, and checks that its links lead somewhere. If tools are
# missing, it says which and skips the test.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${CMAKE_COMMAND} -DOUT=${OUT} -DVERSION=${VERSION}
                        -P ${CMAKE_CURRENT_LIST_DIR}/build_site.cmake
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(output MATCHES "was not found: the site takes the packages")
  string(REGEX REPLACE "\n *" " " output "${output}")
  message(STATUS "SKIPPED: ${output}")
  return()
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The site was not built:\n${output}")
endif()
foreach(page IN ITEMS index stage_01_single_block annotated files namespaces formulas decisions)
  if(NOT EXISTS ${OUT}/html/${page}.html)
    message(FATAL_ERROR "The navigation has no ${page}.html: see DoxygenLayout.xml.in")
  endif()
endforeach()
execute_process(COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/check_links.py site ${OUT}/html
                COMMAND_ERROR_IS_FATAL ANY)
