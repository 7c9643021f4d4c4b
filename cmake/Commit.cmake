# SPDX-License-Identifier: MIT
# Write the commit of the sources into a header, in every build, but touch it only when it changed:
#     cmake -DSOURCE=... -DOUT=.../commit.h -P Commit.cmake

find_program(GIT git)
set(_commit unknown)
if(GIT)
    execute_process(COMMAND ${GIT} rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
        OUTPUT_VARIABLE _head ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _failed)
    if(NOT _failed)
        set(_commit ${_head})
        # changes that are not committed have a mark of their own
        execute_process(COMMAND ${GIT} diff HEAD WORKING_DIRECTORY ${SOURCE}
            OUTPUT_VARIABLE _changes ERROR_QUIET)
        if(NOT _changes STREQUAL "")
            string(SHA1 _mark "${_changes}")
            string(SUBSTRING ${_mark} 0 8 _mark)
            string(APPEND _commit " changed (${_mark})")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define SD_LAB_COMMIT \"${_commit}\"\n" @ONLY)
