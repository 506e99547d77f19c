# cmake -D FOLDER=common/simt/checks -D OUTPUT=list_of_checks.hpp -P list_checks.cmake
#
# Writes a header that includes those of the folder, and names the observers that they declare.
file(GLOB headers ${FOLDER}/*.hpp)
list(SORT headers)
set(observers "")
set(includes "")
foreach(header IN LISTS headers)
  file(STRINGS ${header} declarations REGEX "^class [A-Za-z]+ final : public Observer {")
  if(NOT declarations)
    continue()
  endif()
  get_filename_component(name ${header} NAME)
  string(APPEND includes "#include \"common/simt/checks/${name}\"\n")
  foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE "^class ([A-Za-z]+).*" "\\1" observer "${declaration}")
    list(APPEND observers ${observer})
  endforeach()
endforeach()
list(JOIN observers ", " observers)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
     "#pragma once\n\n${includes}\n#define TILEWISE_EVERY_CHECK ${observers}\n")
