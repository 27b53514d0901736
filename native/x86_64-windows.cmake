# Cross-compiles for Windows on Debian: clang with the C++ library and headers of g++-mingw-w64-x86-64-posix, whose own
# compiler does not align vectors on the stack. Programs run under Wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER clang++-16)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_AR llvm-ar-16)
set(CMAKE_RANLIB llvm-ranlib-16)
set(CMAKE_RC_COMPILER llvm-rc-16)
# The folder's name is the version followed by "-posix"; clang does not look there by itself.
file(GLOB MINGW_GCC /usr/lib/gcc/x86_64-w64-mingw32/*-posix)
set(MINGW_HEADERS ${MINGW_GCC}/include/c++)
# The C++ library was compiled by g++, which has only emulated thread-local variables on Windows.
set(CMAKE_CXX_FLAGS_INIT "-femulated-tls -nostdinc++ -isystem ${MINGW_HEADERS} \
-isystem ${MINGW_HEADERS}/x86_64-w64-mingw32 -isystem ${MINGW_HEADERS}/backward")
set(MINGW_LINKER_FLAGS "-fuse-ld=lld-16 -L${MINGW_GCC} -static -Wno-unused-command-line-argument")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${MINGW_LINKER_FLAGS}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${MINGW_LINKER_FLAGS}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${MINGW_LINKER_FLAGS}")
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/lib/wine/wine64)
