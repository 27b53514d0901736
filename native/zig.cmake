# Cross-compiles with zig: clang, libc++, and the C libraries of many systems. scripts/targets/build.mjs sets the
# compilers and HEARTH_ZIG_TARGET, which is ARCHITECTURE-SYSTEM[-LIBRARY][.OLDEST VERSION].
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEARTH_ZIG_TARGET)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${HEARTH_ZIG_TARGET})
if(HEARTH_ZIG_TARGET MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  # The compiler's target contains the oldest version, and zig brings the headers.
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "")
  set(CMAKE_OSX_SYSROOT "" CACHE STRING "")
elseif(HEARTH_ZIG_TARGET MATCHES "windows")
  set(CMAKE_SYSTEM_NAME Windows)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
set(CMAKE_CXX_COMPILER_TARGET ${HEARTH_ZIG_TARGET})
# The first link for a system compiles its C++ library, which takes a minute. So nothing is linked while configuring.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
