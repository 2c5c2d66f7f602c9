# basalt_embed_types(<layer>): puts the texts of src/<layer>/schema/builtin/*.types into the layer's library.
#
# Writes one source with builtin_type_texts() and volcano_type_texts() (see src/kube/api/schema/type_language.h) at
# configure time; a changed or new text configures again by itself. Volcano's own texts start with "volcano".
# builtin/protobuf.numbers comes along, as builtin_protobuf_numbers() (src/kube/api/schema/protobuf_layout.h).
function(basalt_embed_types layer)
  file(GLOB texts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${layer}/schema/builtin/*.types)
  set(numbers_path ${CMAKE_SOURCE_DIR}/src/${layer}/schema/builtin/protobuf.numbers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${texts} ${numbers_path})
  file(READ ${numbers_path} numbers)
  set(builtin "")
  set(volcano "")
  foreach(path IN LISTS texts)
    cmake_path(GET path FILENAME name)
    file(READ ${path} text)
    set(row "    TypeText{\"${name}\", R\"types(${text})types\"},\n")
    if(name MATCHES "^volcano")
      string(APPEND volcano "${row}")
    else()
      string(APPEND builtin "${row}")
    endif()
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/generated/${layer}/type_texts.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "kube/api/schema/protobuf_layout.h"
#include "kube/api/schema/type_language.h"

namespace basalt::api {
namespace {
constexpr TypeText kBuiltin[] = {
@builtin@};
constexpr TypeText kVolcano[] = {
@volcano@};
}  // namespace

std::span<const TypeText> builtin_type_texts() { return kBuiltin; }
std::span<const TypeText> volcano_type_texts() { return kVolcano; }
std::string_view builtin_protobuf_numbers() { return R"numbers(@numbers@)numbers"; }

}  // namespace basalt::api
]])
  string(REPLACE "/" "_" name ${layer})
  target_sources(basalt_${name} PRIVATE ${source})
endfunction()

# basalt_write_views(<layer>): makes the typed views that src/<layer>/views.txt lists, headers of <layer>/views.
#
# At configure time, too, so that editors and the checks of single files find them; a header that stays the same keeps
# its time, and nothing is compiled again.
function(basalt_write_views layer)
  set(list ${CMAKE_SOURCE_DIR}/src/${layer}/views.txt)
  set(texts ${CMAKE_SOURCE_DIR}/src/${layer}/schema/builtin)
  set(script ${CMAKE_SOURCE_DIR}/tools/write-views)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list} ${script})  # the texts: basalt_embed_types
  execute_process(COMMAND ${Python3_EXECUTABLE} ${script} ${texts} ${list} ${CMAKE_BINARY_DIR}/generated/${layer}/views
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "/" "_" name ${layer})
  target_include_directories(basalt_${name} PUBLIC ${CMAKE_BINARY_DIR}/generated)
endfunction()
