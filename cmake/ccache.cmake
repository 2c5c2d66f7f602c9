# Use ccache when it is there. The sloppiness lets it cache units that use a precompiled header.
find_program(BASALT_CCACHE ccache)
if(BASALT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${BASALT_CCACHE})
endif()
