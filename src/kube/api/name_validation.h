// What names, keys and label values may look like, and the rules of metadata that hold for every kind.
//
// The checks answer what is wrong, in Kubernetes' words; an empty list means fine (and costs no allocation).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "kube/api/api_error.h"
#include "kube/api/kind_rules.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr size_t kMaxLabelBytes = 63;       // of a DNS label, a label value, the name part of a key
inline constexpr size_t kMaxSubdomainBytes = 253;  // of a DNS name
inline constexpr size_t kMaxAnnotationBytes = size_t{256} * 1024;
inline constexpr size_t kMaxGeneratedBase = 58;  // of generateName; five random characters follow
inline constexpr size_t kRandomNameBytes = 5;

using ValidationMessages = std::vector<std::string>;

[[nodiscard]] ValidationMessages dns1123_label(std::string_view name);
[[nodiscard]] ValidationMessages dns1123_subdomain(std::string_view name);
[[nodiscard]] ValidationMessages dns1035_label(std::string_view name);
[[nodiscard]] ValidationMessages path_segment(std::string_view name);
[[nodiscard]] ValidationMessages qualified_name(std::string_view key);  // "name" or "dns.prefix/name"
[[nodiscard]] ValidationMessages label_value(std::string_view value);
[[nodiscard]] ValidationMessages config_key(std::string_view key);  // of ConfigMap and Secret
[[nodiscard]] ValidationMessages env_name(std::string_view name);
[[nodiscard]] ValidationMessages port_name(std::string_view name);
[[nodiscard]] ValidationMessages port_number(int64_t port);
[[nodiscard]] bool is_c_identifier(std::string_view name);
[[nodiscard]] bool is_percent(std::string_view text);  // "25%"

// `prefix`: it is a generateName, which may end in '-'.
[[nodiscard]] ValidationMessages object_name(NameRule rule, std::string_view name, bool prefix = false);

// `base` cut to kMaxGeneratedBase and five characters of Kubernetes' alphabet. Nobody promises that it is free.
[[nodiscard]] std::string generate_name(std::string_view base, Rng& rng);

// metadata of a new object, after its name was generated and its namespace set.
void validate_metadata(const text::Object& metadata, bool namespaced, NameRule rule, Causes& causes);
// metadata of an update, after the server put uid, creationTimestamp and deletion fields back where the client left
// them out. Labels, annotations and owners of `next` are checked for their form, and all of it against `old` for what
// never changes. resourceVersion is the caller's business.
void validate_metadata_update(const text::Object& next, const text::Object& old, Causes& causes);

// Built-in kinds only (objects of a CRD may use bare names): a finalizer is a standard one or has a domain.
void validate_builtin_finalizers(const text::Object& metadata, Causes& causes);

// The maps and selectors that many kinds have. `path` names them in messages.
void validate_labels(const text::Object& labels, std::string_view path, Causes& causes);
void validate_annotations(const text::Object& annotations, std::string_view path, Causes& causes);

}  // namespace basalt::api
