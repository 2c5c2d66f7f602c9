#include "tests/traffic/samples.h"

#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "kube/text/read_file.h"
#include "kube/text/yaml.h"

namespace basalt::tests {
namespace {

constexpr std::string_view kFile = "tests/traffic/samples.yaml";

void replace_all(text::Value& value, std::string_view word, std::string_view by) {
  if (text::Object* object = value.if_object()) {
    for (auto& member : *object) replace_all(member.value(), word, by);
  } else if (text::Array* array = value.if_array()) {
    for (text::Value& element : *array) replace_all(element, word, by);
  } else if (const auto* string = value.if_string()) {
    std::string text(*string);
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
      text.replace(at, word.size(), by);
    }
    value = text;
  }
}

}  // namespace

Samples::Samples() {
  const auto file = text::read_file(std::string(kFile));
  const auto documents = file ? text::parse_yaml_stream(*file) : std::unexpected(file.error());
  EXPECT_TRUE(documents) << documents.error().message;
  if (!documents) return;
  for (const text::Document& document : *documents) {
    const text::Object& object = document.value.get_object();
    const std::string version(api::string_at(object, "apiVersion"));
    const size_t slash = version.find('/');
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    EXPECT_TRUE(by_kind_.try_emplace({group, std::string(api::string_at(object, "kind"))}, document.value).second);
  }
}

const text::Value* Samples::find(const api::ApiResource& resource) const {
  const auto found = by_kind_.find({resource.group, resource.kind});
  return found == by_kind_.end() ? nullptr : &found->second;
}

bool Samples::has(const api::ApiResource& resource) const { return find(resource) != nullptr; }

text::Value Samples::make(const api::ApiResource& resource, std::string_view ns, std::string_view name) const {
  const text::Value* sample = find(resource);
  text::Value made =
      sample != nullptr
          ? *sample
          : text::Value(
                text::Object{{"kind", resource.kind},
                             {"metadata", text::Object{{"name", "NAME"}, {"labels", text::Object{{"traffic", "yes"}}}}},
                             {"spec", text::Object{}}});
  made.get_object()["apiVersion"] = resource.api_version();
  replace_all(made, "NAME", name);
  replace_all(made, "SPACE", ns);
  return made;
}

std::string stored_name(const api::ApiResource& resource, std::string_view name) {
  return resource.plural == "customresourcedefinitions" ? std::string(name) + ".traffic.test" : std::string(name);
}

bool contains(const text::Value& whole, const text::Value& part) {
  if (const text::Object* members = part.if_object()) {
    for (const auto& member : *members) {
      const text::Value* there = text::find_member(whole, member.key());
      if (there == nullptr || !contains(*there, member.value())) return false;
    }
    return whole.is_object();
  }
  if (const text::Array* elements = part.if_array()) {
    const text::Array* there = whole.if_array();
    if (there == nullptr || there->size() != elements->size()) return false;
    for (size_t i = 0; i < elements->size(); ++i) {
      if (!contains((*there)[i], (*elements)[i])) return false;
    }
    return true;
  }
  return whole == part;
}

}  // namespace basalt::tests
