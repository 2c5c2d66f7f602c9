#include "control/node/local/pod_run_spec.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

using api::int_at;
using api::string_at;

Duration seconds_at(const text::Object& object, std::string_view key, int64_t fallback) {
  return Duration::seconds(std::clamp<int64_t>(int_at(object, {key}, fallback), 0, kMaxPodSeconds));
}

template <class Visit>
void each_object(const text::Array* list, Visit&& visit) {
  if (list == nullptr) return;
  for (const text::Value& value : *list) {
    if (value.is_object()) visit(value.get_object());
  }
}

std::vector<std::string> words(const text::Array* list) {
  std::vector<std::string> words;
  if (list == nullptr) return words;
  for (const text::Value& value : *list) {
    if (value.is_string()) words.emplace_back(value.get_string());
  }
  return words;
}

uint16_t port_number(int64_t number) {
  return number > 0 && number <= UINT16_MAX ? static_cast<uint16_t>(number) : uint16_t{0};
}

uint16_t port_of(const text::Object& kind, const text::Object& container) {
  const text::Value* port = api::value_at(kind, {"port"});
  if (port == nullptr) return 0;
  if (port->is_int64()) return port_number(port->get_int64());
  if (!port->is_string()) return 0;
  uint16_t found = 0;
  each_object(api::array_at(container, {"ports"}), [&](const text::Object& one) {
    if (string_at(one, "name") == std::string_view(port->get_string())) {
      found = port_number(int_at(one, {"containerPort"}));
    }
  });
  return found;
}

std::optional<LifecycleHandler> read_handler(const text::Object* at, const text::Object& container) {
  if (at == nullptr) return std::nullopt;
  if (const text::Object* exec = api::object_at(*at, {"exec"})) {
    return LifecycleHandler{.kind = HandlerKind::Exec, .command = words(api::array_at(*exec, {"command"}))};
  }
  if (const text::Object* http = api::object_at(*at, {"httpGet"})) {
    LifecycleHandler handler{.kind = HandlerKind::Http, .command = {}, .host = std::string(string_at(*http, "host"))};
    handler.path = string_at(*http, "path");
    handler.port = port_of(*http, container);
    handler.tls = string_at(*http, "scheme") == "HTTPS";
    each_object(api::array_at(*http, {"httpHeaders"}), [&](const text::Object& header) {
      handler.headers.emplace_back(string_at(header, "name"), string_at(header, "value"));
    });
    return handler;
  }
  if (const text::Object* tcp = api::object_at(*at, {"tcpSocket"})) {
    return LifecycleHandler{.kind = HandlerKind::Tcp,
                            .command = {},
                            .host = std::string(string_at(*tcp, "host")),
                            .path = {},
                            .port = port_of(*tcp, container)};
  }
  if (api::object_at(*at, {"grpc"}) != nullptr) return LifecycleHandler{.kind = HandlerKind::Grpc, .command = {}};
  if (const text::Object* sleep = api::object_at(*at, {"sleep"})) {
    LifecycleHandler handler{.kind = HandlerKind::Sleep, .command = {}};
    handler.sleep = seconds_at(*sleep, "seconds", 0);
    return handler;
  }
  return std::nullopt;
}

std::optional<ProbeSpec> read_probe(const text::Object& container, std::string_view key) {
  const text::Object* at = api::object_at(container, {key});
  std::optional<LifecycleHandler> handler = read_handler(at, container);
  if (!handler) return std::nullopt;
  const auto at_least_one = [&](std::string_view field, int64_t fallback) {
    return std::max<int64_t>(1, int_at(*at, {field}, fallback));
  };
  ProbeSpec probe{.handler = std::move(*handler)};
  probe.initial_delay = seconds_at(*at, "initialDelaySeconds", 0);
  probe.period = std::max(Duration::seconds(1), seconds_at(*at, "periodSeconds", 10));
  probe.timeout = std::max(Duration::seconds(1), seconds_at(*at, "timeoutSeconds", 1));
  probe.successes = at_least_one("successThreshold", 1);
  probe.failures = at_least_one("failureThreshold", 3);
  if (api::value_at(*at, {"terminationGracePeriodSeconds"}) != nullptr) {
    probe.grace = seconds_at(*at, "terminationGracePeriodSeconds", 0);
  }
  return probe;
}

// The names that lifecycle.stopSignal knows, but for the real-time ones.
int signal_called(std::string_view name) {
  struct Named {
    std::string_view name;
    int number;
  };
  static constexpr std::array<Named, 13> kNamed = {{{"SIGHUP", SIGHUP},
                                                    {"SIGINT", SIGINT},
                                                    {"SIGQUIT", SIGQUIT},
                                                    {"SIGABRT", SIGABRT},
                                                    {"SIGKILL", SIGKILL},
                                                    {"SIGUSR1", SIGUSR1},
                                                    {"SIGUSR2", SIGUSR2},
                                                    {"SIGPIPE", SIGPIPE},
                                                    {"SIGALRM", SIGALRM},
                                                    {"SIGTERM", SIGTERM},
                                                    {"SIGCONT", SIGCONT},
                                                    {"SIGWINCH", SIGWINCH},
                                                    {"SIGPWR", SIGPWR}}};
  const auto at = std::ranges::find(kNamed, name, &Named::name);
  return at == kNamed.end() ? SIGTERM : at->number;
}

std::vector<RestartRule> read_rules(const text::Object& container) {
  std::vector<RestartRule> rules;
  each_object(api::array_at(container, {"restartPolicyRules"}), [&](const text::Object& one) {
    const text::Object* codes = api::object_at(one, {"exitCodes"});
    if (codes == nullptr || string_at(one, "action") != "Restart") return;
    RestartRule rule{.not_in = string_at(*codes, "operator") == "NotIn", .codes = {}};
    if (const text::Array* values = api::array_at(*codes, {"values"})) {
      for (const text::Value& value : *values) {
        if (value.is_int64()) rule.codes.push_back(value.get_int64());
      }
    }
    rules.push_back(std::move(rule));
  });
  return rules;
}

ContainerRunSpec read_container(const text::Object& at, ContainerRole role, RestartPolicy pod_policy) {
  ContainerRunSpec spec{.name = std::string(string_at(at, "name")), .image = std::string(string_at(at, "image"))};
  const std::string_view own = string_at(at, "restartPolicy");
  spec.role = role == ContainerRole::Init && own == "Always" ? ContainerRole::Sidecar : role;
  spec.restart = own.empty() ? pod_policy : parse_restart_policy(own);
  spec.rules = read_rules(at);
  spec.post_start = read_handler(api::object_at(at, {"lifecycle", "postStart"}), at);
  spec.pre_stop = read_handler(api::object_at(at, {"lifecycle", "preStop"}), at);
  spec.stop_signal = signal_called(string_at(at, {"lifecycle", "stopSignal"}));
  spec.startup = read_probe(at, "startupProbe");
  spec.liveness = read_probe(at, "livenessProbe");
  spec.readiness = read_probe(at, "readinessProbe");
  return spec;
}

}  // namespace

std::string_view to_text(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::Startup:
      return "Startup";
    case ProbeKind::Liveness:
      return "Liveness";
    case ProbeKind::Readiness:
      return "Readiness";
  }
  return "";
}

bool ContainerRunSpec::may_run_again(int64_t exit_code) const {
  if (role == ContainerRole::Init && exit_code == 0) return false;
  for (const RestartRule& rule : rules) {
    if ((std::ranges::find(rule.codes, exit_code) != rule.codes.end()) != rule.not_in) return true;
  }
  return may_restart(restart, exit_code);
}

const std::optional<ProbeSpec>& ContainerRunSpec::probe(ProbeKind kind) const {
  return kind == ProbeKind::Startup ? startup : kind == ProbeKind::Liveness ? liveness : readiness;
}

PodRunSpec read_pod_spec(const text::Object& pod) {
  PodRunSpec spec{.namespace_name = std::string(api::namespace_of(pod)),
                  .name = std::string(api::name_of(pod)),
                  .uid = std::string(string_at(pod, {"metadata", "uid"})),
                  .containers = {}};
  const text::Object* at = api::object_at(pod, {"spec"});
  if (at == nullptr) return spec;
  spec.restart = parse_restart_policy(string_at(*at, "restartPolicy"));
  const auto read_all = [&](std::string_view key, ContainerRole role) {
    each_object(api::array_at(*at, {key}), [&](const text::Object& one) {
      if (spec.containers.size() < kMaxContainers) spec.containers.push_back(read_container(one, role, spec.restart));
    });
  };
  read_all("initContainers", ContainerRole::Init);
  spec.inits = spec.containers.size();
  read_all("containers", ContainerRole::Main);
  spec.grace = seconds_at(*at, "terminationGracePeriodSeconds", 30);
  if (api::value_at(*at, {"activeDeadlineSeconds"}) != nullptr) {
    spec.active_deadline = seconds_at(*at, "activeDeadlineSeconds", 0);
  }
  each_object(api::array_at(*at, {"readinessGates"}),
              [&](const text::Object& gate) { spec.readiness_gates.emplace_back(string_at(gate, "conditionType")); });
  return spec;
}

std::optional<size_t> find_container(const PodRunSpec& pod, std::string_view name) {
  const auto at = std::ranges::find(pod.containers, name, &ContainerRunSpec::name);
  if (at == pod.containers.end()) return std::nullopt;
  return static_cast<size_t>(at - pod.containers.begin());
}

const text::Object* container_object(const text::Object& pod, std::string_view name) {
  const text::Object* found = nullptr;
  for (const std::string_view key : {"initContainers", "containers"}) {
    each_object(api::array_at(pod, {"spec", key}), [&](const text::Object& one) {
      if (found == nullptr && string_at(one, "name") == name) found = &one;
    });
  }
  return found;
}

}  // namespace basalt::node
