// Which objects of a resource a list, watch or collection delete is about: namespace, label and field selectors.
#pragma once

#include <string>

#include "kube/api/selector_text.h"
#include "server/rest/call_context.h"

namespace basalt::server {

class Selection {
 public:
  // Bad selectors and fields that the kind does not offer are 400.
  static api::ApiResult<Selection> parse(const api::ApiResource& resource, const api::Call& call);

  [[nodiscard]] const std::string& prefix() const { return prefix_; }  // of keys in the store
  // No selector: only the key's prefix matters, objects need not be looked into.
  [[nodiscard]] bool by_key_only() const { return labels_.matches_everything() && fields_.matches_everything(); }
  // The one key that can match (metadata.name is required); "": any.
  [[nodiscard]] const std::string& only_key() const { return only_key_; }
  [[nodiscard]] bool covers(const std::string& key) const {
    return only_key_.empty() ? key.starts_with(prefix_) : key == only_key_;
  }
  [[nodiscard]] bool matches(const api::ApiResource& resource, const store::Record& record) const;

 private:
  std::string prefix_, only_key_;
  api::LabelQuery labels_;
  api::FieldQuery fields_;
};

}  // namespace basalt::server
