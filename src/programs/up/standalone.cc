#include "programs/up/standalone.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <optional>

#include "control/scheduler/state/conf.h"
#include "control/scheduler/state/conf_in_map.h"
#include "kube/client/wall_clock.h"
#include "kube/net/can_listen.h"
#include "kube/net/loopback_block.h"
#include "kube/net/private_file.h"
#include "kube/text/read_file.h"
#include "programs/up/certificate_rotation.h"
#include "programs/up/component_logs.h"
#include "programs/up/component_pods.h"
#include "programs/up/kubeconfig_writer.h"
#include "programs/up/state_directory.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/http/response_encoding.h"
#include "server/in_process_client.h"
#include "server/store/lock_file.h"
#include "server/store/store.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace basalt::up {
namespace {

using client::wall_clock;

constexpr size_t kMaxNumberFile = 64;
constexpr size_t kStoreReserveBytes = size_t{8} * 1024 * 1024;  // for deletions on a full disk

std::string status_body(unsigned status, std::string_view message) {
  api::ApiError error = status == 413   ? api::too_large(std::string(message))
                        : status == 429 ? api::too_many_requests(std::string(message), 1)
                        : status >= 500 ? api::internal_error(std::string(message))
                                        : api::bad_request(std::string(message));
  error.code = static_cast<int>(status);
  return server::encode(error).body;
}

std::string url_of(const std::string& address, uint16_t port) {
  const bool any = address == "0.0.0.0" || address == "::";
  const std::string host = any ? "127.0.0.1" : address.find(':') == std::string::npos ? address : "[" + address + "]";
  return "https://" + host + ":" + std::to_string(port);
}

std::string health_line(const store::StoreHealth& health) {
  switch (health.condition) {
    case store::StoreHealth::Condition::Writable:
      return "store: writes are accepted again";
    case store::StoreHealth::Condition::Full:
      return "store: the disk is full, and until there is room only deletions are accepted: " + health.message;
    case store::StoreHealth::Condition::Failing:
      return "store: no write is accepted until the disk is well again; reads go on: " + health.message;
    case store::StoreHealth::Condition::Lost:
      return "store: the process ends: " + health.message;
  }
  return health.message;
}

class OneProcess final : public Standalone {
 public:
  explicit OneProcess(StandaloneOptions options) : options_(std::move(options)), log_(options_.components.log) {}
  ~OneProcess() override {
    if (rotation_ != nullptr) rotation_->stop();  // it uses the network
    if (edge_ != nullptr) edge_->stop_workers();  // they do, too
  }
  OneProcess(const OneProcess&) = delete;
  OneProcess& operator=(const OneProcess&) = delete;

  Result<void> run() {
    auto directory = StateDirectory::open(options_.state);
    if (!directory) return std::unexpected(directory.error());
    kubeconfig_ = options_.kubeconfig.empty() ? directory->kubeconfig() : options_.kubeconfig;
    if (auto may = may_write_kubeconfig(kubeconfig_); !may) return may;
    if (options_.ephemeral) {  // a store in a file locks itself
      options_.components.keep_pods = false;
      auto lock = store::LockFile::acquire(directory->store_file());
      if (!lock) return std::unexpected(lock.error());
      lock_.emplace(std::move(*lock));
    }
    auto opened = options_.ephemeral ? Result<std::unique_ptr<store::Store>>(store::Store::in_memory())
                                     : store::Store::open(directory->store_file(), store_options());
    if (!opened) return std::unexpected(opened.error());
    store_ = std::move(*opened);
    directory->remove_unfinished();
    const Instant now = wall_clock();
    auto certificates = ClusterCertificates::open(directory->pki(), server_names(), now);
    if (!certificates) return std::unexpected(certificates.error());
    auto tokens = directory->tokens();
    if (!tokens) return std::unexpected(tokens.error());
    memory_ = std::make_shared<server::MemoryGuard>(memory_options());
    server::ApiServerOptions api{.clock = wall_clock, .seed = static_cast<uint64_t>(now.nanos)};
    api.is_full = [memory = memory_] { return memory->is_tight(); };
    const bool api_only = options_.components.api_only;
    if (!api_only) {
      api.admission.volcano = std::make_shared<const admission::VolcanoAdmissionOptions>(
          admission::VolcanoAdmissionOptions{.check_allocated_pods = true});
      api.admission.warns_on_create = true;
      auto logs = open_component_logs(directory->component_logs(), std::move(options_.components.log), wall_clock);
      options_.components.log = std::move(logs.line);
      logs.admission(fmt::format("the API server of this process asks {} webhooks", admission::webhooks().size()));
      api.admission.denied = std::move(logs.admission);
      if (options_.components.scheduler) api.admission.schedulers = our_schedulers();
    }
    if (!api_only && options_.components.local_node) {
      if (auto claimed = claim_addresses(*directory); !claimed) return claimed;
      api.admission.service_network = block_->services();
    }
    api_ = std::make_unique<server::ApiServer>(*store_, std::move(api));
    server::InProcessClient insider(*api_, {.name = "system:basalt", .uid = "", .groups = {"system:masters"}},
                                    "basalt");
    const std::string policy = shown_policy();
    if (auto begun = server::bootstrap(
            insider, {.queues = !api_only, .policy = policy, .policy_file = options_.components.scheduler_conf});
        !begun) {
      return begun;
    }
    if (!api_only) {
      if (auto shown = create_component_pods(insider, options_.components.scheduler, now); !shown) return shown;
    }
    // A taken port must not first start pods and then kill them.
    if (auto free = net::can_listen(options_.address, options_.port); !free) return free;
    const NodeDirectories directories{
        .pods = directory->pods(), .logs = directory->logs(), .hidden = {directory->root(), kubeconfig_}};
    auto components = ClusterComponents::start(*api_, std::move(options_.components), directories);
    if (!components) return std::unexpected(components.error());
    components_ = std::move(*components);
    metrics_ = std::make_unique<server::ServerMetrics>(static_cast<double>(now.nanos) / 1e9, BASALT_VERSION);
    rotation_ = std::make_unique<CertificateRotation>(*certificates, rotation_options());
    return listen(*certificates, edge_options(*directory, std::move(*tokens)));
  }

  [[nodiscard]] const std::string& url() const override { return url_; }
  [[nodiscard]] const std::filesystem::path& kubeconfig() const override { return kubeconfig_; }
  void stop(std::chrono::milliseconds grace) override {
    rotation_->stop();
    edge_->begin_shutdown();
    network_->stop(grace);
    components_->stop(grace);
  }

 private:
  // The ConfigMap shows the policy in force: the file's, where one is named. One that cannot be read ends the start of
  // the scheduler.
  [[nodiscard]] std::string shown_policy() const {
    const ClusterComponentOptions& components = options_.components;
    if (components.api_only || !components.scheduler) return "";
    if (components.scheduler_conf.empty()) return std::string(state::kBuiltInConf);
    return text::read_file(components.scheduler_conf, state::kMaxConfBytes).value_or("");
  }

  [[nodiscard]] store::StoreOptions store_options() const {
    return {.reserve_bytes = kStoreReserveBytes,
            .on_health = [log = log_, lost = options_.store_lost](const auto& now) {
              if (log != nullptr) log(now.condition != store::StoreHealth::Condition::Writable, health_line(now));
              if (now.condition == store::StoreHealth::Condition::Lost && lost != nullptr) lost();
            }};
  }

  [[nodiscard]] server::MemoryGuard::Options memory_options() const {
    return {.limit = options_.memory_limit > 0 ? options_.memory_limit : server::memory_allowed(),
            .used = server::memory_in_use,
            .log = log_};
  }

  // The same as before, so that services keep their addresses.
  Result<void> claim_addresses(const StateDirectory& directory) {
    const auto noted = text::read_file(directory.network_file().string(), kMaxNumberFile);
    unsigned preferred = 0;
    if (noted) std::from_chars(noted->data(), noted->data() + noted->size(), preferred);
    auto block = net::LoopbackBlock::claim(preferred);
    if (!block) return std::unexpected(block.error());
    block_.emplace(std::move(*block));
    options_.components.pod_network = block_->pods();
    return net::write_private_file(directory.network_file(), std::to_string(block_->number()) + "\n");
  }

  // Of the server's certificate.
  [[nodiscard]] std::vector<std::string> server_names() const {
    std::vector<std::string> names = net::kubernetes_server_names();
    names.insert(names.end(), options_.extra_names.begin(), options_.extra_names.end());
    return names;
  }

  static net::TlsIdentity identity_of(const ClusterCertificates& certificates) {
    return {.certificate_pem = certificates.server().certificate_pem,
            .key_pem = certificates.server().key_pem,
            .client_ca_pem = certificates.authority()};
  }

  Result<void> write_kubeconfig_of(const ClusterCertificates& certificates) const {
    return write_kubeconfig(
        kubeconfig_, {.server = url_, .ca_certificate_pem = certificates.authority(), .client = certificates.admin()});
  }

  [[nodiscard]] RotationOptions rotation_options() {
    return {.clock = wall_clock,
            .serve = [this](const auto& renewed) { return network_->replace_identity(identity_of(renewed)); },
            .write_kubeconfig = [this](const auto& renewed) { return write_kubeconfig_of(renewed); },
            .log = log_};
  }

  [[nodiscard]] server::HttpHandlerOptions edge_options(const StateDirectory& directory,
                                                        std::vector<server::TokenEntry> tokens) const {
    return {.authentication = server::Authentication(std::move(tokens)),
            .log_directories = {directory.component_logs().string(), directory.logs().string()},
            .access_log = options_.access_log,
            .sample = [this] { return sample(); },
            .more_metrics = [this] { return components_->metrics_text() + rotation_->metrics_text(); },
            .exec = components_->exec(),
            .workers = options_.workers,
            .memory = memory_};
  }

  Result<void> listen(const ClusterCertificates& certificates, server::HttpHandlerOptions edge) {
    edge_ = std::make_unique<server::HttpHandler>(*api_, *metrics_, std::move(edge));
    net::ServerOptions transport{.address = options_.address,
                                 .port = options_.port,
                                 .threads = options_.threads,
                                 .tls = identity_of(certificates),
                                 .limits = {},
                                 .error_body = status_body,
                                 .body_gate = [this](const auto& head) { return edge_->admit_body(head); }};
    auto network = net::Server::start(
        std::move(transport), [this](const std::shared_ptr<net::HttpExchange>& exchange) { edge_->handle(exchange); });
    if (!network) return std::unexpected(network.error());
    network_ = std::move(*network);
    listening_ = network_.get();
    url_ = url_of(options_.address, network_->port());
    if (auto written = write_kubeconfig_of(certificates); !written) return written;
    rotation_->start();
    return {};
  }

  server::MetricsSample sample() const {
    server::MetricsSample sample;
    const net::Server* network = listening_;
    if (network == nullptr) return sample;
    const net::Server::Figures figures = network->figures();
    sample.open_connections = figures.open;
    sample.refused_connections = figures.refused;
    sample.closed_for_room = figures.made_room;
    sample.request_body_bytes = figures.body_bytes;
    sample.answer_bytes = figures.answer_bytes;
    return sample;
  }

  StandaloneOptions options_;
  const std::function<void(bool warning, const std::string& line)> log_;
  std::string url_;
  std::filesystem::path kubeconfig_;
  std::optional<store::LockFile> lock_;
  std::optional<net::LoopbackBlock> block_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> api_;
  std::shared_ptr<server::MemoryGuard> memory_;  // shared with the edge, which lets it tick, and the API server
  std::unique_ptr<server::ServerMetrics>
      metrics_;  // before the components: commands in containers are counted when they end
  std::unique_ptr<ClusterComponents> components_;
  std::unique_ptr<server::HttpHandler> edge_;
  std::unique_ptr<CertificateRotation> rotation_;  // before the network, whose handler asks it for metrics
  std::unique_ptr<net::Server> network_;
  std::atomic<const net::Server*> listening_ = nullptr;  // network_, for its own threads, which run before it is there
};

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::start(StandaloneOptions options) {
  auto cluster = std::make_unique<OneProcess>(std::move(options));
  if (auto running = cluster->run(); !running) return std::unexpected(running.error());
  return cluster;
}

}  // namespace basalt::up
