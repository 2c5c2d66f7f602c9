#include "programs/webhook/webhook_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "control/loop/wake_up.h"
#include "kube/client/boot_clock.h"
#include "kube/client/wall_clock.h"
#include "kube/net/server.h"
#include "kube/text/prometheus.h"
#include "kube/text/yaml_writer.h"
#include "programs/webhook/admission_cache_updater.h"
#include "programs/webhook/answer_review.h"
#include "programs/webhook/certificate_reconciler.h"
#include "programs/webhook/review_handler.h"

namespace basalt::webhook {
namespace {

constexpr Duration kSweepEvery = Duration::millis(500);
constexpr size_t kMaxConnections = 1'000;
// Behind a Service requests still come for a moment after the pod began to end: they are answered.
constexpr std::chrono::milliseconds kLeaving{5'000};

using Rules = std::shared_ptr<const admission::VolcanoAdmissionOptions>;  // shared by reviews under way

Result<void> check_paths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (webhook_at(path) != nullptr) continue;
    std::string known;
    for (const admission::Webhook& webhook : admission::webhooks()) known.append(" ").append(webhook.path);
    return invalid(fmt::format("there is no webhook \"{}\"; there are{}", path, known));
  }
  return {};
}

// Until the real certificate is known there has to be some: nobody trusts it.
Result<net::TlsIdentity> provisional_identity(const WebhookClientConfig& client_config) {
  const auto plan =
      plan_certificate({.seen = nullptr,
                        .names = server_names(client_config.service, client_config.namespace_name, client_config.url),
                        .trusted_since = kNever,
                        .now = client::wall_clock(),
                        .timing = {}});
  if (!plan) return std::unexpected(plan.error());
  return net::TlsIdentity{
      .certificate_pem = plan->write->certificate, .key_pem = plan->write->key, .client_ca_pem = {}};
}

class RunningServer final : public WebhookServer {
 public:
  RunningServer(client::ObjectClient& client, WebhookOptions options, Rules rules, ResourceGroupsFile groups)
      : options_(std::move(options)),
        rules_(std::move(rules)),
        groups_(std::move(groups)),
        known_(std::make_shared<AdmissionCache>()),
        reviews_(client, known_),
        follower_(client, known_, std::ranges::find(options_.paths, "/podgroups/mutate") != options_.paths.end(),
                  client::wall_clock),
        certificates_(client, certificate_options(), rules_) {}
  ~RunningServer() override {
    if (!stopped_) stop(std::chrono::milliseconds(0));
  }

  Result<void> open() {
    net::ServerOptions http{.address = options_.address, .port = options_.port, .threads = options_.threads};
    http.limits.body_bytes = kMaxReviewBytes;
    http.limits.connections = kMaxConnections;
    http.error_body = [](unsigned, std::string_view message) { return std::string(message) + "\n"; };
    if (options_.files.given()) {
      auto material = read_certificate_files(options_.files);
      if (!material) return std::unexpected(material.error());
      http.tls = {.certificate_pem = material->certificate, .key_pem = material->key, .client_ca_pem = {}};
      from_files_ = *material;
      certificates_.offer(std::move(*material));
    } else {
      auto identity = provisional_identity(options_.client_config);
      if (!identity) return std::unexpected(identity.error());
      http.tls = std::move(*identity);
    }
    const auto handler = this->handler();
    http.body_gate = [handler](const net::HttpRequest& head) { return admit_body(*handler, head); };
    auto server = net::Server::start(
        std::move(http), [handler](const std::shared_ptr<net::HttpExchange>& exchange) { serve(handler, exchange); });
    if (!server) return std::unexpected(server.error());
    server_ = std::move(*server);
    follower_.start();
    certificates_.start();
    keeper_ = std::thread([this] { keep(); });
    return {};
  }

  [[nodiscard]] uint16_t port() const override { return server_->port(); }

  void stop(std::chrono::milliseconds grace) override {
    leaving_ = true;
    if (options_.client_config.url.empty()) std::this_thread::sleep_for(std::min(kLeaving, grace / 2));
    stopped_ = true;
    if (server_) server_->stop(grace);
    reviews_.stop();
    wake_up_.notify();
    if (keeper_.joinable()) keeper_.join();
    follower_.stop();
    certificates_.stop();
  }

  [[nodiscard]] std::string not_ready() const override {
    if (leaving_) return "the server is stopping";
    if (!follower_.is_synced()) return "queues are not known yet: they could not be listed";
    if (options_.files.given() || certificates_.has_certificate()) return "";
    return fmt::format(
        "there is no certificate yet: webhook configurations could not be listed, or Secret {}/{} not read or made",
        options_.client_config.namespace_name, options_.secret);
  }

  [[nodiscard]] std::string metrics() const override {
    std::string out = metrics_.text();
    text::append_value(out, "volcano_admission_questions_total", "counter",
                       "Objects that were asked for before a refusal.", static_cast<double>(reviews_.asked()));
    text::append_value(out, "volcano_admission_certificate_expiration_timestamp_seconds", "gauge",
                       "When the certificate in use ends; 0: there is none.",
                       static_cast<double>(certificates_.valid_until().nanos / 1'000'000'000));
    text::append_value(out, "volcano_admission_configurations_trusted", "gauge",
                       "1: the caBundles of all webhook configurations have our authority.",
                       certificates_.is_trusted() ? 1 : 0);
    text::append_value(out, "volcano_admission_ready", "gauge", "1: the server can answer.",
                       not_ready().empty() ? 1 : 0);
    return out;
  }

 private:
  [[nodiscard]] CertificateReconcilerOptions certificate_options() {
    return {.from_files = options_.files.given(),
            .paths = {options_.paths.begin(), options_.paths.end()},
            .create_configurations = options_.create_configurations,
            .client_config = options_.client_config,
            .secret = options_.secret,
            .timing = options_.timing,
            .look_every = options_.look_every,
            .use = [this](const KeyMaterial& material) { return use(material); },
            .clock = client::wall_clock,
            .log = options_.log};
  }

  [[nodiscard]] std::shared_ptr<const ReviewHandler> handler() {
    auto handler = std::make_shared<ReviewHandler>();
    for (const std::string& path : options_.paths) handler->paths[path] = webhook_at(path);
    handler->reviews = &reviews_;
    handler->metrics = &metrics_;
    handler->not_ready = [this] { return not_ready(); };
    handler->knows_queues = [this] { return follower_.is_synced(); };
    handler->options = [this] { return rules(); };
    handler->log = options_.log;
    return handler;
  }

  Result<void> use(const KeyMaterial& material) {
    return server_->replace_identity(
        {.certificate_pem = material.certificate, .key_pem = material.key, .client_ca_pem = {}});
  }

  [[nodiscard]] Rules rules() const {
    const std::lock_guard lock(rules_mutex_);
    return rules_;
  }

  // The thread that looks at what nobody tells: files, and questions without an answer.
  void keep() {
    Instant look_at = client::boot_clock() + options_.look_every;
    while (!stopped_) {
      wake_up_.wait(std::min(kSweepEvery, options_.look_every));
      const Instant now = client::boot_clock();
      reviews_.sweep(now);
      if (now < look_at || stopped_) continue;
      look_at = now + options_.look_every;
      look_at_files();
    }
  }

  // The reconciler knows the right moment; while it may not even look at configurations, any moment is as good.
  void offer(KeyMaterial material) {
    const bool changed = std::exchange(from_files_, material) != material;
    if (changed && !certificates_.has_certificate()) {
      if (auto used = use(material); !used) write_log(options_.log, Severity::Error, used.error().message);
    }
    certificates_.offer(std::move(material));
  }

  void look_at_files() {
    if (options_.files.given()) {
      auto material = read_certificate_files(options_.files);
      const std::string complaint = material ? "" : material.error().message;
      if (material) offer(std::move(*material));
      if (std::exchange(files_complaint_, complaint) != complaint && !complaint.empty()) {
        write_log(options_.log, Severity::Error, "keeping the certificate in use: " + complaint);
      }
    }
    if (options_.admission_conf.empty()) return;
    auto groups = groups_.look();
    if (!groups)
      return write_log(options_.log, Severity::Error, "keeping the resource groups: " + groups.error().message);
    if (!*groups) return;
    write_log(options_.log, Severity::Info, fmt::format("{} resource groups were read", (*groups)->size()));
    admission::VolcanoAdmissionOptions next = *rules();
    next.resource_groups = std::move(**groups);
    auto shared = std::make_shared<const admission::VolcanoAdmissionOptions>(std::move(next));
    {
      const std::lock_guard lock(rules_mutex_);
      rules_ = shared;
    }
    certificates_.change_rules(std::move(shared));
  }

  WebhookOptions options_;
  mutable std::mutex rules_mutex_;
  Rules rules_;
  ResourceGroupsFile groups_;
  KeyMaterial from_files_;  // as last read; the keeper's, once it runs
  std::string files_complaint_;
  std::shared_ptr<AdmissionCache> known_;  // shared with reviews under way
  ReviewMetrics metrics_;
  LiveReviews reviews_;
  std::atomic<bool> leaving_ = false, stopped_ = false;
  loop::WakeUp wake_up_;
  std::unique_ptr<net::Server> server_;
  AdmissionCacheUpdater follower_;
  CertificateReconciler certificates_;
  std::thread keeper_;
};

// The rules with the groups of the conf file.
Result<admission::VolcanoAdmissionOptions> rules_of(const WebhookOptions& options, ResourceGroupsFile& file) {
  admission::VolcanoAdmissionOptions rules = options.admission;
  if (options.admission_conf.empty()) return rules;
  auto groups = file.look();
  if (!groups) return std::unexpected(groups.error().within("--admission-conf"));
  if (*groups) rules.resource_groups = std::move(**groups);
  return rules;
}

}  // namespace

std::vector<std::string> WebhookOptions::default_paths() {
  return {"/jobs/mutate", "/jobs/validate", "/podgroups/mutate", "/pods/validate",
          "/pods/mutate", "/queues/mutate", "/queues/validate"};
}

Result<std::unique_ptr<WebhookServer>> WebhookServer::start(client::ObjectClient& client, WebhookOptions options) {
  if (auto known = check_paths(options.paths); !known) return std::unexpected(known.error());
  ResourceGroupsFile file(options.admission_conf);
  auto rules = rules_of(options, file);
  if (!rules) return std::unexpected(rules.error());
  auto server = std::make_unique<RunningServer>(
      client, std::move(options), std::make_shared<const admission::VolcanoAdmissionOptions>(std::move(*rules)),
      std::move(file));
  if (auto opened = server->open(); !opened) return std::unexpected(opened.error());
  return server;
}

Result<std::string> configurations_yaml(const WebhookOptions& options) {
  if (auto known = check_paths(options.paths); !known) return std::unexpected(known.error());
  ResourceGroupsFile file(options.admission_conf);
  const auto rules = rules_of(options, file);
  if (!rules) return std::unexpected(rules.error());
  std::string out;
  for (const admission::Webhook& webhook : admission::webhooks()) {
    if (std::ranges::find(options.paths, webhook.path) == options.paths.end()) continue;
    if (!is_registered(webhook, *rules)) continue;
    text::Object one = configuration_of(webhook, options.client_config, *rules);
    one["metadata"].get_object().erase("labels");  // whoever installs it has labels of their own
    out += "---\n" + text::to_yaml(one);
  }
  return out;
}

}  // namespace basalt::webhook
