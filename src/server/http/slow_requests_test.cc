#include "server/http/slow_requests.h"

#include <gtest/gtest.h>

namespace basalt::server {
namespace {

// Of a server with 10,000 pods and 3 nodes.
bool takes_long(std::string method, std::string target, size_t body = 0, std::string type = "application/json") {
  net::HttpRequest request{.method = std::move(method), .target = std::move(target), .body = std::string(body, 'x')};
  request.headers.list.emplace_back("Content-Type", std::move(type));
  const auto parsed = parse_target(request.target);
  return may_take_long(
      request, *parsed, parse_resource_path(parsed->segments),
      [](const api::GroupVersionResource& name) -> size_t { return name.plural == "pods" ? 10'000 : 3; });
}

TEST(LongWork, SmallReadsAndWritesStayWhereTheyAreRead) {
  EXPECT_FALSE(takes_long("GET", "/api/v1/namespaces/a/pods/b"));
  EXPECT_FALSE(takes_long("GET", "/api/v1/nodes"));
  EXPECT_FALSE(takes_long("GET", "/api/v1/nodes?watch=1"));
  EXPECT_FALSE(takes_long("GET", "/api/v1/pods?limit=500"));
  EXPECT_FALSE(takes_long("POST", "/api/v1/namespaces/a/pods", 4'000));
  EXPECT_FALSE(takes_long("POST", "/api/v1/namespaces/a/pods/b/binding", 300));
  EXPECT_FALSE(takes_long("PUT", "/api/v1/namespaces/a/pods/b/status", 4'000));
  EXPECT_FALSE(takes_long("DELETE", "/api/v1/namespaces/a/pods/b"));
}

TEST(LongWork, WhatCanBeLargeGoesElsewhere) {
  EXPECT_TRUE(takes_long("PATCH", "/api/v1/namespaces/a/pods/b", 10, "application/json-patch+json"));
  EXPECT_TRUE(takes_long("POST", "/api/v1/namespaces/a/configmaps", 100'000));
  EXPECT_TRUE(takes_long("POST", "/api/v1/namespaces/a/configmaps", 10, "application/yaml"));
  EXPECT_TRUE(takes_long("PUT", "/api/v1/namespaces/a/configmaps/b", 10, "application/yaml; charset=utf-8"));
  EXPECT_TRUE(takes_long("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", 10));
  EXPECT_TRUE(takes_long("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a"));
  EXPECT_TRUE(takes_long("DELETE", "/api/v1/namespaces/a/pods"));
  EXPECT_TRUE(takes_long("GET", "/api/v1/pods"));
  EXPECT_TRUE(takes_long("GET", "/api/v1/pods?limit=501"));
  EXPECT_TRUE(takes_long("GET", "/api/v1/pods?limit=1&labelSelector=a%3Db"));
  EXPECT_TRUE(takes_long("GET", "/api/v1/pods?watch=1&limit=1"));
  EXPECT_TRUE(takes_long("GET", "/api/v1/pods?limit=99999999999999999999999"));
  EXPECT_TRUE(takes_long("GET", "/api/v1/namespaces/a/pods/b/log"));
  EXPECT_TRUE(takes_long("GET", "/openapi/v3/api/v1"));
  EXPECT_TRUE(takes_long("GET", "/metrics"));
}

}  // namespace
}  // namespace basalt::server
