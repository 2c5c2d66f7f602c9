#include <array>
#include <set>

#include "kube/api/rules/pod_spec_checks.h"

namespace basalt::api::rules {
namespace {

constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32U;

constexpr std::array<std::string_view, 6> kProjectedSources = {
    "secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"};

void check_token(const text::Object& token, const FieldPath& at, const FieldPath& volume, Causes& causes) {
  const auto seconds = int_at(token, "expirationSeconds");
  if (seconds && *seconds < kMinTokenSeconds) {
    causes.invalid(at.key("expirationSeconds").text(), *seconds, "may not specify a duration less than 10 minutes");
  }
  if (seconds && *seconds > kMaxTokenSeconds) {
    causes.invalid(at.key("expirationSeconds").text(), *seconds, "may not specify a duration larger than 2^32 seconds");
  }
  const std::string_view path = string_at(token, "path");
  if (path.empty()) {
    causes.required(volume.key("path").text());
  } else {
    check_relative_path(path, volume.key("path"), causes);
  }
}

void check_path_is_new(std::string_view path, std::set<std::string_view>& paths, const FieldPath& volume,
                       Causes& causes) {
  if (path.empty() || paths.insert(path).second) return;
  causes.invalid(volume.text(), text_value(path), "conflicting duplicate paths");
}

void check_source(std::string_view name, const text::Object& source, const FieldPath& at, const FieldPath& volume,
                  std::set<std::string_view>& paths, Causes& causes) {
  if (name == "secret" || name == "configMap") check_given(source, "name", at, causes);
  if (name == "serviceAccountToken") {
    check_token(source, at, volume, causes);
    return;
  }
  if (name == "clusterTrustBundle") {
    if (has(source, "name") == has(source, "signerName")) {
      causes.required(at.text(), "exactly one of name and signerName must be used");
    }
    check_given(source, "path", at, causes);
    return;
  }
  const FieldPath items = at.key("items");
  each_object(source, "items", [&](const text::Object& item, size_t i) {
    if (name == "downwardAPI") {
      check_downward_file(item, at, causes);
    } else {
      check_key_to_path(item, items.at(i), causes);
    }
    check_path_is_new(string_at(item, "path"), paths, volume, causes);
  });
}

}  // namespace

void check_projected(const text::Object& projected, const FieldPath& at, Causes& causes) {
  check_file_mode(projected, "defaultMode", at, causes);
  std::set<std::string_view> paths;
  const FieldPath list = at.key("sources");
  each_object(projected, "sources", [&](const text::Object& source, size_t i) {
    const FieldPath here = list.at(i);
    int count = 0;
    for (const std::string_view name : kProjectedSources) {
      const text::Object* one = object_at(source, name);
      if (one == nullptr) continue;
      ++count;
      check_source(name, *one, here.key(name), at, paths, causes);
    }
    if (count > 1) causes.forbidden(here.text(), "may not specify more than 1 volume type");
  });
}

}  // namespace basalt::api::rules
