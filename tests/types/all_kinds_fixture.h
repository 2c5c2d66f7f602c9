// A server with every kind there is: built in, Volcano's (with its admission), and a user's own in two versions; and
// one object of each, so small that nothing but what a request brings can be wrong with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/api/call.h"
#include "kube/client/object_client.h"
#include "server/api_server.h"
#include "server/in_process_client.h"

namespace basalt::types {

inline constexpr std::string_view kName = "thing";
inline constexpr std::string_view kNamespace = "default";

class AllKindsFixture {
 public:
  AllKindsFixture();
  AllKindsFixture(const AllKindsFixture&) = delete;
  AllKindsFixture& operator=(const AllKindsFixture&) = delete;

  [[nodiscard]] const api::ApiResourceTable& kinds() const { return *kinds_; }
  [[nodiscard]] store::Revision revision() const { return store_->revision(); }
  [[nodiscard]] client::ReplyOrError send(api::Call call) { return client_.call(std::move(call)); }

  // A call about the object of the resource, without a body; a create is about another one.
  [[nodiscard]] static api::Call call(const api::ApiResource& resource, api::Verb verb);
  // apiVersion, kind and metadata of an object that a call may name.
  [[nodiscard]] text::Object start(const api::ApiResource& resource, api::Verb verb) const;

 private:
  void define_kind();
  void store_object(const api::ApiResource& resource);

  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::InProcessClient client_;
  std::shared_ptr<const api::ApiResourceTable> kinds_;
};

}  // namespace basalt::types
