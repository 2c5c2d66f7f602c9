// Calls over one connection to the server: what the threads of the HTTPS client, and its watches, each have one of.
//
// A Transport is what they share: where the server is, who we are, certificates that are read once. A
// TransportConnection is one kept-alive connection, used by one thread at a time; it connects when it is first used,
// and again when the connection broke or our certificate changed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "kube/client/call_request.h"
#include "kube/client/credentials.h"
#include "kube/client/https_object_client.h"
#include "kube/client/object_client.h"
#include "kube/client/response_decoder.h"
#include "kube/client/rest_config.h"
#include "kube/net/http_client.h"

namespace basalt::client {

class Transport {
 public:
  // Certificates and keys are read.
  [[nodiscard]] static Result<std::shared_ptr<Transport>> make(RestConfig connection, HttpsObjectClientOptions options);

  Transport(RestConfig connection, HttpsObjectClientOptions options);  // see make()

  // A client for the connection, with the certificate of `credentials`. From any thread.
  [[nodiscard]] Result<net::HttpClient> dial(const Credentials& credentials,
                                             std::shared_ptr<const net::Interrupt> interrupt);
  [[nodiscard]] net::HttpRequest http_request(const CallRequest& request, const Credentials& credentials) const;
  [[nodiscard]] CredentialSource& credentials() { return credentials_; }
  [[nodiscard]] std::string url() const { return connection_.server.url(); }
  // How the answers to a call are to be read: as http_request() asked for them.
  [[nodiscard]] ResponseFormat response_format_of(const api::Call& call) const;
  [[nodiscard]] bool lean() const { return options_.lean; }
  [[nodiscard]] std::chrono::milliseconds watch_quiet() const { return options_.watch_quiet; }
  // The name that managedFields show for us.
  [[nodiscard]] std::string field_manager() const;

 private:
  [[nodiscard]] net::HttpClientOptions client_options(const Credentials& credentials) const;

  const RestConfig connection_;
  const HttpsObjectClientOptions options_;
  CredentialSource credentials_;
  std::mutex mutex_;
  std::optional<net::HttpClient> pattern_;  // siblings of it share its certificates
  uint64_t pattern_certificate_ = 0;
};

class TransportConnection {
 public:
  // `interrupt` ends whatever the line is doing, for good.
  TransportConnection(std::shared_ptr<Transport> transport, std::shared_ptr<const net::Interrupt> interrupt)
      : transport_(std::move(transport)), interrupt_(std::move(interrupt)) {}

  [[nodiscard]] ReplyOrError call(const api::Call& call);

  // A watch, until it ends; `receive` says false to end it. What ended it, unless `receive` did.
  using Receive = std::function<bool(WatchEvent)>;
  [[nodiscard]] std::optional<api::ApiError> watch(const api::Call& call, const Receive& receive);

 private:
  using Ask = std::function<Result<net::HttpResponse>(net::HttpClient&, const net::HttpRequest&)>;
  api::ApiResult<net::HttpResponse> exchange(const api::Call& call, const Ask& ask);
  Result<void> prepare(const Credentials& credentials);
  [[nodiscard]] api::ApiError lost(const Error& error) const;

  std::shared_ptr<Transport> transport_;             // shared with the other lines
  std::shared_ptr<const net::Interrupt> interrupt_;  // shared with whoever raises it
  std::optional<net::HttpClient> client_;
  uint64_t certificate_ = 0;  // the number of the one that client_ has
};

}  // namespace basalt::client
