// An API server in memory for the webhook server to follow and write to.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/net/http_client.h"
#include "kube/text/json.h"
#include "programs/webhook/review_text.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::tests {

class WebhookFixture {
 public:
  WebhookFixture();

  [[nodiscard]] client::ObjectClient& client() { return *client_; }
  // A manifest in YAML; the test fails when the server refuses it.
  void create(std::string_view plural, std::string_view manifest);
  void remove(std::string_view plural, const std::string& name);
  [[nodiscard]] client::ObjectPtr get(std::string_view plural, const std::string& name, const std::string& ns = "");
  // The one caBundle of the configuration of a path, decoded; "": none.
  [[nodiscard]] std::string bundle_of(std::string_view path);
  // Merges into the object.
  void patch(std::string_view plural, const std::string& name, const std::string& ns, text::Value change);

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::InProcessClient> client_;
};

// Until it is so; the test fails when that takes too long.
void await(const std::function<bool()>& is_so, std::string_view what);

// A review as kube-apiserver sends it.
[[nodiscard]] std::string review_text(std::string_view path, std::string_view operation, std::string_view object_yaml,
                                      std::string_view name = "x");
// POST of a review; the answer's `response`, or its status and text when it is no review.
[[nodiscard]] text::Object post(net::HttpClient& http, const std::string& path, const std::string& body);

}  // namespace basalt::tests
