# basalt_embed_types(<folder>): puts the texts of src/<folder>/schema/builtin/*.types into the folder's library.
#
# Writes one source with builtin_type_texts() and volcano_type_texts() (see src/api/schema/type_language.h) at configure
# time; a changed or new text configures again by itself. Volcano's own texts are those that start with "volcano".
# builtin/protobuf.numbers comes along, as builtin_protobuf_numbers() (src/api/schema/protobuf_layout.h).
function(basalt_embed_types folder)
  file(GLOB texts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/schema/builtin/*.types)
  set(numbers_path ${CMAKE_SOURCE_DIR}/src/${folder}/schema/builtin/protobuf.numbers)
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
  set(source ${CMAKE_BINARY_DIR}/generated/${folder}/type_texts.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "api/schema/protobuf_layout.h"
#include "api/schema/type_language.h"

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
  target_sources(basalt_${folder} PRIVATE ${source})
endfunction()
