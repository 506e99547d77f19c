# What find_package(Tilewise) finds in a build folder: for programs of others (docs/checking.md).
file(READ ${PROJECT_SOURCE_DIR}/common/simt/device_functions.hpp text)
string(REGEX MATCH "wrapped_functions[^;]*;" list "${text}")
string(REGEX MATCHALL "\"[a-z0-9_]+\"" tilewise_wrapped_functions "${list}")
list(TRANSFORM tilewise_wrapped_functions REPLACE "\"" "")
list(JOIN tilewise_wrapped_functions " " tilewise_wrapped_functions)
configure_file(${CMAKE_CURRENT_LIST_DIR}/TilewiseConfig.cmake.in
               ${PROJECT_BINARY_DIR}/lib/cmake/Tilewise/TilewiseConfig.cmake @ONLY)
