// Reads a document as Go would read it into a struct and write it back: the built-in half of normalize.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/schema/fill_budget.h"
#include "kube/api/schema/schema.h"
#include "kube/api/schema/value_path.h"
#include "kube/text/json.h"

namespace basalt::api {

class StructReader {
 public:
  // `unknown` receives the paths of dropped fields and outlives the reader.
  explicit StructReader(std::vector<std::string>& unknown) : unknown_(unknown) {}

  // Brings `value`, which is not null, into the stored form. False: error() says what is wrong; the value is then
  // partly changed. `depth` counts the levels above it.
  [[nodiscard]] bool read(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth);
  // Whether read() would take it, without a change or a copy of more than a scalar. Of JSONSchemaProps, only what the
  // graph of types says.
  [[nodiscard]] bool can_read(const Schema& schema, const text::Value& value, const ValuePath& at, size_t depth);
  [[nodiscard]] bool can_read(const Schema& schema, const text::Object& object, const ValuePath& at, size_t depth);
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool too_large() const { return too_large_; }  // the error is that of kMaxFilledBytes

  void report_unknown(const ValuePath& at, std::string_view key);
  bool fail(const ValuePath& at, const text::Value& value, std::string_view type);  // always false
  bool fail_with(const ValuePath& at, std::string_view why);                        // always false

 private:
  bool read_object(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth);
  bool read_nested_schema(const Schema& owner, std::string_view key, text::Value& value, const ValuePath& at,
                          size_t depth);
  bool read_map(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth);
  bool read_list(const Schema& schema, text::Value& value, const ValuePath& at, size_t depth);
  bool grow(const ValuePath& at, size_t bytes);
  bool read_number(const Schema& schema, text::Value& value, const ValuePath& at);

  std::vector<std::string>& unknown_;
  std::string error_;
  FillBudget growth_;
  bool too_large_ = false;
};

// What Go writes for a field that was never set: "" 0 false, {} with its own such fields, null for lists, maps, times.
[[nodiscard]] text::Value zero_value(const Schema& schema, size_t depth = 0);

}  // namespace basalt::api
