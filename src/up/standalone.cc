#include "up/standalone.h"

#include <chrono>

#include "cluster/upkeep.h"
#include "controllers/controllers.h"
#include "controllers/outside.h"
#include "net/secure_file.h"
#include "reconcile/prober.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/http/encode.h"
#include "server/in_process_client.h"
#include "store/store.h"
#include "up/kubeconfig.h"
#include "up/state_directory.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace basalt::up {
namespace {

Instant wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

std::string status_body(unsigned status, std::string_view message) {
  api::ApiError error = status == 413   ? api::too_large(std::string(message))
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

api::User insider() { return {.name = "system:basalt", .uid = "", .groups = {"system:masters"}}; }

class OneProcess final : public Standalone {
 public:
  explicit OneProcess(StandaloneOptions options) : options_(std::move(options)) {}

  Result<void> run() {
    auto directory = StateDirectory::open(options_.state);
    if (!directory) return std::unexpected(directory.error());
    auto opened = options_.ephemeral ? Result<std::unique_ptr<store::Store>>(store::Store::in_memory())
                                     : store::Store::open(directory->store_file());
    if (!opened) return std::unexpected(opened.error());
    store_ = std::move(*opened);
    const Instant now = wall_clock();
    server::ApiServerOptions api{.clock = wall_clock, .seed = static_cast<uint64_t>(now.nanos)};
    if (!options_.api_only) api.admission.volcano = std::make_shared<const admission::Options>();
    api_ = std::make_unique<server::ApiServer>(*store_, std::move(api));
    client_ = std::make_unique<server::InProcessClient>(*api_, insider(), "basalt");
    if (auto begun = server::bootstrap(*client_, {.queues = !options_.api_only}); !begun) return begun;
    upkeep_ = std::make_unique<cluster::Upkeep>(
        *client_, cluster::UpkeepOptions{.clock = wall_clock, .periods = {}, .api_server_only = options_.api_only});
    upkeep_->start();
    if (!options_.api_only) {
      if (auto working = start_controllers(); !working) return working;
    }
    metrics_ = std::make_unique<server::Metrics>(static_cast<double>(now.nanos) / 1e9, BASALT_VERSION);
    return listen(*directory, now);
  }

  [[nodiscard]] const std::string& url() const override { return url_; }
  [[nodiscard]] const std::filesystem::path& kubeconfig() const override { return kubeconfig_; }
  void stop(std::chrono::milliseconds grace) override {
    edge_->begin_shutdown();
    network_->stop(grace);
    if (controllers_ != nullptr) controllers_->stop();
    upkeep_->stop();
  }

 private:
  Result<void> start_controllers() {
    controller_client_ = std::make_unique<server::InProcessClient>(*api_, insider(), "vc-controller-manager");
    auto prober = reconcile::Prober::make();
    if (!prober) return std::unexpected(prober.error());
    prober_ = std::move(*prober);
    auto made = controllers::Controllers::make(
        *controller_client_, {}, controllers::real_outside(),
        {.clock = wall_clock, .component = {}, .prober = [this](const reconcile::Probe& probe, auto done) {
           prober_->ask(probe, std::move(done));
         }});
    if (!made) return std::unexpected(made.error());
    controllers_ = std::move(*made);
    controllers_->start();
    return {};
  }

  Result<void> listen(const StateDirectory& directory, Instant now) {
    auto credentials = directory.credentials(options_.extra_names, now);
    if (!credentials) return std::unexpected(credentials.error());
    server::EdgeOptions edge{.authentication = server::Authentication(std::move(credentials->tokens)),
                             .log_directory = directory.logs().string(),
                             .access_log = options_.access_log,
                             .sample = [this] { return sample(); }};
    edge_ = std::make_unique<server::HttpEdge>(*api_, *metrics_, std::move(edge));
    net::ServerOptions transport{.address = options_.address,
                                 .port = options_.port,
                                 .threads = options_.threads,
                                 .tls = {.certificate_pem = credentials->server.certificate_pem,
                                         .key_pem = credentials->server.key_pem,
                                         .client_ca_pem = credentials->ca_certificate_pem},
                                 .limits = {},
                                 .error_body = status_body};
    auto network = net::Server::start(
        std::move(transport), [this](const std::shared_ptr<net::Exchange>& exchange) { edge_->handle(exchange); });
    if (!network) return std::unexpected(network.error());
    network_ = std::move(*network);
    url_ = url_of(options_.address, network_->port());
    kubeconfig_ = options_.kubeconfig.empty() ? directory.kubeconfig() : options_.kubeconfig;
    return net::write_private_file(kubeconfig_, kubeconfig_text({.server = url_,
                                                                 .ca_certificate_pem = credentials->ca_certificate_pem,
                                                                 .client = credentials->admin}));
  }

  server::MetricsSample sample() const {
    server::MetricsSample sample;
    if (network_ == nullptr) return sample;
    const net::Server::Figures figures = network_->figures();
    sample.open_connections = figures.open;
    sample.refused_connections = figures.refused;
    return sample;
  }

  StandaloneOptions options_;
  std::string url_;
  std::filesystem::path kubeconfig_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> api_;
  std::unique_ptr<server::InProcessClient> client_;
  std::unique_ptr<cluster::Upkeep> upkeep_;
  std::unique_ptr<server::InProcessClient> controller_client_;
  std::unique_ptr<reconcile::Prober> prober_;
  std::unique_ptr<controllers::Controllers> controllers_;
  std::unique_ptr<server::Metrics> metrics_;
  std::unique_ptr<server::HttpEdge> edge_;
  std::unique_ptr<net::Server> network_;
};

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::start(StandaloneOptions options) {
  auto cluster = std::make_unique<OneProcess>(std::move(options));
  if (auto running = cluster->run(); !running) return std::unexpected(running.error());
  return cluster;
}

}  // namespace basalt::up
