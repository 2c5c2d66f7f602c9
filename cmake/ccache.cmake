# Use ccache when it is there. Another checkout of the same sources finds what this one compiled: paths below the source
# folder are made relative, in what ccache compares and in what the compiler writes. The sloppiness lets it cache units
# that use a precompiled header.
find_program(BASALT_CCACHE ccache)
if(BASALT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${BASALT_CCACHE})
endif()
