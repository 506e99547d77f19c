# Builds the site in OUT/html; any warning from Doxygen fails the build.
#
#   cmake -DOUT=FOLDER -DVERSION=0.1.0 -P build_site.cmake
cmake_minimum_required(VERSION 3.25)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH docs)
cmake_path(GET docs PARENT_PATH root)
set(out ${OUT})
set(version ${VERSION})

# These programs and files have other places on other systems.
find_program(doxygen doxygen)
find_program(python python3)
find_path(theme doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css
                                          /usr/local/share/doxygen-awesome-css)
find_path(mathjax MathJax.js PATHS /usr/share/javascript/mathjax /usr/share/mathjax)
foreach(needed IN ITEMS doxygen python theme mathjax)
  if(NOT ${needed})
    message(FATAL_ERROR "${needed} was not found: the site takes the packages doxygen, python3, "
                        "doxygen-awesome-css and libjs-mathjax")
  endif()
endforeach()

# Adds a page to the navigation, under its shortened heading.
function(add_page list page)
  file(STRINGS ${root}/${page} heading REGEX "^# " LIMIT_COUNT 1)
  string(REGEX REPLACE "^# (Stage )?" "" title "${heading}")
  string(REGEX REPLACE "[`]" "" title "${title}")
  foreach(pair IN ITEMS "&|&amp;" "<|&lt;" "\"|&quot;")
    string(REPLACE "|" ";" pair "${pair}")
    list(GET pair 0 from)
    list(GET pair 1 to)
    string(REPLACE "${from}" "${to}" title "${title}")
  endforeach()
  string(REGEX REPLACE "(/README)?\\.md$" "" name ${page})
  string(REGEX REPLACE "^docs/" "" name ${name})
  string(REGEX REPLACE "^labs/" "stage/" name ${name})
  string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name ${name})
  string(TOLOWER ${name} name)
  string(APPEND ${list}
         "      <tab type=\"user\" visible=\"yes\" url=\"@ref ${name}\" title=\"${title}\"/>\n")
  set(${list} "${${list}}" PARENT_SCOPE)
endfunction()

foreach(group IN ITEMS handouts decisions measurements)
  set(${group} "")
endforeach()
file(GLOB pages RELATIVE ${root} ${root}/labs/*/README.md)
foreach(page IN LISTS pages)
  add_page(handouts ${page})
endforeach()
list(GET pages 0 first)
string(REGEX REPLACE "labs/(.*)/README.md" "\\1" first ${first})
foreach(group IN ITEMS decisions measurements)
  file(GLOB pages RELATIVE ${root} ${root}/docs/${group}/2*.md ${root}/docs/${group}/0*.md)
  foreach(page IN LISTS pages)
    add_page(${group} ${page})
  endforeach()
endforeach()
set(start "")
set(lookup "")
if(EXISTS ${root}/docs/first-hour.md)
  add_page(start docs/first-hour.md)
endif()
foreach(page IN ITEMS docs/glossary.md docs/formulas.md docs/sources.md docs/privacy.md)
  if(EXISTS ${root}/${page})
    add_page(lookup ${page})
  endif()
endforeach()
set(translations "")
file(GLOB pages RELATIVE ${root} ${root}/docs/*.??.md ${root}/labs/*/README.??.md)
foreach(page IN LISTS pages)
  add_page(translations ${page})
endforeach()
file(GLOB image_path ${root}/labs/*/figures ${root}/docs/figures)
list(JOIN image_path " " image_path)

file(REMOVE_RECURSE ${out}/html)
file(MAKE_DIRECTORY ${out})
# Doxygen starts Python for each page, and a version manager's wrapper takes several times as long.
execute_process(COMMAND ${python} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE python
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
configure_file(${docs}/site/DoxygenLayout.xml.in ${out}/DoxygenLayout.xml @ONLY)
configure_file(${docs}/Doxyfile.in ${out}/Doxyfile @ONLY)

function(run_doxygen)
  execute_process(COMMAND ${doxygen} ${ARGN} WORKING_DIRECTORY ${root} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The header consists of the one that this version of Doxygen needs and the additions of the theme
# and the site.
run_doxygen(-w html ${out}/header.html ${out}/footer.html ${out}/unused.css)
file(READ ${out}/header.html header)
file(READ ${docs}/site/head.html addition)
string(REPLACE "</head>" "${addition}</head>" header "${header}")
string(REPLACE "<html " "<html lang=\"en\" " header "${header}")
file(WRITE ${out}/header.html "${header}")
run_doxygen(${out}/Doxyfile)

# Only the parts of MathJax that pages with formulas load are copied.
foreach(part IN ITEMS MathJax.js config/TeX-MML-AM_SVG.js jax/input/TeX jax/output/SVG jax/element
                      extensions)
  cmake_path(GET part PARENT_PATH folder)
  file(COPY ${mathjax}/${part} DESTINATION ${out}/html/mathjax/${folder} FOLLOW_SYMLINK_CHAIN)
endforeach()
