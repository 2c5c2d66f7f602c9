#include "tests/client/test_server.h"

#include <ctime>

#include "kube/api/object_fields.h"
#include "server/http/response_encoding.h"

namespace basalt::tests {
namespace {

Instant now() { return Instant::from_unix_seconds(std::time(nullptr)); }

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

}  // namespace

TestServer::TestServer()
    : authority_(must(net::make_authority("test", now()))),
      certificate_(
          must(net::sign_server(authority_, {.common_name = "test", .names = net::kubernetes_server_names()}, now()))),
      store_(store::Store::in_memory()),
      api_(std::make_unique<server::ApiServer>(*store_, server::ApiServerOptions{.clock = now, .seed = 7})),
      metrics_(0, "test") {
  server::InProcessClient client(*api_, {.name = "system:basalt"}, "basalt");
  EXPECT_TRUE(client.call({.verb = api::Verb::Create,
                           .resource = {.group = "", .version = "v1", .plural = "namespaces"},
                           .body = json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}})")}));
  edge_ = std::make_unique<server::HttpHandler>(
      *api_, metrics_,
      server::HttpHandlerOptions{.authentication =
                                     server::Authentication({{.token = "t", .user = {.name = "tester"}},
                                                             {.token = "t2", .user = {.name = "other"}}})});
  listen();
}

TestServer::~TestServer() { stop(); }

void TestServer::listen() {
  net::ServerOptions options{.port = port_,
                             .tls = {.certificate_pem = certificate_.certificate_pem,
                                     .key_pem = certificate_.key_pem,
                                     .client_ca_pem = authority_.certificate_pem},
                             .error_body = [](unsigned status, std::string_view message) {
                               api::ApiError error = api::bad_request(std::string(message));
                               error.code = static_cast<int>(status);
                               return server::encode(error).body;
                             }};
  network_ = must(net::Server::start(
      std::move(options), [this](const std::shared_ptr<net::HttpExchange>& exchange) { edge_->handle(exchange); }));
  port_ = network_->port();
}

void TestServer::stop() {
  if (network_ != nullptr) network_->stop(kTestTimeout);
  network_.reset();
}

void TestServer::start_again() { listen(); }

client::RestConfig TestServer::connection() const {
  return {
      .server = {.host = "127.0.0.1", .port = port_}, .ca_pem = authority_.certificate_pem, .identity = {.token = "t"}};
}

std::unique_ptr<client::ObjectClient> TestServer::client(ClientAccess door) {
  if (door == ClientAccess::InProcess) {
    return std::make_unique<server::InProcessClient>(*api_, api::UserInfo{.name = "tester"}, "contract");
  }
  client::RestConfig way = connection();
  if (door == ClientAccess::Certificate) {
    const net::KeyPair pair =
        must(net::sign_client(authority_, {.common_name = "tester", .organizations = {"testers"}}, now()));
    way.identity = {.certificate_pem = pair.certificate_pem, .key_pem = pair.key_pem};
  }
  return client(std::move(way), door == ClientAccess::Lean);
}

std::unique_ptr<client::ObjectClient> TestServer::client(client::RestConfig connection, bool lean) {
  return must(client::HttpsObjectClient::make(std::move(connection), {.user_agent = "contract/1.0", .lean = lean}));
}

client::WatchEvent Received::next() {
  std::unique_lock lock(mutex_);
  if (!more_.wait_for(lock, kTestTimeout, [this] { return !events_.empty(); })) {
    ADD_FAILURE() << "waited in vain for an event";
    return {.type = client::WatchEventType::Error};
  }
  client::WatchEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::string Received::next_line() {
  const client::WatchEvent event = next();
  switch (event.type) {
    case client::WatchEventType::Added:
      return "ADDED " + name_of(event.object);
    case client::WatchEventType::Modified:
      return "MODIFIED " + name_of(event.object);
    case client::WatchEventType::Deleted:
      return "DELETED " + name_of(event.object);
    case client::WatchEventType::Bookmark:
      return "BOOKMARK";
    case client::WatchEventType::Error:
      break;
  }
  if (event.object == nullptr) return "nothing";
  const text::Object& status = event.object->get_object();
  return "ERROR " + std::to_string(api::int_at(status, {"code"})) + " " + std::string(api::string_at(status, "reason"));
}

bool Received::empty() {
  const std::lock_guard lock(mutex_);
  return events_.empty();
}

text::Value json(std::string_view text) { return must(text::parse_json(text)); }

api::Call config_maps(api::Verb verb, std::string name) {
  return {.verb = verb,
          .resource = {.group = "", .version = "v1", .plural = "configmaps"},
          .namespace_name = "default",
          .name = std::move(name)};
}

api::Call create_config_map(const std::string& name, const std::string& value, const std::string& label) {
  api::Call call = config_maps(api::Verb::Create);
  text::Object metadata{{"name", name}};
  if (!label.empty()) metadata["labels"] = text::Object{{"group", label}};
  call.body = text::Object{
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", metadata}, {"data", text::Object{{"value", value}}}};
  return call;
}

std::string name_of(const client::ObjectPtr& object) {
  return object == nullptr ? "" : std::string(api::name_of(object->get_object()));
}

std::string version_of(const client::ObjectPtr& object) {
  return std::string(api::string_at(object->get_object(), {"metadata", "resourceVersion"}));
}

}  // namespace basalt::tests
