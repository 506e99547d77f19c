# Runs on `cmake --install`: fills PREFIX/lib/tilewise with the files of `lab pack` and the
# libraries that they need; PREFIX/bin/lab starts the course, and find_package(Tilewise) finds it in
# PREFIX/lib/cmake.
set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
file(MAKE_DIRECTORY ${prefix}/lib)
set(archive ${prefix}/lib/tilewise.tar.gz)
execute_process(COMMAND ${TILEWISE_COMMAND} pack --out ${archive} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${prefix}/lib/tilewise)  # an earlier installation may have left it
file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${prefix}/lib)
file(REMOVE ${archive})

foreach(file TilewiseConfig TilewiseConfigVersion)
  file(WRITE ${prefix}/lib/cmake/Tilewise/${file}.cmake
       "include(\${CMAKE_CURRENT_LIST_DIR}/../../tilewise/build/pack/lib/cmake/Tilewise/${file}.cmake)\n")
endforeach()

# Uses the Debian package's script, which knows one place only, and replaces that place.
file(READ ${TILEWISE_LAB} text)
string(REPLACE ":-/opt/tilewise}" ":-${CMAKE_INSTALL_PREFIX}/lib/tilewise}" text "${text}")
file(WRITE ${prefix}/bin/lab "${text}")
file(CHMOD ${prefix}/bin/lab PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                         WORLD_READ WORLD_EXECUTE)
message(STATUS "Installed: ${prefix}/lib/tilewise, ${prefix}/bin/lab")
