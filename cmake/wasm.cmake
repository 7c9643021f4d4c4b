# SPDX-License-Identifier: MIT
# Toolchain: Debian's clang for wasm32-wasi, SIMD on; programs run under Node.

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_COMPILER_WORKS ON)
# the ordinary ar makes no index of WebAssembly objects
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
# without -nostdlibinc clang falls back to the host's headers
set(CMAKE_C_FLAGS_INIT "-nostdlibinc -isystem /usr/include/wasm32-wasi -msimd128")
# threads are Workers that share memory; web/thread.js gives each its stack and thread-local data
if(SUDAR_WASM_THREADS)
    string(APPEND CMAKE_C_FLAGS_INIT " -matomics -mbulk-memory -mmutable-globals -pthread -ftls-model=local-exec")
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wno-unused-command-line-argument -Wl,--strip-debug -Wl,-z,stack-size=1048576")
# Node before 20 wants the flag, later ones accept it
set(CMAKE_CROSSCOMPILING_EMULATOR node;--no-warnings;--experimental-wasi-unstable-preview1;${CMAKE_CURRENT_LIST_DIR}/../tools/wasi.mjs)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
