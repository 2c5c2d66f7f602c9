// A request and the objects it may look up, written in YAML, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "server/admission/webhooks.h"

namespace basalt::admission {

inline text::Object object_of(std::string_view yaml) {
  const auto parsed = text::parse_yaml(yaml);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed && parsed->value.is_object() ? parsed->value.get_object() : text::Object();
}

class AdmissionFixture {
 public:
  AdmissionFixture() {
    lookup_.queue = [this](std::string_view name) { return find(queues_, name); };
    lookup_.queues = [this] { return queues_; };
    lookup_.namespace_name = [this](std::string_view name) { return find(namespaces_, name); };
    lookup_.time_zone = [](std::string_view name) { return name == "Europe/Berlin"; };
    queue("{metadata: {name: default}, status: {state: Open}}");
  }
  AdmissionFixture(const AdmissionFixture&) = delete;
  AdmissionFixture& operator=(const AdmissionFixture&) = delete;

  void queue(std::string_view yaml) { queues_.push_back(std::make_shared<const text::Value>(object_of(yaml))); }
  void add_namespace(std::string_view yaml) {
    namespaces_.push_back(std::make_shared<const text::Value>(object_of(yaml)));
  }

  // The refusal; "" when allowed.
  std::string create(std::string_view path, const text::Object& object) {
    return review(path, WebhookOperation::Create, &object, nullptr);
  }
  std::string create(std::string_view path, std::string_view yaml) { return create(path, object_of(yaml)); }
  std::string update(std::string_view path, const text::Object& next, const text::Object& old) {
    return review(path, WebhookOperation::Update, &next, &old);
  }
  std::string update(std::string_view path, std::string_view next, std::string_view old) {
    return update(path, object_of(next), object_of(old));
  }
  std::string remove(std::string_view path, std::string_view name) {
    name_ = name;
    return review(path, WebhookOperation::Delete, nullptr, nullptr);
  }
  // The object as it is after mutation.
  text::Object mutated(std::string_view path, std::string_view yaml) {
    text::Object object = object_of(yaml);
    const WebhookResult verdict = mutate(path, object);
    EXPECT_TRUE(verdict) << verdict.error();
    return object;
  }
  WebhookResult mutate(std::string_view path, text::Object& object) {
    return call(webhook(path), request(WebhookOperation::Create, &object, nullptr), &object);
  }

  VolcanoAdmissionOptions options;

 private:
  static ObjectPtr find(const std::vector<ObjectPtr>& objects, std::string_view name) {
    const auto found =
        std::ranges::find_if(objects, [name](const ObjectPtr& one) { return api::name_of(one->get_object()) == name; });
    return found == objects.end() ? nullptr : *found;
  }
  static const Webhook& webhook(std::string_view path) {
    const auto found = std::ranges::find(webhooks(), path, &Webhook::path);
    EXPECT_NE(found, webhooks().end()) << path;
    return *found;
  }
  [[nodiscard]] AdmissionRequest request(WebhookOperation operation, const text::Object* object,
                                         const text::Object* old) const {
    return {.operation = operation,
            .name = name_,
            .namespace_name = "team",
            .object = object,
            .old = old,
            .lookup = lookup_,
            .options = options};
  }
  std::string review(std::string_view path, WebhookOperation operation, const text::Object* object,
                     const text::Object* old) {
    const WebhookResult verdict = call(webhook(path), request(operation, object, old), nullptr);
    return verdict ? "" : verdict.error();
  }

  std::string name_ = "x";
  std::vector<ObjectPtr> queues_, namespaces_;
  ObjectLookup lookup_;
};

}  // namespace basalt::admission
