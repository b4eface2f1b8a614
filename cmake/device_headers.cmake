# The headers that device code may include become part of the program, as text: NVRTC compiles them at run time,
# where there are no sources. Two uses of this file: included, it offers kiln_embed_device_headers; run as a
# script (cmake -P) with ROOT, HEADERS and OUTPUT, it writes the C++ file that holds them.

if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  foreach(header ${HEADERS})
    file(READ ${ROOT}/${header} text)
    # One raw string per header; the standard asks of compilers no more than 65536 characters, GCC and Clang
    # take any length.
    string(APPEND entries "    {\"${header}\", R\"kiln_header(${text})kiln_header\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"engine/cuda/driver/sources.hpp\"\n\nnamespace kiln::cuda {\n\n"
       "std::span<const EmbeddedHeader> device_headers() {\n"
       "  static const EmbeddedHeader headers[] = {\n${entries}  };\n  return headers;\n}\n\n"
       "}  // namespace kiln::cuda\n")
  return()
endif()

# Relative to src/. Headers of core and terms are all there; of the engines, those that kernels include.
file(GLOB KILN_DEVICE_HEADERS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src
     ${CMAKE_SOURCE_DIR}/src/core/*.hpp ${CMAKE_SOURCE_DIR}/src/terms/*.hpp ${CMAKE_SOURCE_DIR}/src/formula/operations.hpp
     ${CMAKE_SOURCE_DIR}/src/engine/cuda/*.cuh ${CMAKE_SOURCE_DIR}/src/engine/cuda/*/*.cuh)
set(KILN_DEVICE_ENGINE_HEADERS engine/placed_physics.hpp engine/substances/stencil.hpp engine/cuda/substances/diffusion_tables.hpp engine/cuda/substances/source_tables.hpp engine/cuda/living/living_tables.hpp engine/ranks/sent.hpp engine/cuda/ranks/brick_tables.hpp
    engine/schedule/rows_near.hpp engine/schedule/tiles.hpp engine/schedule/tick.hpp engine/cuda/tiles/data.hpp engine/cuda/tiles/work_split.hpp
    engine/schedule/checkerboard.hpp
    engine/cuda/checkerboard/data.hpp engine/cuda/model_numbers.hpp engine/cuda/state/device_tables.hpp engine/cuda/survey/survey_data.hpp)
list(APPEND KILN_DEVICE_HEADERS ${KILN_DEVICE_ENGINE_HEADERS})

function(kiln_embed_device_headers target)
  set(output ${CMAKE_BINARY_DIR}/generated/engine/cuda/device_headers.cpp)
  set(files ${KILN_DEVICE_HEADERS})
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/src/)
  set(script ${CMAKE_SOURCE_DIR}/cmake/device_headers.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/src "-DHEADERS=${KILN_DEVICE_HEADERS}" -DOUTPUT=${output}
            -P ${script}
    DEPENDS ${files} ${script} COMMENT "Embedding the device's headers" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
