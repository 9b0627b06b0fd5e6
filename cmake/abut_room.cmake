# abut_room(NAME SOURCES a.c b.c [ROOMS left ...] [LIBRARIES m ...])
# A room of src/ as a static library that links only the rooms to its left, so that a door opened the wrong way fails to
# link in that room's own tests. The installed libraries are made of the rooms' objects.
function(abut_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  set(target abut_room_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:abut_flags>)
  foreach(left IN LISTS ROOM_ROOMS)
    target_link_libraries(${target} PUBLIC abut_room_${left})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ROOM_LIBRARIES})
endfunction()
