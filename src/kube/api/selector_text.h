// Label and field selectors as a request writes them: `app=web,tier in (a, b),!canary` · `spec.nodeName!=n1`.
//
// Both are immutable once parsed and match without allocating. Syntax and rules for keys and values are Kubernetes'.
// Bounds: kMaxSelectorBytes of text, kMaxSelectorTerms terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/api/api_error.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr size_t kMaxSelectorBytes = size_t{64} * 1024;
inline constexpr size_t kMaxSelectorTerms = 1024;

enum class LabelOperator : uint8_t { Equals, NotEquals, In, NotIn, Exists, DoesNotExist, GreaterThan, LessThan };

struct LabelTerm {
  std::string key;
  LabelOperator op = LabelOperator::Exists;
  std::vector<std::string>
      values;  // sorted, without duplicates; Equals … LessThan: one (Equals and NotEquals: of "" too)
};

// All terms must hold; without terms everything matches.
class LabelQuery {
 public:
  // "" matches everything.
  [[nodiscard]] static Result<LabelQuery> parse(std::string_view text);
  // A LabelSelector object (matchLabels, matchExpressions); an empty one matches everything. `selector` that is null or
  // absent is the caller's business: what it means differs by field. What is wrong goes to `causes` below `path`; the
  // answer then matches nothing.
  [[nodiscard]] static LabelQuery from_selector(const text::Value& selector, const std::string& path, Causes& causes);
  [[nodiscard]] static LabelQuery nothing();

  // By metadata.labels of a whole object / by a map of labels (null or not an object: no labels).
  [[nodiscard]] bool matches(const text::Value& object) const;
  [[nodiscard]] bool matches_labels(const text::Value* labels) const;
  // By a way to find the value of a label.
  using FindLabel = std::function<std::optional<std::string_view>(std::string_view key)>;
  [[nodiscard]] bool matches_found(const FindLabel& find) const;
  [[nodiscard]] bool matches_everything() const { return terms_.empty() && !nothing_; }
  [[nodiscard]] const std::vector<LabelTerm>& terms() const { return terms_; }

 private:
  std::vector<LabelTerm> terms_;  // sorted by key
  bool nothing_ = false;
};

struct FieldTerm {
  std::string field;  // "metadata.name"
  bool equal = true;  // false: !=
  std::string value;
  // Where the value stands, by default at the path `field`; the second path is for when there is none at the first.
  std::string path, other_path;
  std::string zero;  // how an absent value reads
};

class FieldQuery {
 public:
  [[nodiscard]] static Result<FieldQuery> parse(std::string_view text);

  // Fields are looked up by their path; one that is absent is "". Numbers and booleans are compared as text.
  [[nodiscard]] bool matches(const text::Value& object) const;
  [[nodiscard]] bool matches_everything() const { return terms_.empty(); }
  [[nodiscard]] const std::vector<FieldTerm>& terms() const { return terms_; }
  // The value that `field` must have, or nullptr: finds one object by metadata.name without a scan.
  [[nodiscard]] const std::string* required_value(std::string_view field) const;
  // Some kinds call a field by another name, or read an absent one as false or 0.
  void read_as(std::string_view field, std::string_view path, std::string_view other_path, std::string_view zero);

 private:
  std::vector<FieldTerm> terms_;
};

}  // namespace basalt::api
