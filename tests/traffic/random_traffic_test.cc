// Random traffic: every verb on every kind in every version, with objects that the schemas allow and some that they do
// not. Whatever comes, the server answers, what it answers can be read, and what it lists can be read in every version.
//
// BASALT_TRAFFIC_OPERATIONS: how many (2000 unless told), BASALT_TRAFFIC_SEED: which sequence (1 unless told).
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>

#include "kube/api/object_fields.h"
#include "server/subresources.h"
#include "tests/traffic/random_object.h"
#include "tests/traffic/traffic.h"

namespace basalt::tests {
namespace {

constexpr uint64_t kOperations = 2000;
constexpr uint64_t kNames = 6;                  // of each kind and namespace: few, so that names meet again
constexpr uint64_t kKindsAreRenewedEvery = 20;  // operations

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class RandomTraffic : public testing::Test {
 protected:
  void one_operation();
  void create(const api::ApiResource& row);
  void read(const api::ApiResource& row);
  void watch(const api::ApiResource& row);
  void update(const api::ApiResource& row);
  void patch(const api::ApiResource& row);
  void subresource(const api::ApiResource& row);
  void remove(const api::ApiResource& row);

  ObjectLocation some(const api::ApiResource& row) {
    return {.row = &row,
            .namespace_name = row.namespaced ? std::string(rng_.chance(0.7) ? "traffic" : "default") : "",
            .name = stored_name(row, "n" + std::to_string(rng_.below(kNames)))};
  }
  ObjectLocation all(const api::ApiResource& row) {
    ObjectLocation location = some(row);
    location.name.clear();
    if (rng_.chance(0.3)) location.namespace_name.clear();
    return location;
  }
  text::Value body(const ObjectLocation& location);
  // The body in JSON or, where there is one, in the binary form.
  TrafficRequest with_body(std::string method, std::string target, const std::string& type, const text::Value& value);

  Rng rng_{setting("BASALT_TRAFFIC_SEED", 1)};
  Traffic traffic_;
};

text::Value RandomTraffic::body(const ObjectLocation& location) {
  const std::string_view name = std::string_view(location.name).substr(0, location.name.find('.'));
  text::Value value = traffic_.samples().make(*location.row, location.namespace_name, name);
  for (uint64_t i = rng_.below(4); i > 0; --i) decorate(value.get_object(), *location.row->schema, rng_);
  return value;
}

TrafficRequest RandomTraffic::with_body(std::string method, std::string target, const std::string& type,
                                        const text::Value& value) {
  TrafficRequest request{.method = std::move(method), .target = std::move(target), .body = text::to_json(value)};
  const auto binary = rng_.chance(0.5) ? Traffic::binary(type, value) : std::nullopt;
  if (binary) {
    request.content_type = kBinary;
    request.body = *binary;
    if (rng_.chance(0.1)) request.body[rng_.below(request.body.size())] ^= static_cast<char>(1U << rng_.below(8));
  }
  return request;
}

void RandomTraffic::create(const api::ApiResource& row) {
  const ObjectLocation location = some(row);
  text::Value value = body(location);
  if (rng_.chance(0.1)) {
    text::Object& metadata = api::metadata_of(value.get_object());
    metadata.erase("name");
    metadata["generateName"] = "g-";
  }
  std::string target = ObjectLocation{.row = &row, .namespace_name = location.namespace_name}.path();
  if (rng_.chance(0.1)) target += "?dryRun=All";
  traffic_.write(location, with_body("POST", std::move(target), row.custom ? "" : row.schema->name, value));
}

void RandomTraffic::read(const api::ApiResource& row) {
  static constexpr std::array<std::string_view, 5> kForms = {"", kTable, kPartial, "application/yaml", "*/*"};
  const std::string form(pick(kForms, rng_));
  if (rng_.chance(0.4)) {
    traffic_.send({.target = some(row).path(), .accept = form});
    return;
  }
  static constexpr std::array<std::string_view, 7> kQueries = {
      "",         "?limit=2", "?labelSelector=traffic%3Dyes",     "?resourceVersion=0",
      "?limit=x", "?pretty",  "?fieldSelector=metadata.name%3Dn1"};
  std::string target = all(row).path().append(pick(kQueries, rng_));
  if (!row.selectable_fields.empty() && rng_.chance(0.2)) {
    target = all(row).path() + "?fieldSelector=" + pick(row.selectable_fields, rng_) + "%3Da";
  }
  const TrafficAnswer page = traffic_.send({.target = target, .accept = form});
  const std::string_view token = api::string_at(page.object(), {"metadata", "continue"});
  if (!token.empty()) traffic_.send({.target = target + "&continue=" + std::string(token), .accept = form});
}

void RandomTraffic::watch(const api::ApiResource& row) {
  static constexpr std::array<std::string_view, 4> kQueries = {
      "", "&resourceVersion=0", "&resourceVersion=1",
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"};
  static constexpr std::array<std::string_view, 3> kForms = {"", kTable, kPartial};
  const ObjectLocation location = some(row);
  const std::string type = row.custom ? "" : row.schema->name;
  const TrafficRequest meanwhile =
      rng_.chance(0.5)
          ? with_body("POST", ObjectLocation{.row = &row, .namespace_name = location.namespace_name}.path(), type,
                      body(location))
          : TrafficRequest{.method = "DELETE", .target = location.path()};
  traffic_.watch(all(row).path().append("?watch=1").append(pick(kQueries, rng_)), pick(kForms, rng_), meanwhile);
}

void RandomTraffic::update(const api::ApiResource& row) {
  const ObjectLocation location = some(row);
  text::Value seen = traffic_.send({.target = location.path()}).value;
  if (!seen.is_object() || api::string_at(seen.get_object(), "kind") == "Status") seen = body(location);
  for (uint64_t i = 1 + rng_.below(2); i > 0; --i) decorate(seen.get_object(), *row.schema, rng_);
  if (rng_.chance(0.2)) api::metadata_of(seen.get_object()).erase("resourceVersion");
  traffic_.write(location, with_body("PUT", location.path(), row.custom ? "" : row.schema->name, seen));
}

void RandomTraffic::patch(const api::ApiResource& row) {
  const ObjectLocation location = some(row);
  TrafficRequest request{.method = "PATCH", .target = location.path()};
  switch (rng_.below(4)) {
    case 0: {
      const text::Value seen = traffic_.send({.target = location.path()}).value;
      static const text::Object kNone;
      request.content_type = kJsonPatch;
      request.body = text::to_json(random_json_patch(seen.is_object() ? seen.get_object() : kNone, *row.schema, rng_));
      break;
    }
    case 1:
      request.content_type = kMergePatch;
      request.body = text::to_json(random_change(*row.schema, rng_));
      break;
    case 2:
      request.content_type = kStrategicPatch;
      request.body = text::to_json(random_change(*row.schema, rng_));
      break;
    default:
      request.content_type = kApplyPatch;
      request.target += "?fieldManager=m" + std::to_string(rng_.below(3)) + (rng_.chance(0.5) ? "&force=true" : "");
      request.body = text::to_json(body(location));
  }
  traffic_.write(location, request);
}

void RandomTraffic::subresource(const api::ApiResource& row) {
  const auto parts = server::subresources_of(row);
  if (parts.empty()) return read(row);
  const server::Subresource& part = pick(parts, rng_);
  const ObjectLocation location = some(row);
  const std::string target = location.path(part.name), verb(pick(part.verbs, rng_));
  const std::string type = !part.schema.empty() ? part.schema : row.custom ? "" : row.schema->name;
  const api::Schema* schema = part.schema.empty() ? row.schema : api::builtin_schemas().find(part.schema);
  if (part.name == "exec" || verb == "get") {
    traffic_.send({.target = target});
  } else if (verb == "patch") {
    traffic_.send({.method = "PATCH",
                   .target = target,
                   .content_type = std::string(kMergePatch),
                   .body = text::to_json(random_change(*schema, rng_))});
  } else {
    text::Value value = traffic_.send({.target = verb == "update" ? target : location.path()}).value;
    if (verb == "create" || !value.is_object()) {
      value = text::Object{{"apiVersion", part.group.empty() ? "v1" : part.group + "/" + part.version},
                           {"kind", part.kind},
                           {"metadata", text::Object{{"name", location.name}}}};
    }
    decorate(value.get_object(), *schema, rng_);
    traffic_.send(with_body(verb == "create" ? "POST" : "PUT", target, type, value));
  }
}

void RandomTraffic::remove(const api::ApiResource& row) {
  if (rng_.chance(0.1) && serves(row, "deletecollection")) {
    traffic_.send({.method = "DELETE", .target = all(row).path() + "?labelSelector=traffic%3Dyes"});
    return;
  }
  static const std::string kOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
  text::Value options = text::Object{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  decorate(options.get_object(), *api::builtin_schemas().find(kOptions), rng_);
  traffic_.send(with_body("DELETE", some(row).path(), kOptions, options));
}

void RandomTraffic::one_operation() {
  const api::ApiResource& row = pick(traffic_.rows(), rng_);
  if (!serves(row, "get")) {
    create(row);
    return;
  }
  const uint64_t dice = rng_.below(100);
  if (dice < 34) return create(row);
  if (dice < 50) return read(row);
  if (dice < 56) return watch(row);
  if (dice < 68) return update(row);
  if (dice < 84) return patch(row);
  if (dice < 94) return subresource(row);
  return remove(row);
}

TEST_F(RandomTraffic, IsAnsweredWhateverItIs) {
  const uint64_t operations = setting("BASALT_TRAFFIC_OPERATIONS", kOperations);
  for (uint64_t i = 0; i < operations && !HasFailure(); ++i) {
    if (i % kKindsAreRenewedEvery == 0) traffic_.renew_kinds();
    SCOPED_TRACE("operation " + std::to_string(i));
    one_operation();
  }
  traffic_.renew_kinds();
  for (const api::ApiResource& row : traffic_.rows()) {
    if (serves(row, "list")) traffic_.read_everywhere(row);
  }
  std::cout << operations << " operations, " << traffic_.requests() << " requests, " << traffic_.rows().size()
            << " kinds and versions\n";
}

}  // namespace
}  // namespace basalt::tests
