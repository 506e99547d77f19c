# Fills a package for CPack (TilewiseRelease.cmake): an archive of sources with the files of the
# last commit, a Debian package with the files of `lab pack`, and `lab` for all users. Writes the
# notes of the version beside the package; without such notes there is no package.
set(out ${CPACK_TEMPORARY_INSTALL_DIRECTORY})

file(READ ${CPACK_TILEWISE_ROOT}/CHANGELOG.md changes)
string(REPLACE "." "\\." version ${CPACK_PACKAGE_VERSION})
if(NOT changes MATCHES "\n## ${version}, [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\n")
  message(FATAL_ERROR "${CPACK_TILEWISE_ROOT}/CHANGELOG.md has no section '## ${CPACK_PACKAGE_VERSION}, YYYY-MM-DD': "
                      "a release has notes and a date. CONTRIBUTING.md says how one is made.")
endif()
string(FIND "${changes}" "${CMAKE_MATCH_0}" begin)
string(SUBSTRING "${changes}" ${begin} -1 notes)
string(SUBSTRING "${notes}" 1 -1 notes)
string(FIND "${notes}" "\n## " end)
string(SUBSTRING "${notes}" 0 ${end} notes)
file(WRITE ${CPACK_PACKAGE_DIRECTORY}/tilewise-${CPACK_PACKAGE_VERSION}.md "${notes}")

if(CPACK_GENERATOR STREQUAL "DEB")
  set(archive ${CPACK_PACKAGE_DIRECTORY}/pack.tar.gz)
  execute_process(COMMAND ${CPACK_TILEWISE_BUILD}/bin/tilewise pack --out ${archive} COMMAND_ERROR_IS_FATAL ANY)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${out}/opt)
  file(REMOVE ${archive})
  file(COPY ${CPACK_TILEWISE_ROOT}/tools/package/lab DESTINATION ${out}/usr/bin)
  foreach(file TilewiseConfig TilewiseConfigVersion)  # where find_package(Tilewise) looks
    file(WRITE ${out}/usr/lib/cmake/Tilewise/${file}.cmake
         "include(/opt/tilewise/build/pack/lib/cmake/Tilewise/${file}.cmake)\n")
  endforeach()
else()
  set(archive ${CPACK_PACKAGE_DIRECTORY}/sources.tar)
  execute_process(COMMAND git archive --output ${archive} HEAD WORKING_DIRECTORY ${CPACK_TILEWISE_ROOT}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${out})
  file(REMOVE ${archive})
endif()
