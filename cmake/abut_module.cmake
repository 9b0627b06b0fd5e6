# abut_module(NAME SOURCES a.c b.c [MODULES left ...] [LIBRARIES m ...])
# A module of src/ as a static library that links only the modules to its left, so that a call to the right fails to
# link in that module's own tests. The installed libraries are made of the modules' objects.
function(abut_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;MODULES;LIBRARIES" ${ARGN})
  set(target abut_module_${name})
  add_library(${target} STATIC ${MODULE_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:abut_flags>)
  foreach(left IN LISTS MODULE_MODULES)
    target_link_libraries(${target} PUBLIC abut_module_${left})
  endforeach()
  target_link_libraries(${target} PUBLIC ${MODULE_LIBRARIES})
endfunction()
