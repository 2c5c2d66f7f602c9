// An object of any kind, as far as all kinds are the same: a typed view (view_base.h) of its kind and metadata.
#pragma once

#include <string_view>

#include "kube/api/views/metadata_view.h"

namespace basalt::api {

class ObjectView : public View {
 public:
  using View::View;
  [[nodiscard]] std::string_view kind() const { return read_string("kind"); }
  [[nodiscard]] std::string_view api_version() const { return read_string("apiVersion"); }
  [[nodiscard]] ObjectMetaView metadata() const { return ObjectMetaView(read_object("metadata")); }
};

}  // namespace basalt::api
