// Objects for tests, from JSON or YAML text. Tests of other layers name what they need: `using text::object_of;`.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>

#include "kube/text/json.h"
#include "kube/text/yaml.h"

namespace basalt::text {

// Null, and a failed test, when it is no JSON.
inline Value json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.has_value()) << text << (value ? "" : ": " + value.error().message);
  return value ? *std::move(value) : Value();
}

// Null, and a failed test, when it is no YAML.
inline Value yaml(std::string_view text) {
  auto document = parse_yaml(text);
  EXPECT_TRUE(document.has_value()) << text << (document ? "" : ": " + document.error().message);
  return document ? std::move(document->value) : Value();
}

// From JSON, or else from YAML. Empty, and a failed test, when it is no object.
inline Object object_of(std::string_view text) {
  auto as_json = parse_json(text);
  Value value = as_json ? *std::move(as_json) : yaml(text);
  EXPECT_TRUE(value.is_object()) << text;
  return value.is_object() ? std::move(value.get_object()) : Object();
}

// As informers and clients hand it out; any value.
inline ObjectPtr parsed(std::string_view text) { return std::make_shared<const Value>(json(text)); }

}  // namespace basalt::text
