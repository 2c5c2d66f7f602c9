#include "tests/types/all_kinds_fixture.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"
#include "server/bootstrap.h"
#include "server/rest/storage_conversion.h"

namespace basalt::types {
namespace {

// Every shape that a schema of a CRD can have.
constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shapes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shapes, singular: shape, kind: Shape, listKind: ShapeList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema: &whole
        type: object
        properties:
          spec:
            type: object
            properties:
              text: {type: string, default: fallback}
              date: {type: string, format: date-time}
              narrow: {type: integer, format: int32, default: 3}
              wide: {type: integer, format: int64}
              plain: {type: integer}
              number: {type: number, default: 1.5}
              truth: {type: boolean, default: true}
              maybe: {type: string, nullable: true}
              either: {x-kubernetes-int-or-string: true}
              words: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [number, protocol]
                items:
                  type: object
                  required: [number, protocol]
                  properties:
                    number: {type: integer, format: int32}
                    protocol: {type: string, default: TCP}
                    open: {type: boolean}
              matrix: {type: array, items: {type: array, items: {type: number}}}
              limits: {type: object, additionalProperties: {type: integer}}
              nested: {type: object, additionalProperties: {type: object, properties: {deep: {type: boolean}}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: integer}}}
              any: {x-kubernetes-preserve-unknown-fields: true}
              embedded:
                type: object
                x-kubernetes-embedded-resource: true
                x-kubernetes-preserve-unknown-fields: true
          status: {type: object, properties: {count: {type: integer}, phase: {type: string}}}
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: *whole}
)";

server::ApiServerOptions options() {
  server::ApiServerOptions options{.clock = [] { return Instant::from_unix_seconds(1'700'000'000); }, .seed = 1};
  options.admission.volcano = std::make_shared<const admission::VolcanoAdmissionOptions>();
  return options;
}

std::string key_of(const api::ApiResource& resource) {
  return (resource.namespaced ? std::string(kNamespace) + "/" : "") + std::string(kName);
}

}  // namespace

AllKindsFixture::AllKindsFixture()
    : store_(store::Store::in_memory()),
      api_(*store_, options()),
      client_(api_, {.name = "tester", .uid = "", .groups = {}}, "test") {
  const Result<void> begun = server::bootstrap(client_, {.queues = true});
  EXPECT_TRUE(begun) << begun.error().message;
  define_kind();
  kinds_ = api_.kinds();
  for (const api::ApiResource& resource : kinds_->rows()) {
    if (resource.verbs.size() != 1) store_object(resource);
  }
}

void AllKindsFixture::define_kind() {
  auto definition = text::parse_yaml(kDefinition);
  ASSERT_TRUE(definition) << definition.error().message;
  api::Call call{.verb = api::Verb::Create,
                 .resource = {.group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions"}};
  call.body = std::move(definition->value);
  const client::ReplyOrError outcome = send(std::move(call));
  ASSERT_TRUE(outcome) << outcome.error().message;
}

// Straight into the store: an object that says nothing would be refused at the doors of most kinds.
void AllKindsFixture::store_object(const api::ApiResource& resource) {
  if (store_->latest(resource.storage_name(), key_of(resource)) != nullptr) return;  // another version of it
  text::Object object{{"apiVersion", resource.api_version()}, {"kind", resource.kind}};
  text::Object metadata{{"name", kName}, {"uid", "u-" + resource.storage_name()}, {"generation", 1}};
  if (resource.namespaced) metadata["namespace"] = kNamespace;
  metadata["creationTimestamp"] = "2023-11-14T22:13:20Z";
  object["metadata"] = std::move(metadata);
  server::EncodedObject encoded = server::encode_for_store(resource, object);
  const auto written = store_->write({.address = {.resource = resource.storage_name(), .key = key_of(resource)},
                                      .bytes = std::move(encoded.bytes),
                                      .version_at = encoded.version_at},
                                     [](const auto&) {});
  ASSERT_TRUE(written) << written.error().message;
}

api::Call AllKindsFixture::call(const api::ApiResource& resource, api::Verb verb) {
  api::Call call{.verb = verb,
                 .resource = {.group = resource.group, .version = resource.version, .plural = resource.plural}};
  if (resource.namespaced) call.namespace_name = kNamespace;
  if (verb != api::Verb::Create) call.name = kName;
  call.field_manager = "test";
  return call;
}

text::Object AllKindsFixture::start(const api::ApiResource& resource, api::Verb verb) const {
  text::Object metadata{{"name", verb == api::Verb::Create ? std::string("new") : std::string(kName)}};
  if (verb == api::Verb::Update) {
    const store::RecordPtr record = store_->latest(resource.storage_name(), key_of(resource));
    metadata["resourceVersion"] = std::to_string(record == nullptr ? 0 : record->revision());
  }
  return {{"apiVersion", resource.api_version()}, {"kind", resource.kind}, {"metadata", std::move(metadata)}};
}

}  // namespace basalt::types
