# SPDX-License-Identifier: MIT
# Ask PROGRAM for its tests and write them to LIST for CTest.

cmake_minimum_required(VERSION 3.25)

list(REMOVE_ITEM PROGRAM "")
execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE _names COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" _names "${_names}")
set(_text "")
foreach(name IN LISTS _names)
    if(name)
        set(_command "")
        foreach(word IN LISTS PROGRAM)
            string(APPEND _command " \"${word}\"")
        endforeach()
        string(APPEND _text "add_test(${name}${_command} ${name})\n")
    endif()
endforeach()
file(WRITE ${LIST} "${_text}")
