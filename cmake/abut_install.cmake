# Installation: libraries, headers, the CMake package `abut` (targets abut::abut, abut::abut_io and their _shared twins),
# and pkg-config files `abut` and `abut_io`. The command installs itself in cli/.
set(abut_io_packages jansson)
set(ABUT_HAVE_ASSIMP FALSE)
if(ABUT_ASSIMP AND ASSIMP_FOUND)
  string(APPEND abut_io_packages " assimp")
  set(ABUT_HAVE_ASSIMP TRUE)
endif()
set(abut_core_packages qhull_r)
set(ABUT_HAVE_NLOPT FALSE)
if(ABUT_NLOPT AND NLOPT_FOUND)
  string(APPEND abut_core_packages " nlopt")
  set(ABUT_HAVE_NLOPT TRUE)
endif()
set(abut_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
install(TARGETS abut abut_shared abut_io abut_io_shared EXPORT abut_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT abut_targets NAMESPACE abut:: DESTINATION ${abut_package_dir} FILE abut_targets.cmake)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/abutConfig.cmake.in ${PROJECT_BINARY_DIR}/abutConfig.cmake
                              INSTALL_DESTINATION ${abut_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/abutConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/abutConfig.cmake ${PROJECT_BINARY_DIR}/abutConfigVersion.cmake
        DESTINATION ${abut_package_dir})

set(AT "@")
foreach(package abut abut_io)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc.configured @ONLY)
  # The prefix is known only when installing.
  install(CODE "
    file(READ \"${PROJECT_BINARY_DIR}/${package}.pc.configured\" text)
    string(REPLACE \"@PREFIX@\" \"\${CMAKE_INSTALL_PREFIX}\" text \"\${text}\")
    file(WRITE \"${PROJECT_BINARY_DIR}/${package}.pc\" \"\${text}\")")
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
