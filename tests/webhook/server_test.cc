// The webhook server over HTTPS, beside an API server in memory.
#include <filesystem>
#include <fstream>

#include "kube/api/object_fields.h"
#include "kube/client/wall_clock.h"
#include "kube/net/certificates.h"
#include "kube/text/base64.h"
#include "programs/webhook/webhook_server.h"
#include "tests/webhook/webhook_fixture.h"

namespace basalt::tests {
namespace {

constexpr std::string_view kJob =
    "{metadata: {name: x, namespace: default}, spec: {queue: QUEUE, schedulerName: volcano, minAvailable: 1, "
    "maxRetry: 3, tasks: [{name: w, replicas: 1, minAvailable: 1, maxRetry: 3, template: {spec: {restartPolicy: Never, "
    "containers: [{name: c, image: i}]}}}]}}";

std::string job_in(std::string_view queue) {
  std::string job(kJob);
  return job.replace(job.find("QUEUE"), 5, queue);
}

// What the API client is asked goes nowhere until it is let go.
class SlowGets final : public client::ObjectClient {
 public:
  explicit SlowGets(client::ObjectClient& inner) : inner_(inner) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (call.verb == api::Verb::Get && call.resource.plural == "queues") {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(done));
      return;
    }
    inner_.send(std::move(call), std::move(done));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override {
    return inner_.watch(std::move(call), std::move(receive));
  }
  size_t held() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    for (auto& done : held_) done(std::unexpected(api::unavailable("too late")));
    held_.clear();
  }

 private:
  client::ObjectClient& inner_;
  std::mutex mutex_;
  std::vector<std::function<void(client::ReplyOrError)>> held_;
};

// Webhook configurations are none of our business.
class WithoutConfigurations final : public client::ObjectClient {
 public:
  explicit WithoutConfigurations(client::ObjectClient& inner) : inner_(inner) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (!call.resource.plural.ends_with("configurations")) return inner_.send(std::move(call), std::move(done));
    done(std::unexpected(api::forbidden(call.resource.group, call.resource.plural, "", "no")));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override {
    return inner_.watch(std::move(call), std::move(receive));
  }

 private:
  client::ObjectClient& inner_;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    options_.address = "127.0.0.1";
    options_.port = 0;
    options_.paths = {"/jobs/mutate", "/jobs/validate", "/podgroups/mutate", "/queues/validate", "/pods/mutate"};
    options_.client_config.url = "https://127.0.0.1:1";
    options_.create_configurations = true;
    options_.look_every = Duration::millis(20);
    options_.timing.settle = Duration::millis(50);
  }
  ~ServerTest() override {
    for (const std::string& file : files_) std::remove(file.c_str());
  }

  void start() {
    auto started = webhook::WebhookServer::start(*api_, options_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    await([this] { return server_->not_ready().empty(); }, "ready");
  }
  // As kube-apiserver: trusting the caBundle and nobody else.
  net::HttpClient dial() {
    await([this] { return !fixture_.bundle_of("/jobs/mutate").empty(); }, "caBundle");
    auto http = net::HttpClient::make("127.0.0.1", server_->port(), {.ca_pem = fixture_.bundle_of("/jobs/mutate")});
    EXPECT_TRUE(http);
    return std::move(*http);
  }
  std::string write(const std::string& name, const std::string& content) {
    const std::string path = testing::TempDir() + "webhook_" + std::to_string(getpid()) + "_" + name;
    std::ofstream(path + ".new") << content;
    std::filesystem::rename(path + ".new", path);  // whoever reads it sees the old or the new, never a part
    files_.push_back(path);
    return path;
  }
  static std::string message_of(const text::Object& response) {
    return std::string(api::string_at(response, {"status", "message"}));
  }

  WebhookFixture fixture_;
  client::ObjectClient* api_ = &fixture_.client();
  webhook::WebhookOptions options_;
  std::vector<std::string> files_;
  std::unique_ptr<webhook::WebhookServer> server_;
};

TEST_F(ServerTest, AnswersReviews) {
  start();
  net::HttpClient http = dial();
  text::Object answer = post(http, "/jobs/validate", review_text("/jobs/validate", "CREATE", job_in("default")));
  EXPECT_EQ(text::to_json(answer), R"({"uid":"u-1","allowed":true})");
  answer = post(http, "/jobs/validate", review_text("/jobs/validate", "CREATE", "{metadata: {name: x}, spec: {}}"));
  EXPECT_TRUE(message_of(answer).starts_with("No task specified in job spec")) << text::to_json(answer);
  answer = post(http, "/jobs/mutate", review_text("/jobs/mutate", "CREATE", "{spec: {tasks: [{replicas: 1}]}}"));
  const auto patch = text::decode_base64(api::string_at(answer, "patch"));
  EXPECT_NE(patch.value_or("").find(R"({"op":"add","path":"/spec/queue","value":"default"})"), std::string::npos);
  answer = post(http, "/queues/validate", review_text("/queues/validate", "DELETE", "", "default"));
  EXPECT_TRUE(message_of(answer).starts_with("`default` queue can not be deleted"));
  const std::string metrics = server_->metrics();
  EXPECT_NE(metrics.find(R"(volcano_admission_reviews_total{path="/jobs/validate",result="denied"} 1)"),
            std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("volcano_admission_configurations_trusted 1"), std::string::npos);
}

TEST_F(ServerTest, WhatIsNoReviewGetsAReason) {
  start();
  net::HttpClient http = dial();
  const auto ask = [&http](std::string method, std::string target, std::string type, std::string body) {
    const auto answer = http.request({.method = std::move(method),
                                      .target = std::move(target),
                                      .headers = {{{"Content-Type", std::move(type)}}},
                                      .body = std::move(body),
                                      .peer = {}});
    return answer ? std::to_string(answer->status) + " " + answer->body : answer.error().message;
  };
  EXPECT_EQ(ask("POST", "/jobs/validate", "text/plain", "{}"), "415 a review is sent as application/json\n");
  EXPECT_TRUE(ask("POST", "/jobs/validate", "application/json", "{").starts_with("400 this is no AdmissionReview: "));
  EXPECT_TRUE(ask("POST", "/jobs/validate", "Application/JSON; charset=utf-8", "[]").starts_with("400 "));
  EXPECT_TRUE(ask("POST", "/pods/validate", "application/json", "{}").starts_with("404 "));
  EXPECT_TRUE(ask("POST", "/", "application/json", "{}").starts_with("404 "));
  EXPECT_TRUE(ask("GET", "/jobs/validate", "", "").starts_with("405 "));
  EXPECT_EQ(ask("GET", "/healthz", "", ""), "200 ok\n");
  EXPECT_EQ(ask("GET", "/readyz?verbose", "", ""), "200 ok\n");
  EXPECT_TRUE(ask("POST", "/jobs/validate", "application/json", std::string(webhook::kMaxReviewBytes + 1, ' '))
                  .starts_with("413 "));
}

TEST_F(ServerTest, AQuestionThatIsNotAnsweredDoesNotHoldUpTheReview) {
  SlowGets slow(fixture_.client());
  api_ = &slow;
  start();
  net::HttpClient http = dial();
  const text::Object answer = post(http, "/jobs/validate", review_text("/jobs/validate", "CREATE", job_in("nowhere")));
  EXPECT_TRUE(message_of(answer).starts_with("unable to find job queue: ")) << text::to_json(answer);
  EXPECT_EQ(slow.held(), 1U);
  server_->stop(std::chrono::milliseconds(1000));
  server_.reset();
  slow.let_go();  // long after the server is gone
}

TEST_F(ServerTest, AQueueMadeAMomentAgoCounts) {
  start();
  net::HttpClient http = dial();
  for (int i = 0; i < 50; ++i) {
    const std::string name = "q" + std::to_string(i);
    fixture_.create("queues", "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name +
                                  "}, spec: {weight: 1}}");
    const text::Object answer = post(http, "/jobs/validate", review_text("/jobs/validate", "CREATE", job_in(name)));
    ASSERT_EQ(message_of(answer), "") << i;
  }
}

TEST_F(ServerTest, NewCertificatesAreServedWhileRequestsGoOn) {
  start();
  net::HttpClient steady = dial();
  const std::string review = review_text("/jobs/validate", "CREATE", job_in("default"));
  const auto certificate = [this] {
    const client::ObjectPtr secret = fixture_.get("secrets", "volcano-admission-secret", "volcano-system");
    return secret ? std::string(api::string_at(secret->get_object(), {"data", "tls.crt"})) : "";
  };
  const std::string before = certificate();
  // An authority whose key is lost, and a certificate that will soon end: both must be replaced.
  const Instant past{client::wall_clock().nanos - Duration::seconds(int64_t{300} * 24 * 3600).nanos};
  const net::KeyPair authority = net::make_authority("lost", past).value();
  const net::KeyPair leaf =
      net::sign_server(
          authority,
          {.common_name = "s",
           .names = webhook::server_names("volcano-admission-service", "volcano-system", options_.client_config.url)},
          past)
          .value();
  fixture_.patch("secrets", "volcano-admission-secret", "volcano-system",
                 text::Object{{"data", text::Object{{"ca.crt", text::encode_base64(authority.certificate_pem)},
                                                    {"ca.key", ""},
                                                    {"tls.crt", text::encode_base64(leaf.certificate_pem)},
                                                    {"tls.key", text::encode_base64(leaf.key_pem)}}}});
  const auto moved_on = [&] {
    const auto stored = text::decode_base64(certificate());
    return stored && *stored != leaf.certificate_pem && certificate() != before;
  };
  await(
      [&] {
        // A new connection each time, with the caBundle of the moment; and one that stays.
        net::HttpClient http = dial();
        const text::Object fresh = post(http, "/jobs/validate", review);
        EXPECT_TRUE(fresh.contains("allowed")) << text::to_json(fresh);
        EXPECT_TRUE(post(steady, "/jobs/validate", review).contains("allowed"));
        return moved_on();
      },
      "a new certificate");
}

TEST_F(ServerTest, FilesAreServedThoughConfigurationsAreForbidden) {
  const auto make_files = [this](const net::KeyPair& authority) {
    const net::KeyPair leaf =
        net::sign_server(authority, {.common_name = "s", .names = {"127.0.0.1"}}, client::wall_clock()).value();
    options_.files = {.certificate = write("tls.crt", leaf.certificate_pem),
                      .key = write("tls.key", leaf.key_pem),
                      .authority = write("ca.crt", authority.certificate_pem)};
  };
  const net::KeyPair first = net::make_authority("first", client::wall_clock()).value();
  const net::KeyPair second = net::make_authority("second", client::wall_clock()).value();
  WithoutConfigurations narrow(fixture_.client());
  api_ = &narrow;
  make_files(first);
  start();
  const auto answers = [this](const net::KeyPair& authority) {
    auto http = net::HttpClient::make("127.0.0.1", server_->port(), {.ca_pem = authority.certificate_pem});
    return http && post(*http, "/jobs/validate", review_text("/jobs/validate", "CREATE", job_in("default")))
                       .contains("allowed");
  };
  EXPECT_TRUE(answers(first));
  EXPECT_FALSE(answers(second));
  make_files(second);
  await([&] { return answers(second); }, "the new files");
  EXPECT_EQ(fixture_.get("secrets", "volcano-admission-secret", "volcano-system"), nullptr);
  server_.reset();  // before the client goes
}

TEST_F(ServerTest, TheConfIsReadAgain) {
  options_.admission_conf = write("conf", "");
  start();
  net::HttpClient http = dial();
  const std::string review = review_text("/pods/mutate", "CREATE", "{metadata: {name: x, namespace: default}}");
  EXPECT_FALSE(post(http, "/pods/mutate", review).contains("patch"));
  write("conf", "resourceGroups: [{resourceGroup: a, object: {key: namespace, value: [default]}, schedulerName: s}]");
  await([&] { return post(http, "/pods/mutate", review).contains("patch"); }, "the group");
  await([&] { return !fixture_.bundle_of("/pods/mutate").empty(); }, "its configuration");
  write("conf", "resourceGroups: [[");
  EXPECT_TRUE(post(http, "/pods/mutate", review).contains("patch"));
}

TEST_F(ServerTest, SaysWhyItDoesNotStart) {
  const auto why = [this] {
    const auto started = webhook::WebhookServer::start(*api_, options_);
    return started ? "" : started.error().message;
  };
  const webhook::WebhookOptions good = options_;
  options_.paths.emplace_back("/jobs/judge");
  EXPECT_TRUE(why().starts_with("there is no webhook \"/jobs/judge\"; there are /jobs/mutate")) << why();
  options_ = good;
  options_.admission_conf = write("bad", "resourceGroups: 5");
  EXPECT_NE(why().find("resourceGroups: expected a list"), std::string::npos) << why();
  options_ = good;
  options_.files.certificate = write("cert", "no certificate");
  EXPECT_EQ(why(), "--tls-cert-file needs --tls-private-key-file");
  options_.files.key = write("key", "no key");
  EXPECT_NE(why().find("webhook_"), std::string::npos) << why();
  options_ = good;
  options_.address = "256.1.1.1";
  EXPECT_NE(why(), "");
}

TEST_F(ServerTest, ConfigurationsCanBePrinted) {
  const auto yaml = webhook::configurations_yaml(options_);
  ASSERT_TRUE(yaml);
  EXPECT_NE(yaml->find("name: volcano-admission-service-jobs-mutate"), std::string::npos) << *yaml;
  EXPECT_EQ(yaml->find("pods-mutate"), std::string::npos);
  EXPECT_EQ(yaml->find("caBundle"), std::string::npos);
}

}  // namespace
}  // namespace basalt::tests
