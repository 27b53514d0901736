# Lets the addon for Windows call the Node-API of the program that loads it: lists the names of its functions for
# system/windows/addon/node_api.cc.
list(GET HEARTH_NODE_API 0 NODE_API_HEADERS)
set(NODE_FUNCTIONS "")
foreach(DEF node_api js_native_api)
  file(STRINGS ${NODE_API_HEADERS}/../def/${DEF}.def NAMES REGEX "^(napi|node_api)_")
  list(APPEND NODE_FUNCTIONS ${NAMES})
endforeach()
list(REMOVE_DUPLICATES NODE_FUNCTIONS)
list(TRANSFORM NODE_FUNCTIONS REPLACE "(.+)" "HEARTH_NODE_API(\\1)\n")
string(JOIN "" NODE_FUNCTIONS ${NODE_FUNCTIONS})
set(NODE_LIST ${CMAKE_BINARY_DIR}/node_api_functions.inc)
set(NODE_SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/../system/windows/addon/node_api.cc)
file(WRITE ${NODE_LIST} "${NODE_FUNCTIONS}")
target_sources(hearth_addon PRIVATE ${NODE_SOURCE})
set_source_files_properties(${NODE_SOURCE} PROPERTIES COMPILE_DEFINITIONS HEARTH_NODE_API_FUNCTIONS="${NODE_LIST}")
# Declares the functions of the Node-API as imported.
target_compile_definitions(hearth_addon PRIVATE BUILDING_NODE_EXTENSION)
