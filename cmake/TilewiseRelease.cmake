# One command makes each kind of release, and puts the notes of its version beside it:
#
#   cpack --config build/simt/CPackSourceConfig.cmake    the sources, tilewise-VERSION.tar.gz
#   cpack --config build/simt/CPackConfig.cmake          the whole build, as a package for all users
#                                                        of a Debian or Ubuntu system
set(CPACK_PACKAGE_NAME tilewise)
set(CPACK_PACKAGE_VENDOR "The Tilewise authors")
set(CPACK_PACKAGE_CONTACT "The Tilewise authors")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
# The releases do not contain what `cmake --install` installs (TilewisePackage.cmake);
# fill_package.cmake fills them.
set(CPACK_INSTALL_CMAKE_PROJECTS "")
set(CPACK_SOURCE_INSTALLED_DIRECTORIES "")
set(CPACK_INSTALL_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/fill_package.cmake)
set(CPACK_TILEWISE_ROOT ${PROJECT_SOURCE_DIR})
set(CPACK_TILEWISE_BUILD ${PROJECT_BINARY_DIR})

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME tilewise-${PROJECT_VERSION})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}
 Students fill in one kernel a stage and are told whether it is correct, free of races and good to memory, on a
 simulator that needs no GPU. `lab start FOLDER` makes a working copy.")
# The package brings the libraries that it needs; the system's programs compile kernels and run the
# sandbox.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:12) | clang (>= 1:14), libc6 (>= 2.36), binutils")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, gdb, git")

include(CPack)
