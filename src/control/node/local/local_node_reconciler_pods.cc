// The turns of pods, and what follows from all of them: names and services.
#include <algorithm>
#include <utility>

#include "control/loop/api_writes.h"
#include "control/node/local/listener_conflicts.h"
#include "control/node/local/local_node_reconciler.h"
#include "control/node/local/security_context.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

using loop::WritePlan;

text::Object regarding(const PodRunSpec& pod, const PodEventNote& note) {
  text::Object about{
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"namespace", pod.namespace_name}, {"name", pod.name}, {"uid", pod.uid}};
  if (note.container < pod.containers.size()) {
    about["fieldPath"] = (note.container < pod.inits ? "spec.initContainers{" : "spec.containers{") +
                         pod.containers[note.container].name + "}";
  }
  return about;
}

int64_t gpus_of(api::ContainerView container) {
  const text::Value* value = container.resources().limits()[kGpuResource];
  return value == nullptr ? 0 : std::max<int64_t>(0, api::rules::amount_of(*value).value());
}

// The report without times that only say when it was made.
std::string fingerprint(const PodStatusReport& report) {
  return text::to_json(status_patch(report, SeenConditions{}, Instant::from_unix_seconds(1)));
}

}  // namespace

WritePlan LocalNodeReconciler::plan_pod(const std::string& uid, Instant now) {
  WritePlan plan;
  std::vector<PodLifecycleEvent> news = take_news(uid);
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return plan;
  Pod& pod = *at->second;
  if (pod.address.empty() && !pod.took_over && !pod.machine.is_over()) {
    give_address(pod);
    wake_names(now);
  }
  for (const PodLifecycleEvent& one : news) pod.machine.tell(one, now);
  PodSyncResult result = pod.machine.advance(now);
  for (const PodAction& action : result.actions) carry_out(pod, action);
  if (pod.machine.is_over() && !std::exchange(pod.gave_back, true)) {
    give_back(pod);
    wake_names(now);
  }
  for (PodEventNote& note : result.notes) {
    plan.notes.push_back({.regarding = regarding(pod.machine.spec(), note),
                          .warning = note.warning,
                          .reason = std::move(note.reason),
                          .message = std::move(note.message)});
  }
  if (!pod.took_over && !std::exchange(pod.ignored_fields_reported, true)) report_ignored_fields(pod, plan);
  plan.look_again(result.again);
  if (pod.gone) {
    if (!pod.machine.is_over()) return plan;
    runtime_->remove_logs(pod.object);
    pods_.erase(at);
    return plan;
  }
  if (std::exchange(pod.stale, false) && pod.machine.has_volumes()) {
    runtime_->refresh_volumes(make_inputs(pod), [this](const std::string& message) { say(true, message); });
  }
  put_status(pod, now, plan);
  if (pod.machine.is_over() && pod.machine.is_deleted() && !std::exchange(pod.final_delete_sent, true)) {
    plan.then();
    plan.write(
        final_delete_call(loop::target_of({.group = "", .version = "v1", .plural = "pods"}, pod.object->get_object())));
  }
  return plan;
}

void LocalNodeReconciler::report_ignored_fields(Pod& pod, WritePlan& plan) const {
  const std::string fields = fields_without_effect(pod.object->get_object(), options_.can);
  if (fields.empty()) return;
  plan.notes.push_back({.regarding = regarding(pod.machine.spec(), {}),
                        .warning = true,
                        .reason = "SecurityContextIgnored",
                        .message = "these fields have no effect on this node: " + fields});
}

void LocalNodeReconciler::carry_out(Pod& pod, const PodAction& action) {
  const bool fresh = std::holds_alternative<SetUpVolumes>(action) || std::holds_alternative<StartContainer>(action);
  const bool last = std::holds_alternative<CleanUpPod>(action);  // takes no more devices
  if (fresh || (pod.inputs == nullptr && !last)) pod.inputs = make_inputs(pod);
  runtime_->carry_out(action, pod.machine.spec(), pod.inputs);
}

PodRuntime::InputsPtr LocalNodeReconciler::make_inputs(Pod& pod) {
  auto inputs = std::make_shared<PodInputs>(pod_inputs_of(pod.object, seen_));
  inputs->place = {.host_address = options_.node.address,
                   .pod_address = pod.address.empty() ? options_.node.address : pod.address,
                   .allocatable = options_.node.capacity};
  put_devices(pod.object->get_object(), *inputs);
  if (pod.hosts.empty()) {
    pod.hosts = hosts_text(pod.object->get_object(), inputs->place.pod_address, pod_endpoints(), services());
  }
  inputs->hosts = pod.hosts;
  return inputs;
}

void LocalNodeReconciler::put_devices(const text::Object& object, PodInputs& inputs) {
  if (devices_.total() == 0) return;
  const api::PodView pod(object);
  const std::string uid(pod.metadata().uid());
  std::vector<DeviceRequest> wishes;
  // Init containers are over before the others need their devices; they are not given any of their own.
  for (const api::ContainerView container : pod.spec().init_containers()) {
    wishes.push_back({.container = std::string(container.name()), .count = 0});
  }
  for (const api::ContainerView container : pod.spec().containers()) {
    wishes.push_back({.container = std::string(container.name()), .count = gpus_of(container)});
  }
  if (const auto given = devices_.assign(uid, wishes); !given) inputs.devices_note = given.error().message;
  for (const DeviceRequest& wish : wishes) {
    inputs.device_variables[wish.container] = device_environment(devices_.held(uid, wish.container), devices_.total());
  }
}

void LocalNodeReconciler::put_status(Pod& pod, Instant now, WritePlan& plan) {
  PodStatusReport report = pod.machine.report();
  report.host_ip = options_.node.address;
  if (report.sandbox) report.pod_ip = pod.address;
  std::string print = fingerprint(report);
  if (print == pod.written) return;
  const bool was_ended = pod.written.empty() && pod.machine.is_over() && !pod.machine.is_deleted() && pod.took_over;
  pod.written = std::move(print);
  if (was_ended) return;  // as the former node left it
  loop::WriteTarget target =
      loop::target_of({.group = "", .version = "v1", .plural = "pods"}, pod.object->get_object());
  plan.write(report_call(target, report, seen_conditions(api::PodView(*pod.object).status()), now));
}

void LocalNodeReconciler::give_back(Pod& pod) {
  const std::string& uid = pod.machine.spec().uid;
  addresses_.release(uid);
  devices_.release(uid);
  pod.address.clear();
  pod.inputs.reset();
}

std::vector<PodEndpoint> LocalNodeReconciler::pod_endpoints() const {
  std::vector<PodEndpoint> list;
  for (const auto& [uid, pod] : pods_) {
    if (pod->address.empty() || pod->gone) continue;
    list.push_back(pod_endpoint_of(pod->object->get_object(), pod->address));
  }
  return list;
}

std::vector<const text::Object*> LocalNodeReconciler::services() const {
  std::vector<const text::Object*> list;
  for (const auto& [key, service] : seen_.services) list.push_back(&service->get_object());
  return list;
}

WritePlan LocalNodeReconciler::plan_names(Instant now) {
  WritePlan plan;
  if (names_at_.is_set() && now < names_at_ + kNamesPause) {
    plan.again = names_at_ + kNamesPause;
    return plan;
  }
  names_at_ = now;
  const std::vector<PodEndpoint> pods = pod_endpoints();
  const std::vector<const text::Object*> all = services();
  for (const auto& [uid, pod] : pods_) {
    if (pod->address.empty() || pod->gone || pod->hosts.empty()) continue;
    std::string text = hosts_text(pod->object->get_object(), pod->address, pods, all);
    if (text == pod->hosts) continue;
    pod->hosts = std::move(text);
    runtime_->write_hosts_file(uid, pod->hosts);
  }
  if (balancer_ == nullptr) return plan;
  ServiceTable listening = service_table(all, pods, options_.services);
  for (const std::string& note : listening.notes) say_once(note);
  if (!listening.same_port.empty()) {
    const bool own_ports = options_.own_ports == OwnPorts::All;  // or a port that is not declared may be everybody's
    const ListenerConflicts conflicts =
        find_listener_conflicts(listening, read_listening(), own_ports, options_.node.address);
    for (const net::Endpoint& row : conflicts.rows) listening.rows.erase(row);
    if (conflicts.waits) plan.look_again(now + kConflictRecheck);
  }
  if (listening.rows == table_) return plan;
  table_ = listening.rows;
  for (const Error& error : balancer_->set(std::move(listening.rows))) {
    say_once(error.message);
    table_.clear();  // tried again
    plan.look_again(now + kNamesRetry);
  }
  return plan;
}

}  // namespace basalt::node
