# The viewer's page becomes part of the program, as text. Two uses of this file: included, it offers
# kiln_embed_page_files; run as a script (cmake -P) with FOLDER, FILES and OUTPUT, it writes the C++ file that holds them.

if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  foreach(file ${FILES})
    file(READ ${FOLDER}/${file} text)
    string(APPEND entries "      {\"${file}\", R\"kiln_page(${text})kiln_page\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"view/page_files.hpp\"\n\nnamespace kiln::view {\n\n"
       "std::span<const PageFile> page_files() {\n"
       "  static constexpr PageFile files[] = {\n${entries}  };\n  return files;\n}\n\n"
       "}  // namespace kiln::view\n")
  return()
endif()

function(kiln_embed_page_files target)
  set(folder ${CMAKE_SOURCE_DIR}/src/view/page)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.html ${folder}/*.css ${folder}/*.js ${folder}/*.svg)
  set(output ${CMAKE_BINARY_DIR}/generated/view/page_files.cpp)
  set(script ${CMAKE_SOURCE_DIR}/cmake/page_files.cmake)
  set(depends ${files})
  list(TRANSFORM depends PREPEND ${folder}/)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} "-DFILES=${files}" -DOUTPUT=${output} -P ${script}
    DEPENDS ${depends} ${script} COMMENT "Embedding the viewer's page" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
