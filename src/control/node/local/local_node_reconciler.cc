#include "control/node/local/local_node_reconciler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

using loop::Item;
using loop::KindId;
using loop::WritePlan;

enum : uint32_t { kPodItem, kNodeItem, kHeartbeatItem, kNamesItem };
enum Followed : uint32_t { kPods, kConfigMaps, kSecrets, kServices, kClaims, kVolumes, kNodes, kFollowed };

constexpr std::array<std::string_view, kFollowed> kPlurals = {
    "pods", "configmaps", "secrets", "services", "persistentvolumeclaims", "persistentvolumes", "nodes"};
constexpr size_t kMaxSaid = 1'000;

api::GroupVersionResource core(std::string_view plural) {
  return {.group = "", .version = "v1", .plural = std::string(plural)};
}

std::string_view uid_of(const text::Object& object) { return api::string_at(object, {"metadata", "uid"}); }

bool differ(api::StringMapView left, api::StringMapView right) {
  return bool(left) != bool(right) || (left && *left.json() != *right.json());
}

// Where objects of a kind are kept; null: pods and the Node have their own place.
ObjectMap NodeObjectCache::* map_of(KindId kind) {
  switch (kind.index()) {
    case kConfigMaps:
      return &NodeObjectCache::config_maps;
    case kSecrets:
      return &NodeObjectCache::secrets;
    case kServices:
      return &NodeObjectCache::services;
    case kClaims:
      return &NodeObjectCache::claims;
    case kVolumes:
      return &NodeObjectCache::volumes;
    default:
      return nullptr;
  }
}

}  // namespace

LocalNodeReconciler::LocalNodeReconciler(client::ObjectClient& client, LocalNodeReconcilerOptions options,
                                         PodAddressPool addresses, GpuAllocator devices)
    : options_(std::move(options)),
      addresses_(std::move(addresses)),
      devices_(std::move(devices)),
      loop_(client, *this, {.clock = options_.clock, .component = "kubelet", .prober = {}}) {
  for (uint32_t kind = 0; kind < kFollowed; ++kind) {
    std::string fields;
    if (kind == kPods) fields = "spec.nodeName=" + options_.node.name;
    if (kind == kNodes) fields = "metadata.name=" + options_.node.name;
    loop_.follow(KindId{kind}, core(kPlurals[kind]), kNever, "", fields);
  }
  loop_.wake({.controller = kNodeItem, .name = {}}, kNever);
}

LocalNodeReconciler::~LocalNodeReconciler() { loop_.stop(); }

void LocalNodeReconciler::use(PodRuntime& runtime, net::TcpLoadBalancer* balancer) {
  runtime_ = &runtime;
  balancer_ = balancer;
}

void LocalNodeReconciler::tell(const std::string& uid, PodLifecycleEvent news) {
  {
    const std::lock_guard lock(mutex_);
    news_[uid].push_back(std::move(news));
  }
  loop_.wake_now({.controller = kPodItem, .name = uid});
}

std::vector<PodLifecycleEvent> LocalNodeReconciler::take_news(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  const auto at = news_.find(uid);
  if (at == news_.end()) return {};
  std::vector<PodLifecycleEvent> news = std::move(at->second);
  news_.erase(at);
  return news;
}

void LocalNodeReconciler::learn(KindId kind, const client::ObjectPtr& object, Instant now) {
  const text::Object& fields = object->get_object();
  if (kind.index() == kPods) {
    // The server selects, but our own writes come back too.
    if (api::PodView(fields).spec().node_name() == options_.node.name) learn_pod(object, now);
    return;
  }
  if (kind.index() == kNodes) {
    if (api::name_of(fields) != options_.node.name) return;
    node_ = object;
    loop_.wake({.controller = kNodeItem, .name = {}}, now);
    if (!has_lease_) loop_.wake({.controller = kHeartbeatItem, .name = {}}, now);
    return;
  }
  if (!update_object(seen_.*map_of(kind), object)) return;
  const std::string key = api::key_of(fields);
  if (kind.index() == kConfigMaps) object_changed(key, &PodReferences::config_maps, now);
  if (kind.index() == kSecrets) object_changed(key, &PodReferences::secrets, now);
  if (kind.index() == kClaims) object_changed(key, &PodReferences::claims, now);
  if (kind.index() == kServices) wake_names(now);
}

void LocalNodeReconciler::forget(KindId kind, const std::string& key, Instant now) {
  if (kind.index() == kPods) {
    const auto at = by_key_.find(key);
    if (at != by_key_.end()) lose_pod(at->second, now);
    return;
  }
  if (kind.index() == kNodes) {
    if (key == options_.node.name) node_ = nullptr;
    return;
  }
  if (kind.index() == kClaims) lose_claim(key);
  (seen_.*map_of(kind)).erase(key);
  if (kind.index() == kServices) wake_names(now);
}

std::vector<std::string> LocalNodeReconciler::keys(KindId kind) const {
  std::vector<std::string> keys;
  if (kind.index() == kPods) {
    for (const auto& [key, uid] : by_key_) keys.push_back(key);
  } else if (kind.index() == kNodes) {
    if (node_ != nullptr) keys.push_back(options_.node.name);
  } else {
    for (const auto& [key, object] : seen_.*map_of(kind)) keys.push_back(key);
  }
  return keys;
}

void LocalNodeReconciler::learn_pod(const client::ObjectPtr& object, Instant now) {
  const text::Object& fields = object->get_object();
  const api::PodView view(fields);
  const std::string uid(view.metadata().uid());
  const std::string key = api::key_of(fields);
  const auto before = by_key_.find(key);
  if (before != by_key_.end() && before->second != uid) lose_pod(before->second, now);
  by_key_[key] = uid;
  std::unique_ptr<Pod>& pod = pods_[uid];
  if (pod == nullptr) {
    const bool over = parse_pod_phase(view.status().phase()) > PodPhase::Running;
    const std::vector<DetachedRun> kept = over ? std::vector<DetachedRun>() : runtime_->detached_runs(uid);
    pod = std::make_unique<Pod>(Pod{.object = object, .machine = PodLifecycle(fields, options_.machine, now, kept)});
    take_over(*pod, kept);
    names_at_ = kNever;  // a service's address that it may want is left to it before it starts (listener_conflicts.h)
    pod->references = references_of(fields);
    pod->volumes = volume_references_of(fields);
    pod->took_over = over;
    // What a pod had before a restart is its own: until all of those are known, new ones wait for theirs.
    if (!pod->took_over && (swept_ || !view.status().pod_ip().empty())) give_address(*pod);
  } else {
    const api::ObjectMetaView known = api::PodView(*pod->object).metadata();
    const api::ObjectMetaView next = view.metadata();
    if (!api::is_later_version(next.resource_version(), known.resource_version())) return;
    // Downward API volumes show them.
    pod->stale = pod->stale || differ(known.labels(), next.labels()) || differ(known.annotations(), next.annotations());
    pod->object = object;
    pod->machine.observe(fields, now);
  }
  wake_names(now);
  loop_.wake({.controller = kPodItem, .name = uid}, now);
}

void LocalNodeReconciler::take_over(const Pod& pod, const std::vector<DetachedRun>& kept) {
  const PodRunSpec& spec = pod.machine.spec();
  for (const DetachedRun& run : kept) {
    const auto index = find_container(spec, run.container);
    if (!index) continue;
    devices_.restore(spec.uid, run.container, run.devices);
    runtime_->adopt(spec, {.container = *index, .run = pod.machine.container(*index).run});
  }
}

void LocalNodeReconciler::give_address(Pod& pod) {
  const text::Object& fields = pod.object->get_object();
  const api::PodView view(fields);
  if (view.spec().host_network()) {
    pod.address = options_.node.address;
    return;
  }
  const auto address = addresses_.take(pod.machine.spec().uid, view.status().pod_ip());
  if (address) pod.address = *address;
  if (!address) say_once("no address for pod " + api::key_of(fields) + ": " + address.error().message);
}

void LocalNodeReconciler::lose_pod(std::string uid, Instant now) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  by_key_.erase(api::key_of(at->second->object->get_object()));
  at->second->gone = true;
  at->second->machine.vanished(now);
  loop_.wake({.controller = kPodItem, .name = uid}, now);
}

// What a claim held goes with it, but not under the feet of a pod.
void LocalNodeReconciler::lose_claim(const std::string& key) {
  const auto claim = seen_.claims.find(key);
  if (claim == seen_.claims.end()) return;
  const std::string_view name = api::name_of(claim->second->get_object());
  const std::string_view namespace_name = api::namespace_of(claim->second->get_object());
  const bool used = std::ranges::any_of(pods_, [&](const auto& one) {
    const Pod& pod = *one.second;
    return !pod.machine.is_over() && pod.machine.spec().namespace_name == namespace_name &&
           pod.references.claims.contains(name);
  });
  if (!used) runtime_->remove_claim(std::string(uid_of(claim->second->get_object())));
}

void LocalNodeReconciler::object_changed(const std::string& key, PodReferences::Names PodReferences::* which,
                                         Instant now) {
  const size_t slash = key.find('/');
  if (slash == std::string::npos) return;
  const std::string_view namespace_name = std::string_view(key).substr(0, slash);
  const std::string_view name = std::string_view(key).substr(slash + 1);
  for (const auto& [uid, pod] : pods_) {
    if (pod->machine.is_over() || pod->machine.spec().namespace_name != namespace_name ||
        !(pod->references.*which).contains(name)) {
      continue;
    }
    pod->machine.try_again();
    pod->stale = pod->stale || (pod->volumes.*which).contains(name);
    loop_.wake({.controller = kPodItem, .name = uid}, now);
  }
}

void LocalNodeReconciler::refused(const Item& item, const api::Call& call, const api::ApiError& error,
                                  std::vector<loop::EventNote>& /*notes*/) {
  say(true, call.resource.plural + "/" + call.name + ": " + error.message);
  if (item.controller == kNodeItem && call.verb == api::Verb::Create) registered_ = false;
  if (item.controller == kHeartbeatItem) has_lease_ = false;
  if (item.controller != kPodItem) return;
  const auto at = pods_.find(item.name);
  if (at == pods_.end()) return;
  at->second->written.clear();
  at->second->final_delete_sent = false;
}

void LocalNodeReconciler::requeue_all(Instant now) {
  for (const auto& [uid, pod] : pods_) loop_.wake({.controller = kPodItem, .name = uid}, now);
  loop_.wake({.controller = kNodeItem, .name = {}}, now);
  loop_.wake({.controller = kHeartbeatItem, .name = {}}, now);
  wake_names(now);
}

void LocalNodeReconciler::wake_names(Instant now) { loop_.wake({.controller = kNamesItem, .name = {}}, now); }

void LocalNodeReconciler::say(bool warning, const std::string& line) const {
  if (options_.log) options_.log(warning, line);
}

void LocalNodeReconciler::say_once(const std::string& line) {
  if (said_.size() < kMaxSaid && said_.insert(line).second) say(true, line);
}

WritePlan LocalNodeReconciler::plan(const Item& item, Instant now) {
  switch (item.controller) {
    case kPodItem:
      return plan_pod(item.name, now);
    case kNodeItem:
      return plan_node(now);
    case kHeartbeatItem:
      return plan_heartbeat(now);
    default:
      return plan_names(now);
  }
}

}  // namespace basalt::node
