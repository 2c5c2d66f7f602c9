#include "up/standalone.h"

#include <charconv>
#include <optional>

#include "client/wall_clock.h"
#include "net/can_listen.h"
#include "net/loopback_block.h"
#include "net/secure_file.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/http/encode.h"
#include "server/in_process_client.h"
#include "store/lock_file.h"
#include "store/store.h"
#include "text/file.h"
#include "up/kubeconfig.h"
#include "up/state_directory.h"

#ifndef BASALT_VERSION
#define BASALT_VERSION "unknown"
#endif

namespace basalt::up {
namespace {

using client::wall_clock;

constexpr size_t kMaxNumberFile = 64;

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

class OneProcess final : public Standalone {
 public:
  explicit OneProcess(StandaloneOptions options) : options_(std::move(options)) {}

  Result<void> run() {
    auto directory = StateDirectory::open(options_.state);
    if (!directory) return std::unexpected(directory.error());
    if (options_.ephemeral) {  // a store in a file locks itself
      auto lock = store::LockFile::acquire(directory->store_file());
      if (!lock) return std::unexpected(lock.error());
      lock_.emplace(std::move(*lock));
    }
    auto opened = options_.ephemeral ? Result<std::unique_ptr<store::Store>>(store::Store::in_memory())
                                     : store::Store::open(directory->store_file());
    if (!opened) return std::unexpected(opened.error());
    store_ = std::move(*opened);
    const Instant now = wall_clock();
    server::ApiServerOptions api{.clock = wall_clock, .seed = static_cast<uint64_t>(now.nanos)};
    const bool api_only = options_.crew.api_only;
    if (!api_only) api.admission.volcano = std::make_shared<const admission::Options>();
    if (!api_only && options_.crew.local_node) {
      if (auto claimed = claim_addresses(*directory); !claimed) return claimed;
      api.admission.service_network = block_->services();
    }
    api_ = std::make_unique<server::ApiServer>(*store_, std::move(api));
    server::InProcessClient insider(*api_, {.name = "system:basalt", .uid = "", .groups = {"system:masters"}},
                                    "basalt");
    if (auto begun = server::bootstrap(insider, {.queues = !api_only}); !begun) return begun;
    // A taken port must not first start pods and then kill them.
    if (auto free = net::can_listen(options_.address, options_.port); !free) return free;
    const NodePlaces places{
        .pods = directory->pods(), .logs = directory->logs(), .hidden = {directory->root(), options_.kubeconfig}};
    auto crew = Crew::start(*api_, std::move(options_.crew), places);
    if (!crew) return std::unexpected(crew.error());
    crew_ = std::move(*crew);
    metrics_ = std::make_unique<server::Metrics>(static_cast<double>(now.nanos) / 1e9, BASALT_VERSION);
    return listen(*directory, now);
  }

  [[nodiscard]] const std::string& url() const override { return url_; }
  [[nodiscard]] const std::filesystem::path& kubeconfig() const override { return kubeconfig_; }
  void stop(std::chrono::milliseconds grace) override {
    edge_->begin_shutdown();
    network_->stop(grace);
    crew_->stop(grace);
  }

 private:
  // The same as before, so that services keep their addresses.
  Result<void> claim_addresses(const StateDirectory& directory) {
    const auto noted = text::read_file(directory.network_file().string(), kMaxNumberFile);
    unsigned preferred = 0;
    if (noted) std::from_chars(noted->data(), noted->data() + noted->size(), preferred);
    auto block = net::LoopbackBlock::claim(preferred);
    if (!block) return std::unexpected(block.error());
    block_.emplace(std::move(*block));
    options_.crew.pod_network = block_->pods();
    return net::write_private_file(directory.network_file(), std::to_string(block_->number()) + "\n");
  }

  Result<void> listen(const StateDirectory& directory, Instant now) {
    auto credentials = directory.credentials(options_.extra_names, now);
    if (!credentials) return std::unexpected(credentials.error());
    server::EdgeOptions edge{.authentication = server::Authentication(std::move(credentials->tokens)),
                             .log_directory = directory.logs().string(),
                             .access_log = options_.access_log,
                             .sample = [this] { return sample(); },
                             .more_metrics = [this] { return crew_->metrics_text(); },
                             .exec = crew_->exec()};
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
  std::optional<store::LockFile> lock_;
  std::optional<net::LoopbackBlock> block_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> api_;
  std::unique_ptr<Crew> crew_;
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
