#include "programs/daemon/diagnostics_server.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "control/loop/wake_up.h"
#include "kube/client/percent_encoding.h"
#include "kube/client/wall_clock.h"
#include "kube/net/certificates.h"
#include "kube/net/server.h"
#include "kube/text/document_path.h"
#include "kube/text/read_file.h"
#include "kube/text/scalar.h"

namespace basalt::daemon {
namespace {

constexpr size_t kMaxPemBytes = size_t{1} << 20U;
constexpr std::chrono::milliseconds kGrace{500};

// Probes and scrapers are few and small. Whoever does not get to the point is not waited for.
constexpr net::ServerLimits kEndpointLimits{
    .header_bytes = size_t{16} * 1024,
    .body_bytes = size_t{16} * 1024,
    .connections = 256,
    .handshake_timeout = std::chrono::seconds(5),
    .request_timeout = std::chrono::seconds(5),
    .idle_timeout = std::chrono::seconds(90),
    .write_timeout = std::chrono::seconds(10),
};

Result<net::TlsIdentity> self_made(Instant now) {
  const auto authority = net::make_authority("basalt", now);
  if (!authority) return std::unexpected(authority.error());
  auto pair = net::sign_server(*authority, {.common_name = "basalt", .names = {"localhost", "127.0.0.1"}}, now);
  if (!pair) return std::unexpected(pair.error());
  return net::TlsIdentity{
      .certificate_pem = std::move(pair->certificate_pem), .key_pem = std::move(pair->key_pem), .client_ca_pem = {}};
}

Result<net::TlsIdentity> read_identity(const DiagnosticsTlsOptions& files, Instant now) {
  net::TlsIdentity identity;
  struct Source {
    const std::string& file;
    std::string& into;
  };
  for (const Source& source :
       {Source{files.certificate_file, identity.certificate_pem}, Source{files.key_file, identity.key_pem},
        Source{files.client_ca_file, identity.client_ca_pem}}) {
    if (source.file.empty()) continue;
    auto read = text::read_file(source.file, kMaxPemBytes);
    if (!read) return std::unexpected(read.error());
    source.into = std::move(*read);
  }
  const bool any = !files.certificate_file.empty() || !files.key_file.empty() || !files.client_ca_file.empty();
  if (any && (files.certificate_file.empty() || files.key_file.empty())) {
    return invalid("TLS needs a certificate file and a key file");
  }
  if (!any && files.self_signed_tls) return self_made(now);
  return identity;
}

class HttpEndpoints final : public DiagnosticsServer {
 public:
  HttpEndpoints(std::unique_ptr<net::Server> server, DiagnosticsTlsOptions files, net::TlsIdentity identity)
      : server_(std::move(server)), files_(std::move(files)), identity_(std::move(identity)) {
    if (!identity_.certificate_pem.empty()) thread_ = std::thread([this] { keep_looking(); });
  }
  HttpEndpoints(const HttpEndpoints&) = delete;
  HttpEndpoints& operator=(const HttpEndpoints&) = delete;
  ~HttpEndpoints() override {
    stopped_ = true;
    wake_up_.notify();
    if (thread_.joinable()) thread_.join();
    server_->stop(kGrace);
  }
  [[nodiscard]] uint16_t port() const override { return server_->port(); }

  void look(Instant now) override {
    const std::scoped_lock lock(mutex_);
    if (!is_due(now)) return;
    auto identity = read_identity(files_, now);
    auto used = identity ? use(std::move(*identity)) : std::unexpected(identity.error());
    const std::string complaint = used ? "" : "keeping the certificate in use: " + used.error().message;
    const bool news = std::exchange(complaint_, complaint) != complaint;
    if (news && !used && files_.report_error) files_.report_error(complaint);
  }

 private:
  void keep_looking() {
    while (!stopped_) {
      if (!wake_up_.wait(kCertificateCheckInterval)) look(client::wall_clock());
    }
  }

  // Files are due at every look, what was made here when it grows old.
  [[nodiscard]] bool is_due(Instant now) const {
    if (identity_.certificate_pem.empty()) return false;
    if (!files_.certificate_file.empty()) return true;
    const auto life = net::validity(identity_.certificate_pem);
    return !life || net::wants_renewal(*life, now);
  }

  Result<void> use(net::TlsIdentity identity) {
    if (identity.certificate_pem == identity_.certificate_pem && identity.key_pem == identity_.key_pem &&
        identity.client_ca_pem == identity_.client_ca_pem) {
      return {};
    }
    if (auto replaced = server_->replace_identity(identity); !replaced) return replaced;
    identity_ = std::move(identity);
    return {};
  }

  std::unique_ptr<net::Server> server_;
  const DiagnosticsTlsOptions files_;
  std::mutex mutex_;  // guards the next two
  net::TlsIdentity identity_;
  std::string complaint_;
  std::atomic<bool> stopped_ = false;
  loop::WakeUp wake_up_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

PageHandler healthy() {
  return [](const net::HttpRequest&) { return net::plain_text(200, "ok"); };
}

PageHandler ready_when(std::function<std::string()> ready) {
  return [ready = std::move(ready)](const net::HttpRequest&) {
    const std::string missing = ready();
    return missing.empty() ? net::plain_text(200, "ok") : net::plain_text(500, missing + "\n");
  };
}

PageHandler metrics_of(std::function<std::string()> text) {
  return [text = std::move(text)](const net::HttpRequest&) {
    net::HttpResponse response = net::plain_text(200, text());
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return response;
  };
}

net::HttpResponse answer_of(const PageTable& pages, const net::HttpRequest& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  // A path with a blank in it would name a row of another method.
  const auto reading = path.starts_with('/') ? pages.find(path) : pages.end(), writing = pages.find("PUT " + path);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const auto page = reads ? reading : request.method == "PUT" ? writing : pages.end();
  if (page != pages.end()) return page->second(request);
  if (reading == pages.end() && writing == pages.end()) {
    std::string known;
    for (const auto& [name, unused] : pages) known += name + "\n";
    return net::plain_text(404, "page not found; there are:\n" + known);
  }
  net::HttpResponse response = net::plain_text(405, "method not allowed\n");
  const std::string_view readers = reading != pages.end() ? "GET, HEAD" : "";
  const std::string_view writers = writing != pages.end() ? "PUT" : "";
  const std::string_view between = !readers.empty() && !writers.empty() ? ", " : "";
  response.headers.list.emplace_back("Allow", std::string(readers) + std::string(between) + std::string(writers));
  return response;
}

net::RequestHandler serving(PageTable pages) {
  return [pages = std::move(pages)](const std::shared_ptr<net::HttpExchange>& exchange) {
    exchange->reply(answer_of(pages, exchange->request()));
  };
}

std::string query_value(std::string_view target, std::string_view name) {
  const size_t mark = target.find('?');
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.substr(0, pair.find('=')) != name || !pair.contains('=')) continue;
    return client::percent_decoded(pair.substr(name.size() + 1)).value_or("");
  }
  return {};
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const auto wrong = [&] {
    return invalid("address " + text::in_quotes(text) + ": give one such as :8080, 127.0.0.1:8080 or [::1]:8080");
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = text.substr(0, colon);
  const auto port = text::parse_int32(text.substr(colon + 1));
  if (!port || *port < 0 || *port > UINT16_MAX) return wrong();
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (host.contains(':') != in_brackets) return wrong();
  if (host == "localhost") host = "127.0.0.1";
  return ListenAddress{.address = std::string(host), .port = static_cast<uint16_t>(*port)};
}

Result<std::unique_ptr<DiagnosticsServer>> DiagnosticsServer::start(const std::string& address,
                                                                    const DiagnosticsTlsOptions& files,
                                                                    PageTable pages) {
  auto place = parse_listen_address(address);
  if (!place) return std::unexpected(place.error());
  auto identity = read_identity(files, client::wall_clock());
  if (!identity) return std::unexpected(identity.error().within("serve " + address));
  net::ServerOptions options{.address = std::move(place->address),
                             .port = place->port,
                             .threads = 1,
                             .tls = *identity,
                             .limits = kEndpointLimits};
  auto server = net::Server::start(std::move(options), serving(std::move(pages)));
  if (!server) return std::unexpected(server.error());
  return std::make_unique<HttpEndpoints>(std::move(*server), files, std::move(*identity));
}

}  // namespace basalt::daemon
