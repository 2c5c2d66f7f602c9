// The pages that a program serves about itself: /healthz, /readyz, /metrics, /debug/…, in plain HTTP or in TLS.
//
// Pages are functions that answer at once, on the one network thread. An unknown path is 404 and names those there
// are; another method than GET and HEAD, or than PUT where a page takes it, is 405.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "kube/net/http.h"

namespace basalt::daemon {

using PageHandler = std::function<net::HttpResponse(const net::HttpRequest&)>;
using PageTable = std::map<std::string, PageHandler>;  // "/metrics" for GET and HEAD, "PUT /debug/flags/v" for PUT

// As Kubernetes has it: "ok".
[[nodiscard]] PageHandler healthy();
// "ok" while `ready` says "", else 500 with what it says: "the cache is not filled yet: pods".
[[nodiscard]] PageHandler ready_when(std::function<std::string()> ready);
// Prometheus text.
[[nodiscard]] PageHandler metrics_of(std::function<std::string()> text);

// The page's answer to the request, 404 or 405. Pure but for the page.
[[nodiscard]] net::HttpResponse answer_of(const PageTable& pages, const net::HttpRequest& request);
// For a server that has these pages and nothing else.
[[nodiscard]] net::RequestHandler serving(PageTable pages);
// The value of `name` in the target's query, decoded; "": absent, or an escape that is none.
[[nodiscard]] std::string query_value(std::string_view target, std::string_view name);

// Files are read again and again: who replaces them replaces the certificate of new connections.
inline constexpr Duration kCertificateCheckInterval = Duration::seconds(60);

struct DiagnosticsTlsOptions {  // all "" : plain HTTP; else the first two are needed
  std::string certificate_file, key_file, client_ca_file;
  // Without files: in TLS with a certificate that is made here, and renewed, and that nobody can verify. Kubelets'
  // probes do not.
  bool self_signed_tls = false;
  std::function<void(const std::string& line)> report_error;  // about files that cannot be used, once for each reason
};

struct ListenAddress {
  std::string address;  // "": all interfaces
  uint16_t port = 0;
};
// ":8080", "127.0.0.1:0", "[::1]:11251", "localhost:8080".
[[nodiscard]] Result<ListenAddress> parse_listen_address(std::string_view text);

class DiagnosticsServer {
 public:
  // `address` as above. Listens when it returns; an error names the address.
  static Result<std::unique_ptr<DiagnosticsServer>> start(const std::string& address,
                                                          const DiagnosticsTlsOptions& files, PageTable pages);
  virtual ~DiagnosticsServer() = default;  // no page is called any more after it
  [[nodiscard]] virtual uint16_t port() const = 0;
  // One look at the files, or at the age of the certificate that was made here: by itself every
  // kCertificateCheckInterval. What cannot be used changes nothing. From any thread.
  virtual void look(Instant now) = 0;
};

}  // namespace basalt::daemon
