#include "server/http/health_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace basalt::server {
namespace {

using Condition = store::StoreHealth::Condition;

struct HealthCheck {
  std::string_view name;
  std::string_view failure;  // empty: it passes
};

std::string_view store_failure(Condition condition) {
  switch (condition) {
    case Condition::Writable:
    case Condition::Full:
      return "";
    case Condition::Failing:
      return "the disk refuses writes; reads go on, and it is tried again";
    case Condition::Lost:
      return "the file does not hold what was acknowledged";
  }
  return "";
}

std::vector<HealthCheck> checks_of(std::string_view page, const ServerHealth& health) {
  std::vector<HealthCheck> checks{
      {.name = "ping", .failure = ""},
      {.name = "store", .failure = store_failure(health.store)},
      {.name = "store-space",
       .failure = health.store == Condition::Full ? "the disk is full; only deletions are accepted" : ""}};
  if (page == "readyz") checks.push_back({.name = "shutdown", .failure = health.stopping ? "the server stops" : ""});
  return checks;
}

net::HttpResponse one_check(const std::vector<HealthCheck>& checks, std::string_view name) {
  const auto check = std::ranges::find(checks, name, &HealthCheck::name);
  if (check == checks.end()) return net::plain_text(404, "404 page not found\n");
  if (check->failure.empty()) return net::plain_text(200, "ok");
  return net::plain_text(500, fmt::format("internal server error: {}\n", check->failure));
}

}  // namespace

net::HttpResponse health_page(const RequestTarget& target, const ServerHealth& health) {
  const std::string& page = target.segments[0];
  const std::vector<HealthCheck> checks = checks_of(page, health);
  if (target.segments.size() > 1) return one_check(checks, target.segments[1]);
  std::string lines;
  bool passes = true;
  for (const HealthCheck& check : checks) {
    const bool excluded = std::ranges::find(target.query, std::pair<std::string, std::string>("exclude", check.name)) !=
                          target.query.end();
    const bool good = check.failure.empty() || excluded;
    passes = passes && good;
    fmt::format_to(std::back_inserter(lines), "[{}]{} {}{}\n", good ? '+' : '-', check.name,
                   excluded ? "excluded: ok"
                   : good   ? "ok"
                            : "failed: ",
                   good ? "" : check.failure);
  }
  if (passes && !target.has("verbose")) return net::plain_text(200, "ok");
  return net::plain_text(passes ? 200 : 500, fmt::format("{}{} check {}\n", lines, page, passes ? "passed" : "failed"));
}

}  // namespace basalt::server
