# Each source and each header compiles alone: target check_sources, of the preset that uses clang.
#
# A source may not lean on what its neighbour in a batch includes (see basalt_batches). A header with a .cc of its name
# is its first include (the tidy test checks that), so compiling that file proves it; the others get a generated unit,
# which also includes them twice. Compiled for the errors alone: plain, and with a precompiled <boost/json.hpp>, which
# halves the time and may be all that a file forgets.
if(BASALT_CHECK_SOURCES)
  get_property(headers GLOBAL PROPERTY BASALT_HEADERS)
  get_property(units GLOBAL PROPERTY BASALT_SOURCES)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" own_source ${header})
    if(EXISTS ${own_source})
      continue()
    endif()
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${header})
    string(REPLACE "/" "__" unit ${path})
    set(unit ${CMAKE_BINARY_DIR}/check_sources/${unit}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${path}\"\n#include \"${path}\"  // twice\n" @ONLY)
    list(APPEND units ${unit})
  endforeach()
  add_library(check_sources OBJECT ${units})
  target_link_libraries(check_sources PRIVATE basalt_options Boost::json yaml-cpp fmt::fmt CLI11::CLI11 OpenSSL::SSL
    SQLite::SQLite3 spdlog::spdlog PkgConfig::RE2 Threads::Threads)
  target_compile_definitions(check_sources PRIVATE BASALT_VERSION="${PROJECT_VERSION}")
  target_compile_options(check_sources PRIVATE -Wshadow -O0 -g0 "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(check_sources PRIVATE <boost/json.hpp>)
endif()
