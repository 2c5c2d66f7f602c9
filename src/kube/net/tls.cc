#include "kube/net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace basalt::net {
namespace {

constexpr std::string_view kAlpn = "\x08http/1.1";
constexpr std::string_view kSessionContext = "basalt";

// Every suite encrypts and authenticates in one (AEAD), and every key is forgotten with its session.
constexpr const char* kSuites12 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* kSuites13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: OpenSSL's bytes are unsigned
}

// Our own socket BIO instead of OpenSSL's: that one raises SIGPIPE when the peer is gone.
int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }  // NOLINT

int socket_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(socket_of(bio), data, static_cast<size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int socket_read(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const auto got = ::recv(socket_of(bio), into, static_cast<size_t>(size), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) BIO_set_retry_read(bio);
  if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(got);
}

long socket_control(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

int choose_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*user*/) {
  unsigned char* match = nullptr;
  const int found = SSL_select_next_proto(&match, chosen_size, bytes(kAlpn), static_cast<unsigned>(kAlpn.size()),
                                          offered, offered_size);
  *chosen = match;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::vector<std::string> subject_entries(const X509_NAME* subject, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, nid, at)) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<size_t>(size));  // NOLINT
    OPENSSL_free(text);
  }
  return values;
}

}  // namespace

Result<void> TlsContext::create(const SSL_METHOD* method) {
  ERR_clear_error();
  context_.reset(SSL_CTX_new(method));
  socket_method_.reset(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "basalt socket"));
  if (!context_ || !socket_method_) return openssl_failure("set up TLS");
  BIO_meth_set_write(socket_method_.get(), socket_write);
  BIO_meth_set_read(socket_method_.get(), socket_read);
  BIO_meth_set_ctrl(socket_method_.get(), socket_control);
  SSL_CTX* context = context_.get();
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 || SSL_CTX_set_cipher_list(context, kSuites12) != 1 ||
      SSL_CTX_set_ciphersuites(context, kSuites13) != 1) {
    return openssl_failure("choose the cipher suites");
  }
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // The buffers of a quiet session are given back: a thousand watches must not cost 33 KB each.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);  // one recv for a record's header and body
  return {};
}

Result<void> TlsContext::use_identity(std::string_view certificate_pem, std::string_view key_pem) {
  auto chain = read_certificates(certificate_pem);
  if (!chain) return std::unexpected(chain.error());
  auto key = read_key(key_pem);
  if (!key) return std::unexpected(key.error());
  SSL_CTX* context = context_.get();
  if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) return openssl_failure("use the certificate");
  for (size_t i = 1; i < chain->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) != 1) return openssl_failure("use the certificate chain");
  }
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1) return openssl_failure("use the private key");
  return {};
}

Result<void> TlsContext::trust(std::string_view ca_pem) {
  auto authorities = read_certificates(ca_pem);
  if (!authorities) return std::unexpected(authorities.error().within("certificate authority"));
  X509_STORE* store = SSL_CTX_get_cert_store(context_.get());
  for (const CertificatePtr& authority : *authorities) {
    if (X509_STORE_add_cert(store, authority.get()) != 1) return openssl_failure("trust the certificate authority");
    SSL_CTX_add_client_CA(context_.get(), authority.get());
  }
  return {};
}

Result<std::shared_ptr<const TlsContext>> TlsContext::server(std::string_view certificate_pem, std::string_view key_pem,
                                                             std::string_view client_ca_pem) {
  auto made = std::make_shared<TlsContext>();
  if (auto ok = made->create(TLS_server_method()); !ok) return std::unexpected(ok.error());
  if (auto ok = made->use_identity(certificate_pem, key_pem); !ok) return std::unexpected(ok.error());
  SSL_CTX* context = made->context_.get();
  if (!client_ca_pem.empty()) {
    if (auto ok = made->trust(client_ca_pem); !ok) return std::unexpected(ok.error());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  // Tickets carry the session, so the server need not remember any.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_session_id_context(context, bytes(kSessionContext), static_cast<unsigned>(kSessionContext.size()));
  return made;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const ClientTls& tls) {
  auto made = std::make_shared<TlsContext>();
  if (auto ok = made->create(TLS_client_method()); !ok) return std::unexpected(ok.error());
  SSL_CTX* context = made->context_.get();
  if (tls.insecure) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  } else if (tls.system_roots) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) return openssl_failure("trust the system's authorities");
  } else if (auto ok = made->trust(tls.ca_pem); !ok) {
    return std::unexpected(ok.error());
  }
  if (!tls.certificate_pem.empty() || !tls.key_pem.empty()) {
    if (auto ok = made->use_identity(tls.certificate_pem, tls.key_pem); !ok) return std::unexpected(ok.error());
  }
  if (!tls.insecure) SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_set_alpn_protos(context, bytes(kAlpn), static_cast<unsigned>(kAlpn.size())) != 0) {
    return openssl_failure("offer http/1.1");
  }
  return made;
}

Result<TlsSession> TlsSession::make(std::shared_ptr<const TlsContext> context, int socket) {
  ERR_clear_error();
  SslPtr ssl(SSL_new(context->context_.get()));
  BIO* bio = BIO_new(context->socket_method_.get());
  if (!ssl || bio == nullptr) {
    BIO_free(bio);
    return openssl_failure("start a TLS session");
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket)));  // NOLINT: see socket_of
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl.get(), bio, bio);  // takes the one reference for both
  return TlsSession(std::move(context), std::move(ssl));
}

Result<TlsSession> TlsSession::accept(std::shared_ptr<const TlsContext> context, int socket) {
  auto session = make(std::move(context), socket);
  if (session) SSL_set_accept_state(session->ssl_.get());
  return session;
}

Result<TlsSession> TlsSession::connect(std::shared_ptr<const TlsContext> context, int socket, const std::string& host) {
  auto session = make(std::move(context), socket);
  if (!session) return session;
  SSL* ssl = session->ssl_.get();
  SSL_set_connect_state(ssl);
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const bool is_address =
      inet_pton(AF_INET, host.c_str(), address.data()) == 1 || inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
  const int expected =
      is_address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) : SSL_set1_host(ssl, host.c_str());
  if (expected != 1) return openssl_failure("expect a certificate for " + host);
  // SSL_set_tlsext_host_name, whose macro has a cast that our warnings forbid. The name is copied.
  if (!is_address) {
    SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host.c_str()));  // NOLINT
  }
  return session;
}

TlsStep TlsSession::step_of(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return TlsStep::WantRead;
    case SSL_ERROR_WANT_WRITE:
      return TlsStep::WantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return TlsStep::Closed;
    default:
      break;
  }
  const unsigned long error = ERR_peek_error();
  if (error == 0) {
    reason_ = "connection lost";
    return TlsStep::Closed;
  }
  plain_http_ = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
  const bool lost = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  reason_ = openssl_reason();
  if (const long verdict = SSL_get_verify_result(ssl_.get()); verdict != X509_V_OK) {
    reason_ += std::string(" (") + X509_verify_cert_error_string(verdict) + ")";
  }
  return lost ? TlsStep::Closed : TlsStep::Failed;
}

TlsStep TlsSession::handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? TlsStep::Done : step_of(result);
}

TlsStep TlsSession::read(std::span<char> into, size_t& got) {
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
  return result == 1 ? TlsStep::Done : step_of(result);
}

TlsStep TlsSession::write(std::string_view data, size_t& put) {
  ERR_clear_error();
  const int result = SSL_write_ex(ssl_.get(), data.data(), data.size(), &put);
  return result == 1 ? TlsStep::Done : step_of(result);
}

void TlsSession::close_notify() {
  ERR_clear_error();
  // After a fatal error, or before the handshake's end, OpenSSL refuses; then there is nobody to tell.
  if (SSL_in_init(ssl_.get()) == 0) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

void TlsSession::describe(Peer& peer) const {
  const CertificatePtr certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (!certificate || SSL_get_verify_result(ssl_.get()) != X509_V_OK) return;
  const X509_NAME* subject = X509_get_subject_name(certificate.get());
  auto names = subject_entries(subject, NID_commonName);
  peer.has_certificate = true;
  if (!names.empty()) peer.common_name = std::move(names.front());
  peer.organizations = subject_entries(subject, NID_organizationName);
}

}  // namespace basalt::net
