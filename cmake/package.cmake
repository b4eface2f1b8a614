# What `cmake --install` puts where, and what `cpack` makes of it: the program, its models and its documentation as a
# Debian package (or an archive where there is no dpkg). The Python package is a component of its own, see
# python/CMakeLists.txt; it travels as a wheel.
include(GNUInstallDirs)
install(TARGETS kiln COMPONENT kiln)
if(TARGET kiln_mpi_module)
  install(TARGETS kiln_mpi_module LIBRARY DESTINATION lib/kiln COMPONENT kiln)
endif()
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kiln/models COMPONENT kiln FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT kiln)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT kiln)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT kiln)

set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_VENDOR "The Kiln authors")
set(CPACK_PACKAGE_CONTACT "The Kiln authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of living tissue with the Cellular Potts Model")
set(CPACK_PACKAGE_DESCRIPTION "Kiln runs Cellular Potts models of whole tissues, on all cores or on a GPU (NVIDIA's driver\n\
and NVRTC are looked for when it runs), and gives the same bits on each.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};kiln;kiln;/")  # only the component kiln
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Asks the program which libraries it needs, and dpkg which packages and versions have them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
find_program(KILN_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(KILN_DPKG_SHLIBDEPS)
if(KILN_DPKG_SHLIBDEPS)
  set(CPACK_GENERATOR DEB)
else()
  set(CPACK_GENERATOR TGZ)
endif()
include(CPack)
