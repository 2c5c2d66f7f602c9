# basalt_checked_json(<library>): Boost.JSON compiled into a library of ours, for builds with sanitizers.
#
# The installed one hides what these builds look for. Its code is not instrumented, so that a read through a pointer
# into a table that an insert has freed goes unseen (value's operator= lives in it); and a table that grows by half
# moves at few inserts, so that such a pointer is wrong only for objects of unlucky sizes. Here its code is
# instrumented, and tables of fewer than 64 members or elements move at every insert: any test that runs such a line
# reports it.
function(basalt_checked_json library)
  if(NOT BASALT_SANITIZE)
    return()
  endif()
  get_target_property(installed Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
  set(generated ${CMAKE_BINARY_DIR}/checked_json)
  set(growth "old + old / 2; // 1.5x")
  foreach(table array object)
    find_file(BASALT_JSON_${table} boost/json/impl/${table}.ipp PATHS ${installed} REQUIRED)
    file(READ ${BASALT_JSON_${table}} text)
    string(FIND "${text}" "${growth}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${BASALT_JSON_${table}} says otherwise than expected how it grows: see checked_json.cmake")
    endif()
    string(REPLACE "${growth}" "old < 64 ? old : old + old / 2;" text "${text}")
    file(CONFIGURE OUTPUT ${generated}/include/boost/json/impl/${table}.ipp CONTENT "${text}" @ONLY)
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/checked_json.cc CONTENT "#include <boost/json/src.hpp>\n")
  set_source_files_properties(${generated}/checked_json.cc PROPERTIES
    COMPILE_OPTIONS -isystem${generated}/include SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${library} PRIVATE ${generated}/checked_json.cc)
endfunction()
