#include <fmt/format.h>

#include <algorithm>

#include "kube/api/rules/pod_spec_checks.h"

namespace basalt::api::rules {
namespace {

void check_http_get(const text::Object& get, const FieldPath& at, Causes& causes) {
  check_given(get, "path", at, causes);
  check_port_or_name(get, "port", at, causes);
  check_word(get, "scheme", {"HTTP", "HTTPS"}, Need::Required, at, causes);
  each_object(get, "httpHeaders", [&](const text::Object& header, size_t) {
    const std::string_view name = string_at(header, "name");
    const auto fine = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    };
    if (name.empty() || !std::ranges::all_of(name, fine)) {
      causes.invalid(at.key("httpHeaders").text(), text_value(name),
                     "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex "
                     "used for validation is '[-A-Za-z0-9]+')");
    }
  });
}

// exec, httpGet, tcpSocket, grpc, sleep: exactly one.
void check_action(const text::Object& action, int64_t grace_seconds, const FieldPath& at, Causes& causes) {
  int actions = 0;
  for (const std::string_view name : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const text::Object* one = object_at(action, name);
    if (one == nullptr) continue;
    const FieldPath here = at.key(name);
    if (++actions > 1) {
      causes.forbidden(here.text(), "may not specify more than 1 handler type");
      continue;
    }
    if (name == "exec" && length_at(*one, "command") == 0) causes.required(here.key("command").text());
    if (name == "httpGet") check_http_get(*one, here, causes);
    if (name == "tcpSocket" || name == "grpc") check_port_or_name(*one, "port", here, causes);
    if (name == "sleep") {
      const int64_t seconds = int_at(*one, "seconds").value_or(0);
      if (seconds < 0 || seconds > grace_seconds) {
        causes.invalid(
            here.text(), seconds,
            fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})", grace_seconds));
      }
    }
  }
  if (actions == 0) causes.required(at.text(), "must specify a handler type");
}

}  // namespace

void check_probes(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes) {
  for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const text::Object* probe = object_at(container, name);
    if (probe == nullptr) continue;
    const FieldPath here = at.key(name);
    check_action(*probe, pod.grace_seconds, here, causes);
    for (const std::string_view number :
         {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
      check_not_negative(*probe, number, here, causes);
    }
    const auto grace = int_at(*probe, "terminationGracePeriodSeconds");
    if (grace && *grace <= 0) {
      causes.invalid(here.key("terminationGracePeriodSeconds").text(), *grace, "must be greater than 0");
    }
    if (name == "readinessProbe") {
      if (grace) {
        causes.invalid(here.key("terminationGracePeriodSeconds").text(), *grace, "must not be set for readinessProbes");
      }
    } else if (const int64_t successes = int_at(*probe, "successThreshold").value_or(1); successes != 1) {
      causes.invalid(here.key("successThreshold").text(), successes, "must be 1");
    }
  }
}

void check_lifecycle(const text::Object& lifecycle, const PodContext& pod, const FieldPath& at, Causes& causes) {
  for (const std::string_view name : {"postStart", "preStop"}) {
    const text::Object* action = object_at(lifecycle, name);
    if (action != nullptr) check_action(*action, pod.grace_seconds, at.key(name), causes);
  }
  if (has(lifecycle, "stopSignal") && !pod.has_os) {
    causes.forbidden(at.key("stopSignal").text(), "may not be set for containers with empty `spec.os.name`");
  }
}

}  // namespace basalt::api::rules
