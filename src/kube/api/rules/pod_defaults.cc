// What the schema's constant defaults leave to be computed in a PodSpec (declared in pod_template.h).
#include <algorithm>

#include "kube/api/rules/member_access.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

// A repository path that a registry would accept; with any other there is no tag to look at.
bool is_repository(std::string_view path) {
  bool gap = true;  // between two words, or at the start
  for (const char c : path) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!word && c != '.' && c != '_' && c != '-' && c != '/') return false;
    if (!word && gap && c != '-' && c != '_') return false;
    gap = !word;
  }
  return !gap;
}

// "host:5000/team/app:v1@sha256:…" without host and digest: "team/app:v1".
std::string_view without_host(std::string_view image) {
  const size_t slash = image.find('/');
  if (slash == std::string_view::npos) return image;
  const std::string_view host = image.substr(0, slash);
  const bool is_host = host == "localhost" || host.find_first_of(".:") != std::string_view::npos ||
                       std::ranges::any_of(host, [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_host ? image.substr(slash + 1) : image;
}

// The tag of an image reference decides: "latest", or none at all, is worth asking for again.
std::string_view pull_policy(std::string_view image) {
  const size_t digest = image.find('@');
  const std::string_view name = without_host(image.substr(0, digest));
  const size_t colon = name.rfind(':');
  if (!is_repository(name.substr(0, colon))) return "IfNotPresent";
  const bool latest =
      colon == std::string_view::npos ? digest == std::string_view::npos : name.substr(colon + 1) == "latest";
  return latest ? "Always" : "IfNotPresent";
}

// Nothing is counted finer than a thousandth; the canonical text of less ends in n or u.
void round_amounts(text::Object* list) {
  if (list == nullptr) return;
  for (auto& member : *list) {
    const std::string_view text = view_of(member.value());
    if (!text.ends_with('n') && !text.ends_with('u')) continue;
    const text::Quantity amount = amount_of(member.value());
    member.value() = text::Quantity::from_milli(amount.milli_value(), amount.format()).to_string();
  }
}

void complete_container(text::Object& container) {
  if (text::Object* resources = object_at(container, "resources")) {
    round_amounts(object_at(*resources, "limits"));
    round_amounts(object_at(*resources, "requests"));
  }
  if (string_at(container, "imagePullPolicy").empty()) {
    container["imagePullPolicy"] = pull_policy(string_at(container, "image"));
  }
}

void complete_pod_volume(text::Object& volume) {
  const bool sourceless = std::ranges::all_of(
      volume, [](const auto& member) { return member.key() == "name" || member.value().is_null(); });
  if (sourceless) volume["emptyDir"].emplace_object();
  text::Object* image = object_at(volume, "image");
  if (image != nullptr && string_at(*image, "pullPolicy").empty()) {
    (*image)["pullPolicy"] = pull_policy(string_at(*image, "reference"));
  }
}

void fill_host_ports(text::Object& container) {
  each_object(container, "ports", [](text::Object& port, size_t) {
    if (int_at(port, "hostPort").value_or(0) == 0) port["hostPort"] = int_at(port, "containerPort").value_or(0);
  });
}

// Pod-level limits without requests: the sum of the containers' requests, or else the limit itself.
void fill_pod_requests(text::Object& spec) {
  text::Object* resources = object_at(spec, "resources");
  const text::Object* limits = resources == nullptr ? nullptr : object_at(*resources, "limits");
  if (limits == nullptr || limits->empty()) return;
  const text::Object limits_copy = *limits;
  text::Object& requests = make_object(*resources, "requests");
  for (const std::string_view resource : {"cpu", "memory"}) {
    if (has(requests, resource)) continue;
    text::Quantity sum;
    bool asked = false;
    each_object(spec, "containers", [&](const text::Object& container, size_t) {
      const text::Object* own = object_at(container, "resources");
      const text::Object* list = own == nullptr ? nullptr : object_at(*own, "requests");
      const text::Value* amount = list == nullptr ? nullptr : list->if_contains(resource);
      if (amount == nullptr) return;
      asked = true;
      sum += amount_of(*amount);
    });
    if (asked) requests[resource] = sum.to_string();
  }
  for (const auto& member : limits_copy) {
    if (is_pod_level(member.key())) set_if_missing(requests, member.key(), member.value());
  }
}

}  // namespace

void complete_pod_spec(text::Object& spec, SpecOf owner) {
  // One setting under two names: the old one is kept in step.
  std::string account(string_at(spec, "serviceAccountName"));
  if (account.empty()) account = string_at(spec, "serviceAccount");
  if (!account.empty()) {
    spec["serviceAccountName"] = account;
    spec["serviceAccount"] = account;
  } else {
    spec.erase("serviceAccount");
  }
  each_object(spec, "volumes", [](text::Object& volume, size_t) { complete_pod_volume(volume); });
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    each_object(spec, list, [](text::Object& container, size_t) { complete_container(container); });
  }
  if (owner == SpecOf::Template) return;
  // A pod cannot be killed before it is asked to go.
  if (int_at(spec, "terminationGracePeriodSeconds").value_or(0) < 0) spec["terminationGracePeriodSeconds"] = 1;
  const bool host_network = is_true(spec, "hostNetwork");
  for (const std::string_view list : {"containers", "initContainers"}) {
    each_object(spec, list, [&](text::Object& container, size_t) {
      fill_requests_from_limits(container);
      if (host_network) fill_host_ports(container);
    });
  }
  fill_pod_requests(spec);
  set_if_missing(spec, "enableServiceLinks", true);
}

}  // namespace basalt::api::rules
