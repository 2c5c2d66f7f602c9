#include "control/node/local/pod_run_spec.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <csignal>

#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

Duration seconds_of(int64_t seconds) { return Duration::seconds(std::clamp<int64_t>(seconds, 0, kMaxPodSeconds)); }

uint16_t port_number(int64_t number) {
  return number > 0 && number <= UINT16_MAX ? static_cast<uint16_t>(number) : uint16_t{0};
}

uint16_t port_of(const text::Value* port, api::ContainerView container) {
  if (port == nullptr) return 0;
  if (port->is_int64()) return port_number(port->get_int64());
  if (!port->is_string()) return 0;
  uint16_t found = 0;
  for (const api::ContainerPortView one : container.ports()) {
    if (one.name() == std::string_view(port->get_string())) found = port_number(one.container_port());
  }
  return found;
}

// What hooks and probes have in common.
template <std::derived_from<api::View> At>
std::optional<LifecycleHandler> read_action(At at, api::ContainerView container) {
  if (const api::ExecActionView exec = at.exec()) {
    LifecycleHandler handler{.kind = HandlerKind::Exec, .command = {}};
    for (const std::string_view word : exec.command()) handler.command.emplace_back(word);
    return handler;
  }
  if (const api::HTTPGetActionView http = at.http_get()) {
    LifecycleHandler handler{.kind = HandlerKind::Http, .command = {}, .host = std::string(http.host())};
    handler.path = http.path();
    handler.port = port_of(http.port(), container);
    handler.tls = http.scheme() == "HTTPS";
    for (const api::HTTPHeaderView header : http.http_headers()) {
      handler.headers.emplace_back(header.name(), header.value());
    }
    return handler;
  }
  if (const api::TCPSocketActionView tcp = at.tcp_socket()) {
    return LifecycleHandler{.kind = HandlerKind::Tcp,
                            .command = {},
                            .host = std::string(tcp.host()),
                            .path = {},
                            .port = port_of(tcp.port(), container)};
  }
  return std::nullopt;
}

std::optional<LifecycleHandler> read_hook(api::LifecycleHandlerView at, api::ContainerView container) {
  if (auto action = read_action(at, container)) return action;
  if (!at.sleep()) return std::nullopt;
  LifecycleHandler handler{.kind = HandlerKind::Sleep, .command = {}};
  handler.sleep = seconds_of(at.sleep().seconds());
  return handler;
}

std::optional<ProbeSpec> read_probe(api::ProbeView at, api::ContainerView container) {
  std::optional<LifecycleHandler> handler = read_action(at, container);
  if (!handler && at.grpc()) handler = LifecycleHandler{.kind = HandlerKind::Grpc, .command = {}};
  if (!handler) return std::nullopt;
  ProbeSpec probe{.handler = std::move(*handler)};
  probe.initial_delay = seconds_of(at.initial_delay_seconds());
  probe.period = std::max(Duration::seconds(1), seconds_of(at.period_seconds(10)));
  probe.timeout = std::max(Duration::seconds(1), seconds_of(at.timeout_seconds(1)));
  probe.successes = std::max<int64_t>(1, at.success_threshold(1));
  probe.failures = std::max<int64_t>(1, at.failure_threshold(3));
  if (const auto grace = at.termination_grace_period_seconds()) probe.grace = seconds_of(*grace);
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

std::vector<RestartRule> read_rules(api::ContainerView container) {
  std::vector<RestartRule> rules;
  for (const api::ContainerRestartRuleView one : container.restart_policy_rules()) {
    const api::ContainerRestartRuleOnExitCodesView codes = one.exit_codes();
    if (!codes || one.action() != "Restart") continue;
    RestartRule rule{.not_in = codes.op() == "NotIn", .codes = {}};
    for (const int64_t code : codes.values()) rule.codes.push_back(code);
    rules.push_back(std::move(rule));
  }
  return rules;
}

ContainerRunSpec read_container(api::ContainerView at, ContainerRole role, RestartPolicy pod_policy) {
  ContainerRunSpec spec{.name = std::string(at.name()), .image = std::string(at.image())};
  const std::string_view own = at.restart_policy();
  spec.role = role == ContainerRole::Init && own == "Always" ? ContainerRole::Sidecar : role;
  spec.restart = own.empty() ? pod_policy : parse_restart_policy(own);
  spec.rules = read_rules(at);
  spec.post_start = read_hook(at.lifecycle().post_start(), at);
  spec.pre_stop = read_hook(at.lifecycle().pre_stop(), at);
  spec.stop_signal = signal_called(at.lifecycle().stop_signal());
  spec.startup = read_probe(at.startup_probe(), at);
  spec.liveness = read_probe(at.liveness_probe(), at);
  spec.readiness = read_probe(at.readiness_probe(), at);
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

PodRunSpec read_pod_spec(const text::Object& object) {
  const api::PodView pod(object);
  const api::PodSpecView at = pod.spec();
  PodRunSpec spec{.namespace_name = std::string(pod.metadata().namespace_name()),
                  .name = std::string(pod.metadata().name()),
                  .uid = std::string(pod.metadata().uid()),
                  .containers = {},
                  .restart = parse_restart_policy(at.restart_policy())};
  const auto read_all = [&](api::ListView<api::ContainerView> containers, ContainerRole role) {
    for (const api::ContainerView one : containers) {
      if (spec.containers.size() < kMaxContainers) spec.containers.push_back(read_container(one, role, spec.restart));
    }
  };
  read_all(at.init_containers(), ContainerRole::Init);
  spec.inits = spec.containers.size();
  read_all(at.containers(), ContainerRole::Main);
  spec.grace = seconds_of(at.termination_grace_period_seconds().value_or(30));
  if (const auto deadline = at.active_deadline_seconds()) spec.active_deadline = seconds_of(*deadline);
  for (const api::PodReadinessGateView gate : at.readiness_gates()) {
    spec.readiness_gates.emplace_back(gate.condition_type());
  }
  return spec;
}

std::optional<size_t> find_container(const PodRunSpec& pod, std::string_view name) {
  const auto at = std::ranges::find(pod.containers, name, &ContainerRunSpec::name);
  if (at == pod.containers.end()) return std::nullopt;
  return static_cast<size_t>(at - pod.containers.begin());
}

const text::Object* container_object(const text::Object& pod, std::string_view name) {
  const api::PodSpecView spec = api::PodView(pod).spec();
  for (const auto& containers : {spec.init_containers(), spec.containers()}) {
    for (const api::ContainerView one : containers) {
      if (one.name() == name) return one.json();
    }
  }
  return nullptr;
}

}  // namespace basalt::node
