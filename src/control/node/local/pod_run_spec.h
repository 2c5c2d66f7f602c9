// What a pod's spec asks of the machine that runs it, read once into plain data. Pure.
//
// Reading never fails: the API server has checked the object, and what is absent or of another type reads as its
// default, as a kubelet would have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "control/node/pod_status.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr int64_t kMaxPodSeconds = 1'000'000'000;  // longer delays, graces and deadlines are cut to this

enum class HandlerKind : uint8_t { Exec, Http, Tcp, Grpc, Sleep };

// What a hook or a probe does.
struct LifecycleHandler {
  HandlerKind kind = HandlerKind::Exec;
  std::vector<std::string> command;  // Exec
  std::string host, path;            // Http, Tcp; host "": the pod's address
  uint16_t port = 0;                 // by number; a name is looked up in the container's ports. 0: there is none such
  bool tls = false;                  // scheme HTTPS
  std::vector<std::pair<std::string, std::string>> headers;
  Duration sleep{};  // Sleep
};

enum class ProbeKind : uint8_t { Startup, Liveness, Readiness };
[[nodiscard]] std::string_view to_text(ProbeKind kind);  // "Startup", …

struct ProbeSpec {
  LifecycleHandler handler;
  Duration initial_delay{}, period = Duration::seconds(10), timeout = Duration::seconds(1);
  int64_t successes = 1, failures = 3;  // in a row, that change the verdict
  std::optional<Duration> grace;        // of the stop that it causes; nothing: the pod's
};

// A rule of a container's own restart policy: these exit codes restart it.
struct RestartRule {
  bool not_in = false;
  std::vector<int64_t> codes;
};

enum class ContainerRole : uint8_t { Init, Sidecar, Main };

struct ContainerRunSpec {
  std::string name, image;
  ContainerRole role = ContainerRole::Main;
  RestartPolicy restart = RestartPolicy::Always;  // its own, or the pod's
  std::vector<RestartRule> rules;                 // looked at first
  std::optional<LifecycleHandler> post_start, pre_stop;
  int stop_signal = 15;
  std::optional<ProbeSpec> startup, liveness, readiness;

  // Whether it may run again after it ended so. An init container that succeeded does not.
  [[nodiscard]] bool may_run_again(int64_t exit_code) const;
  [[nodiscard]] const std::optional<ProbeSpec>& probe(ProbeKind kind) const;
};

struct PodRunSpec {
  std::string namespace_name, name, uid;
  std::vector<ContainerRunSpec> containers;  // init containers in their order, then the others; names differ
  size_t inits = 0;                          // so many of them are init containers
  RestartPolicy restart = RestartPolicy::Always;
  Duration grace = Duration::seconds(30);
  std::optional<Duration> active_deadline;
  std::vector<std::string> readiness_gates;  // types of conditions
};

// Cost: O(object). At most kMaxContainers containers are read.
[[nodiscard]] PodRunSpec read_pod_spec(const text::Object& object);

// The index of the container of this name; nothing: there is none.
[[nodiscard]] std::optional<size_t> find_container(const PodRunSpec& pod, std::string_view name);

// The container's object in the pod, as the API server has it; nullptr: not there.
[[nodiscard]] const text::Object* container_object(const text::Object& pod, std::string_view name);

}  // namespace basalt::node
