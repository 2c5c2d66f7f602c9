#include "lab/life/kubernetes_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/verbs.h"
#include "kube/client/wall_clock.h"
#include "programs/cli/server_flags.h"

namespace basalt::lab {
namespace {

constexpr auto kBreath = std::chrono::milliseconds(10);

struct Swept {
  std::string_view group, version, plural;
  bool namespaced = true;
};
// Owners first, so that nobody makes again what is taken from them.
constexpr std::array kSwept = {
    Swept{"batch.volcano.sh", "v1alpha1", "cronjobs"},
    Swept{"flow.volcano.sh", "v1alpha1", "jobflows"},
    Swept{"flow.volcano.sh", "v1alpha1", "jobtemplates"},
    Swept{"batch.volcano.sh", "v1alpha1", "jobs"},
    Swept{"bus.volcano.sh", "v1alpha1", "commands"},
    Swept{"apps", "v1", "deployments"},
    Swept{"apps", "v1", "replicasets"},
    Swept{"apps", "v1", "statefulsets"},
    Swept{"batch", "v1", "jobs"},
    Swept{"", "v1", "pods"},
    Swept{"scheduling.volcano.sh", "v1beta1", "podgroups"},
    Swept{"", "v1", "services"},
    Swept{"", "v1", "secrets"},
    Swept{"", "v1", "configmaps"},
    Swept{"", "v1", "persistentvolumeclaims"},
    Swept{"", "v1", "resourcequotas"},
    Swept{"networking.k8s.io", "v1", "networkpolicies"},
    Swept{"networking.k8s.io", "v1", "ingresses"},
    Swept{"", "v1", "events"},
    Swept{"topology.volcano.sh", "v1alpha1", "hypernodes", false},
    Swept{"scheduling.volcano.sh", "v1beta1", "queues", false},
    Swept{"scheduling.k8s.io", "v1", "priorityclasses", false},
    Swept{"", "v1", "nodes", false},
    Swept{"", "v1", "namespaces", false},
};

bool is_ours_to_keep(std::string_view plural, const text::Object& object) {
  const std::string_view name = api::name_of(object), ns = api::namespace_of(object);
  if (ns.starts_with("kube-") || ns == "volcano-system") return true;
  if (plural == "namespaces") return name == "default" || name.starts_with("kube-") || name == "volcano-system";
  if (plural == "queues") return name == "root" || name == "default";  // nobody may delete them
  if (plural == "priorityclasses") return name.starts_with("system-");
  return plural == "services" && name == "kubernetes";
}

}  // namespace

class KubernetesBackend::Counted final : public client::ObjectClient {
 public:
  Counted(std::unique_ptr<client::ObjectClient> server, std::atomic<uint64_t>& changes)
      : server_(std::move(server)), changes_(changes) {}

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (!api::is_write(call.verb)) return server_->send(std::move(call), std::move(done));
    server_->send(std::move(call), [&changes = changes_, done = std::move(done)](client::ReplyOrError outcome) {
      ++changes;
      done(std::move(outcome));
    });
  }
  std::unique_ptr<client::Watch> watch(api::Call call, std::function<void(client::WatchEvent)> receive) override {
    return server_->watch(std::move(call),
                          [&changes = changes_, receive = std::move(receive)](client::WatchEvent event) {
                            if (event.type != client::WatchEventType::Bookmark) ++changes;
                            receive(std::move(event));
                          });
  }
  [[nodiscard]] bool streams_lists() const override { return server_->streams_lists(); }

 private:
  const std::unique_ptr<client::ObjectClient> server_;
  std::atomic<uint64_t>& changes_;  // the backend's; outlives the server's client, on whose threads it is raised
};

KubernetesBackend::KubernetesBackend() = default;
KubernetesBackend::~KubernetesBackend() = default;

Result<std::unique_ptr<KubernetesBackend>> KubernetesBackend::open(const std::string& kubeconfig) {
  auto backend = std::make_unique<KubernetesBackend>();
  const auto connect = [&](const char* agent, std::unique_ptr<Counted>& out) -> Result<void> {
    auto client = cli::connect({.kubeconfig = kubeconfig}, agent);
    if (!client) return std::unexpected(client.error());
    out = std::make_unique<Counted>(std::move(*client), backend->changes_);
    return {};
  };
  if (auto done = connect("user", backend->user_); !done) return std::unexpected(done.error());
  if (auto done = connect("kube-controller-manager", backend->upkeep_); !done) return std::unexpected(done.error());
  if (auto done = connect("vc-controller-manager", backend->controllers_); !done) return std::unexpected(done.error());
  if (auto done = backend->check_mark(); !done) return std::unexpected(done.error());
  if (auto done = backend->clean(); !done) return std::unexpected(done.error());
  return backend;
}

client::ObjectClient& KubernetesBackend::user() { return *user_; }
client::ObjectClient& KubernetesBackend::upkeep() { return *upkeep_; }
client::ObjectClient& KubernetesBackend::controllers() { return *controllers_; }

Instant KubernetesBackend::now() const { return client::wall_clock() + ahead_; }
void KubernetesBackend::advance_to(Instant later) { ahead_.nanos += std::max<int64_t>(0, (later - now()).nanos); }
uint64_t KubernetesBackend::revision() { return changes_.load(); }
void KubernetesBackend::wait_briefly() { std::this_thread::sleep_for(kBreath); }

size_t KubernetesBackend::sweep(const api::GroupVersionResource& resource, bool namespaced) {
  const client::ReplyOrError listed = user_->call({.verb = api::Verb::List, .resource = resource});
  if (!listed) return 1;
  size_t left = 0;
  for (const client::ObjectPtr& item : listed->items) {
    const text::Object& object = item->get_object();
    if (is_ours_to_keep(resource.plural, object)) continue;
    ++left;
    api::Call remove{.verb = api::Verb::Delete, .resource = resource};
    if (namespaced) remove.namespace_name = api::namespace_of(object);
    remove.name = api::name_of(object);
    remove.body = text::Object{{"gracePeriodSeconds", 0}, {"propagationPolicy", "Background"}};
    (void)user_->call(std::move(remove));
    if (api::ObjectView(object).metadata().finalizers().empty()) continue;
    api::Call free{.verb = api::Verb::Patch, .resource = resource};
    if (namespaced) free.namespace_name = api::namespace_of(object);
    free.name = api::name_of(object);
    free.body = text::Object{{"metadata", text::Object{{"finalizers", nullptr}}}};
    (void)user_->call(std::move(free));
  }
  return left;
}

Result<void> KubernetesBackend::check_mark() {
  const client::ReplyOrError ns = user_->call({.verb = api::Verb::Get,
                                               .resource = {.group = "", .version = "v1", .plural = "namespaces"},
                                               .name = std::string(kMarkedNamespace)});
  if (!ns) return failure(ErrorCode::Io, ns.error().message);
  if (api::ObjectView(*ns->object).metadata().labels()[kScratchLabel] == "true") return {};
  return invalid(
      fmt::format("scenarios delete everything in a cluster, and this one is not marked for that; if it may "
                  "be emptied: kubectl label namespace {} {}=true",
                  kMarkedNamespace, kScratchLabel));
}

Result<void> KubernetesBackend::clean() {
  for (int round = 0; round < kMaxCleanRounds; ++round) {
    size_t left = 0;
    for (const Swept& kind : kSwept) {
      left += sweep(
          {.group = std::string(kind.group), .version = std::string(kind.version), .plural = std::string(kind.plural)},
          kind.namespaced);
    }
    if (left == 0) return {};
    wait_briefly();
  }
  return failure(ErrorCode::Io, "what an earlier scenario left cannot be removed from the cluster");
}

}  // namespace basalt::lab
