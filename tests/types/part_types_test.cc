// Wrong types in what is not an object of the resource itself: the bodies of subresources, and DeleteOptions.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/types/all_kinds_fixture.h"
#include "tests/types/field_places.h"

namespace basalt::types {
namespace {

constexpr size_t kLeastParts = 200;

struct Part {
  std::string_view group, plural, subresource;
  api::Verb verb;
  std::string_view type;  // of the body
};

constexpr Part kParts[] = {
    {"apps", "deployments", "scale", api::Verb::Update, "io.k8s.api.autoscaling.v1.Scale"},
    {"apps", "deployments", "scale", api::Verb::Patch, "io.k8s.api.autoscaling.v1.Scale"},
    {"", "pods", "binding", api::Verb::Create, "io.k8s.api.core.v1.Binding"},
    {"", "pods", "eviction", api::Verb::Create, "io.k8s.api.policy.v1.Eviction"},
    {"", "namespaces", "finalize", api::Verb::Update, "io.k8s.api.core.v1.Namespace"},
    {"", "configmaps", "", api::Verb::Delete, "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"},
    {"", "configmaps", "", api::Verb::DeleteCollection, "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"},
};

TEST(PartTypes, AreCheckedWhereverABodyIsTaken) {
  AllKindsFixture world;
  const store::Revision before = world.revision();
  size_t places = 0;
  for (const Part& part : kParts) {
    const api::ApiResource* resource = world.kinds().find(part.group, "v1", part.plural);
    ASSERT_NE(resource, nullptr) << part.plural;
    const api::Schema* type = api::builtin_schemas().find(part.type);
    ASSERT_NE(type, nullptr) << part.type;
    for (const FieldPlace& place : places_of(*type)) {
      ++places;
      for (const text::Value& value : wrong_values(*place.type)) {
        api::Call call = AllKindsFixture::call(*resource, part.verb);
        call.name = part.verb == api::Verb::DeleteCollection ? "" : std::string(kName);
        call.subresource = part.subresource;
        text::Object body;
        if (!part.subresource.empty()) body["metadata"] = text::Object{{"name", kName}};
        put(body, place, value);
        const std::string sent = text::to_json(body);
        call.body = std::move(body);
        const client::ReplyOrError outcome = world.send(std::move(call));
        ASSERT_FALSE(outcome) << part.plural << "/" << part.subresource << " took " << sent;
        EXPECT_TRUE(outcome.error().message.contains(place.path)) << sent << "\n" << outcome.error().message;
      }
    }
  }
  std::cout << "places: " << places << "\n";
  EXPECT_GE(places, kLeastParts);
  EXPECT_EQ(world.revision(), before) << "something was stored";
}

}  // namespace
}  // namespace basalt::types
