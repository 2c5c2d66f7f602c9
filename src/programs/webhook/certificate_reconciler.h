// Keeps certificate and configurations in step: the loop around certificate_plan.h and webhook_configuration_plan.h.
//
// 1. The certificate comes from offer() (files), or from the Secret: made here, read again every `look_every`.
// 2. A certificate of another authority is put to use when all configurations have trusted that one for `settle`; the
//    first one at once, and any after kMaxTrustWait, for then the configurations are not ours to change.
// 3. caBundles are written by patch; where that is forbidden (roles of Volcano's chart), by update.
// 4. Authorities that are not ours leave a caBundle after they stood there for `overlap`: another replica may serve
//    with them.
//
// Threads: a loop of its own; functions may be called from any thread. `use` is called on the loop's.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "control/loop/api_writes.h"
#include "control/loop/reconcile_loop.h"
#include "programs/webhook/certificate_plan.h"
#include "programs/webhook/webhook_configurations.h"
#include "programs/webhook/webhook_log.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr Duration kMaxTrustWait = Duration::seconds(120);
inline constexpr int kMaxWritesInARow = 5;  // of one configuration, within `look_every`

struct CertificateReconcilerOptions {
  bool from_files = false;
  std::set<std::string> paths;  // that are served
  bool create_configurations = false;
  WebhookClientConfig client_config;
  std::string secret;
  CertificateTiming timing;
  Duration look_every = Duration::seconds(10);
  // Serves with this from now on; an error leaves things as they are, and is tried again.
  std::function<Result<void>(const KeyMaterial& material)> use;
  std::function<Instant()> clock;  // as loop::LoopOptions has it
  WebhookLog log;
};

class CertificateReconciler final : private loop::Reconciler {
 public:
  // Requires: `client` outlives it.
  CertificateReconciler(client::ObjectClient& client, CertificateReconcilerOptions options,
                        std::shared_ptr<const admission::VolcanoAdmissionOptions> rules);
  ~CertificateReconciler() override { loop_.stop(); }

  // What the files hold now.
  void offer(KeyMaterial material);
  // Resource groups decide about a configuration.
  void change_rules(std::shared_ptr<const admission::VolcanoAdmissionOptions> rules);

  [[nodiscard]] bool has_certificate() const { return has_certificate_; }
  [[nodiscard]] Instant valid_until() const { return {valid_until_}; }  // of the certificate in use; kNever: none
  [[nodiscard]] bool is_trusted() const { return trusted_; }            // by all configurations that there are

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  void step(Instant now) { loop_.step(now); }  // instead of start()

 private:
  static constexpr uint32_t kCertificate = 0, kConfiguration = 1;  // what an item is about

  struct WriteRate {
    Instant since;
    int writes = 0;
  };
  struct Secret {
    bool exists = false;
    loop::WriteTarget target;
    KeyMaterial material;
  };

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override;
  void forget(loop::KindId kind, const std::string& key, Instant now) override;
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override;
  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant now) override;
  [[nodiscard]] loop::NextStep answered(const loop::Item& item, const loop::Ask& ask, const loop::CallResult& answer,
                                        Instant now) override;
  void refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<loop::EventNote>& notes) override;
  void requeue_all(Instant now) override;

  loop::WritePlan plan_secret(Instant now);
  loop::WritePlan plan_files(Instant now);
  loop::WritePlan plan_path(const admission::Webhook& webhook, Instant now);
  [[nodiscard]] std::string secret_name() const;
  [[nodiscard]] api::Call secret_write(const Secret& seen, const KeyMaterial& material) const;
  void take(const KeyMaterial& material, Instant now);
  [[nodiscard]] bool may_be_used(Instant now) const;
  void put_to_use(loop::WritePlan& plan, Instant now);
  void change_own(Instant now);
  void update_trust(Instant now);
  void log_once(const std::string& line);

  CertificateReconcilerOptions options_;
  std::mutex mutex_;  // of the next two, which come from other threads
  std::optional<KeyMaterial> offered_;
  std::shared_ptr<const admission::VolcanoAdmissionOptions> rules_;

  // All below belongs to the loop's thread.
  std::map<std::string, client::ObjectPtr> configurations_;  // by name
  std::map<std::string, Instant> others_since_;              // by name
  std::map<std::string, WriteRate> write_rates_;             // by name; as many as there are webhooks
  std::optional<Secret> secret_;                             // as just read; nothing: to be read
  KeyMaterial in_use_, candidate_;                           // candidate_: to be used next, or the same
  Authorities own_;                                          // of both: what caBundles must have
  Instant candidate_since_, trusted_since_;
  bool created_ = false;      // the last plan made the Secret
  bool replace_ = false;      // patches of configurations are not allowed to us
  std::string last_warning_;  // the last one; told once
  std::atomic<bool> has_certificate_ = false, trusted_ = false;
  std::atomic<int64_t> valid_until_ = 0;
  loop::ReconcileLoop loop_;
};

}  // namespace basalt::webhook
