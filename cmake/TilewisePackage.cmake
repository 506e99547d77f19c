# Makes the files that find_package(Tilewise) reads, for other people's programs (docs/checking.md):
# in the build folder, and with `cmake --install` in the installation.
list(JOIN tilewise_wrapped_functions " " tilewise_wrapped_functions)
set(package ${PROJECT_BINARY_DIR}/lib/cmake/Tilewise)
configure_file(${CMAKE_CURRENT_LIST_DIR}/TilewiseConfig.cmake.in ${package}/TilewiseConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${package}/TilewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(CODE "set(TILEWISE_COMMAND \"${PROJECT_BINARY_DIR}/bin/tilewise\")")
install(CODE "set(TILEWISE_LAB \"${PROJECT_SOURCE_DIR}/tools/package/lab\")")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_pack.cmake)
