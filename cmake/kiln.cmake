# How every layer is compiled, and where the libraries come from.

add_library(kiln_settings INTERFACE)
target_compile_features(kiln_settings INTERFACE cxx_std_20)
target_include_directories(kiln_settings INTERFACE ${CMAKE_SOURCE_DIR}/src)
# No fused multiply-add: every engine on every platform must round alike (the state hash says so).
target_compile_options(kiln_settings INTERFACE -Wall -Wextra -Wshadow -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string (GCC bug 105329).
  target_compile_options(kiln_settings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms on functions that return a reference into their first argument.
  target_compile_options(kiln_settings INTERFACE -Wno-dangling-reference)
endif()
target_compile_definitions(kiln_settings INTERFACE KILN_VERSION="${PROJECT_VERSION}")
if(KILN_CHECKED)
  target_compile_definitions(kiln_settings INTERFACE KILN_CHECKED)
endif()
if(KILN_WERROR)
  target_compile_options(kiln_settings INTERFACE -Werror)
endif()
if(KILN_SANITIZE)
  set(sanitizers $<IF:$<STREQUAL:${KILN_SANITIZE},thread>,thread,address$<COMMA>undefined>)
  # Left out is what is checked at every use of a pointer, a quarter of the time to build. AddressSanitizer finds null
  # pointers and most objects that are too small itself; alignment and the types of objects go unchecked.
  target_compile_options(kiln_settings INTERFACE -fsanitize=${sanitizers} -fno-sanitize=null,object-size,vptr,alignment
                                                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kiln_settings INTERFACE -fsanitize=${sanitizers})
endif()
# On x86-64 the random numbers are drawn with AVX2 where there is some (base/processor.hpp).
# Elsewhere the baseline is as good (measured).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  if(KILN_NATIVE AND NOT KILN_SANITIZE)
    target_compile_options(kiln_settings INTERFACE -march=native)
    target_compile_definitions(kiln_settings INTERFACE KILN_NATIVE)
  else()
    target_compile_options(kiln_settings INTERFACE -march=x86-64-v2)
  endif()
  if(NOT KILN_NATIVE AND NOT KILN_SANITIZE)  # sanitizers are not ready yet when the program chooses
    target_compile_definitions(kiln_settings INTERFACE KILN_LEVELS)
  endif()
endif()

# Levels of optimisation, see kiln_layer. A build type of the user's own choice keeps its flags.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT KILN_SANITIZE)
  set(KILN_OPTIONS_text -O1)
  set(KILN_OPTIONS_hot -O3)
elseif(KILN_SANITIZE)  # what is checked line by line takes long to optimise
  set(KILN_OPTIONS_text -O0)
  set(KILN_OPTIONS_hot -O1)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_path(TOMLPP_INCLUDE toml++/toml.h REQUIRED)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_package(PNG QUIET)
find_package(ZLIB QUIET)
find_package(HDF5 QUIET COMPONENTS C)
find_package(TIFF QUIET)
find_package(pugixml QUIET)
find_path(HTTPLIB_INCLUDE httplib.h)
find_library(HTTPLIB_LIBRARY cpp-httplib)
if(HTTPLIB_INCLUDE)
  # Later versions are handed connections in another way than src/view/http/server.cpp does it.
  file(STRINGS ${HTTPLIB_INCLUDE}/httplib.h fits REGEX "bool process_request\\(Stream &strm, bool close_connection,")
  if(NOT fits)
    message(STATUS "No viewer: this version of cpp-httplib is not known to it")
    set(HTTPLIB_INCLUDE "")
  endif()
endif()
if(NOT KILN_SANITIZE)  # it talks to shared memory behind a sanitizer's back
  find_package(MPI QUIET COMPONENTS C)
endif()

# kiln_use(TARGET LIBRARY): links a library by its short name; an optional one that is missing leaves
# KILN_HAS_<NAME> undefined, and the code that needs it says what to install.
function(kiln_use target name)
  if(name STREQUAL "fmt")
    target_link_libraries(${target} PUBLIC fmt::fmt)
  elseif(name STREQUAL "dl")
    target_link_libraries(${target} PUBLIC ${CMAKE_DL_LIBS})
  elseif(name STREQUAL "toml++")
    target_include_directories(${target} SYSTEM PUBLIC ${TOMLPP_INCLUDE})
  elseif(name STREQUAL "CLI11")
    target_include_directories(${target} SYSTEM PUBLIC ${CLI11_INCLUDE})
  elseif(name STREQUAL "PNG")
    if(PNG_FOUND)
      target_link_libraries(${target} PUBLIC PNG::PNG)
      target_compile_definitions(${target} PUBLIC KILN_HAS_PNG)
    endif()
  elseif(name STREQUAL "ZLIB")
    if(ZLIB_FOUND)
      target_link_libraries(${target} PUBLIC ZLIB::ZLIB)
    endif()
  elseif(name STREQUAL "MPI")
    target_link_libraries(${target} PRIVATE MPI::MPI_C)
  elseif(name STREQUAL "HDF5")
    if(HDF5_FOUND)
      target_include_directories(${target} SYSTEM PUBLIC ${HDF5_INCLUDE_DIRS})
      target_link_libraries(${target} PUBLIC ${HDF5_C_LIBRARIES})
      # Whatever version is installed: its functions as they were in 1.10.
      target_compile_definitions(${target} PUBLIC KILN_HAS_HDF5 H5_USE_110_API)
    endif()
  elseif(name STREQUAL "TIFF")
    if(TIFF_FOUND AND pugixml_FOUND)  # what a stack's OME-XML says is part of it
      target_link_libraries(${target} PUBLIC TIFF::TIFF pugixml::pugixml)
      target_compile_definitions(${target} PUBLIC KILN_HAS_TIFF)
    endif()
  elseif(name STREQUAL "HTTPLIB")
    if(HTTPLIB_INCLUDE)
      target_include_directories(${target} SYSTEM PRIVATE ${HTTPLIB_INCLUDE})
      target_compile_definitions(${target} PUBLIC KILN_HAS_HTTPLIB)
      if(HTTPLIB_LIBRARY)  # compiled, as Debian has it: its header must be read with the same settings
        get_filename_component(folder ${HTTPLIB_LIBRARY} DIRECTORY)
        set(cflags "")
        if(EXISTS ${folder}/pkgconfig/cpp-httplib.pc)
          file(STRINGS ${folder}/pkgconfig/cpp-httplib.pc cflags REGEX "^Cflags:")
        endif()
        string(REGEX MATCHALL "-DCPPHTTPLIB_[A-Z_]+" settings "${cflags}")
        target_compile_options(${target} PRIVATE ${settings})
        target_link_libraries(${target} PUBLIC ${HTTPLIB_LIBRARY})
      endif()
    endif()
  else()
    target_link_libraries(${target} PUBLIC kiln_${name})
  endif()
endfunction()

# The standard library and fmt are most of what a file has to parse, so they are compiled ahead, once per level of
# optimisation (GCC takes no precompiled header across levels). No header of ours is in it: a change to one must not
# recompile everything.
set(KILN_PRECOMPILED <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <mutex> <optional> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)

# kiln_compile_together(TARGET): compiles several files as one, which takes two thirds of the time; so names in a layer's
# anonymous namespaces are told apart. Not what is HOT: how much a compiler inlines depends on what else is in a file.
function(kiln_compile_together target)
  if(KILN_TOGETHER GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${KILN_TOGETHER})
  endif()
endfunction()

# All libraries of one level share the precompiled header of the first.
function(kiln_precompile target level)
  get_property(owner GLOBAL PROPERTY KILN_PRECOMPILED_${level})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${KILN_PRECOMPILED})
    set_property(GLOBAL PROPERTY KILN_PRECOMPILED_${level} ${target})
  endif()
endfunction()

# kiln_compile(TARGET text|hot USES...): how a target is compiled, and what it links. Programs have no
# precompiled header: their options differ (-fpie).
function(kiln_compile target level)
  target_link_libraries(${target} PUBLIC kiln_settings Threads::Threads fmt::fmt)
  foreach(used ${ARGN})
    kiln_use(${target} ${used})
  endforeach()
  target_compile_options(${target} PRIVATE ${KILN_OPTIONS_${level}})
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "EXECUTABLE")
    kiln_precompile(${target} ${level})
  endif()
  if(level STREQUAL "text")
    kiln_compile_together(${target})
  endif()
endfunction()

# kiln_layer(NAME [HOT | HOT_FILES globs...] USES ...): src/NAME as a library; header-only layers become interfaces.
# Text is compiled with -O1, which takes half the time; what loops over lattices and cells is HOT.
function(kiln_layer name)
  cmake_parse_arguments(ARG "HOT" "" "USES;HOT_FILES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    add_library(kiln_${name} INTERFACE)
    target_link_libraries(kiln_${name} INTERFACE kiln_settings Threads::Threads)
    foreach(used ${ARG_USES})
      target_link_libraries(kiln_${name} INTERFACE kiln_${used})
    endforeach()
    return()
  endif()
  list(TRANSFORM ARG_HOT_FILES PREPEND ${CMAKE_SOURCE_DIR}/src/${name}/)
  if(ARG_HOT_FILES)
    file(GLOB hot CONFIGURE_DEPENDS ${ARG_HOT_FILES})
    list(REMOVE_ITEM sources ${hot})
    add_library(kiln_${name}_hot OBJECT ${hot})
    kiln_compile(kiln_${name}_hot hot ${ARG_USES})
    list(APPEND sources $<TARGET_OBJECTS:kiln_${name}_hot>)
  endif()
  add_library(kiln_${name} STATIC ${sources})
  if(ARG_HOT)
    kiln_compile(kiln_${name} hot ${ARG_USES})
  else()
    kiln_compile(kiln_${name} text ${ARG_USES})
  endif()
endfunction()
