# Each source and each header compiles alone: target check_sources, in a build with clang.
#
# A source may not lean on what its neighbour in a batch includes (see basalt_batches). A header with a .cc of its name
# is its first include (the tidy test checks that), so checking that file proves it; the others get a generated unit,
# which also includes them twice. Only the front end runs (-fsyntax-only), with the heavy headers of libraries
# precompiled: that such a header is forgotten is all that goes unseen.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  return()
endif()
get_property(headers GLOBAL PROPERTY BASALT_HEADERS)
get_property(units GLOBAL PROPERTY BASALT_SOURCES)
set(folder ${CMAKE_BINARY_DIR}/check_sources)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.h$" ".cc" own_source ${header})
  if(EXISTS ${own_source})
    continue()
  endif()
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${header})
  set(unit ${folder}/twice/${path}.cc)
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${path}\"\n#include \"${path}\"  // twice\n" @ONLY)
  list(APPEND units ${unit})
endforeach()

# One option a line, as clang reads it with @: tools/tidy/run-clang-tidy uses the file too.
file(GENERATE OUTPUT ${folder}/options CONTENT "-std=c++23
-I${CMAKE_SOURCE_DIR}/src
-I${CMAKE_BINARY_DIR}/generated
-DBASALT_VERSION=\\\"${PROJECT_VERSION}\\\"
$<JOIN:$<TARGET_PROPERTY:basalt_options,INTERFACE_COMPILE_OPTIONS>,\n>
-Wshadow
")
set(precompiled ${folder}/libraries.hxx)
file(CONFIGURE OUTPUT ${precompiled} CONTENT [[
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
]])
# Without -fpch-instantiate-templates each unit instantiates anew what the libraries' headers use: a third of its time.
set(check ${CMAKE_CXX_COMPILER} @${folder}/options -fpch-instantiate-templates)
add_custom_command(OUTPUT ${precompiled}.pch COMMAND ${check} -x c++-header ${precompiled} -o ${precompiled}.pch
  DEPENDS ${precompiled} ${folder}/options)
set(stamps)
foreach(unit IN LISTS units)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${unit})
  string(REPLACE "/" "." path ${path})
  set(stamp ${folder}/${path}.ok)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${check} -include-pch ${precompiled}.pch -fsyntax-only -MD -MT ${stamp} -MF ${stamp}.d ${unit}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${unit} ${precompiled}.pch DEPFILE ${stamp}.d COMMENT "Checking ${path}")
  list(APPEND stamps ${stamp})
endforeach()
add_custom_target(check_sources DEPENDS ${stamps})
