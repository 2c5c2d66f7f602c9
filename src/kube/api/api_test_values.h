// What the tests of this folder share: objects from JSON text, and text in quantity.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kube/text/text_test_values.h"

namespace basalt::api {

using text::json;

// Empty, and a failed test, when it is no JSON object.
inline text::Object object_of(std::string_view text) {
  text::Value value = json(text);
  EXPECT_TRUE(value.is_object()) << text;
  return value.is_object() ? std::move(value.get_object()) : text::Object();
}

inline text::Object& spec_of(text::Object& object) { return object["spec"].as_object(); }

inline std::string repeated(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace basalt::api
