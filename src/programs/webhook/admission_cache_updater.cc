#include "programs/webhook/admission_cache_updater.h"

#include <utility>

namespace basalt::webhook {
namespace {

CachedKind known_kind(loop::KindId kind) { return kind.index() == 0 ? CachedKind::Queue : CachedKind::Namespace; }

}  // namespace

AdmissionCacheUpdater::AdmissionCacheUpdater(client::ObjectClient& client, std::shared_ptr<AdmissionCache> known,
                                             bool namespaces, std::function<Instant()> clock)
    : known_(std::move(known)),
      loop_(client, *this, {.clock = std::move(clock), .component = "vc-webhook-manager", .prober = {}}) {
  loop_.follow(loop::KindId(0U), {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"});
  if (namespaces) loop_.follow(loop::KindId(1U), {.group = "", .version = "v1", .plural = "namespaces"});
  requeue_all(kNever);
}

void AdmissionCacheUpdater::learn(loop::KindId kind, const client::ObjectPtr& object, Instant /*now*/) {
  known_->learn(known_kind(kind), object);
}

void AdmissionCacheUpdater::forget(loop::KindId kind, const std::string& key, Instant /*now*/) {
  known_->forget(known_kind(kind), key);
}

std::vector<std::string> AdmissionCacheUpdater::keys(loop::KindId kind) const {
  return known_->names(known_kind(kind));
}

// A loop plans nothing before it knows all that it follows: being asked is the news.
loop::WritePlan AdmissionCacheUpdater::plan(const loop::Item& /*item*/, Instant /*now*/) {
  synced_ = true;
  return {};
}

void AdmissionCacheUpdater::requeue_all(Instant now) { loop_.wake({.controller = 0, .name = "synced"}, now); }

}  // namespace basalt::webhook
