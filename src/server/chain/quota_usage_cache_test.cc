#include "server/chain/quota_usage_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "base/rng.h"
#include "kube/text/rfc3339.h"

namespace basalt::server::chain {
namespace {

const Instant kStart = Instant::from_unix_seconds(1'800'000'000);
const api::QuotaKind kPodKind{.group = "", .kind = "Pod", .plural = "pods", .storage_name = "pods"};
const api::QuotaKind kServiceKind{.group = "", .kind = "Service", .plural = "services", .storage_name = "services"};

// The reference: the sum over the latest state.
api::ResourceList summed(const store::Store& store, const api::QuotaKind& kind, std::string_view ns,
                         const text::Object& quota, Instant now) {
  api::ResourceList total;
  const std::string prefix = fmt::format("{}/", ns);
  const auto page = store.list({.resource = kind.storage_name, .prefix = prefix, .latest = true});
  if (!page) return total;
  for (const store::RecordPtr& record : page->records) {
    const text::Value object = record->copy_object();
    if (!api::in_scope(quota, kind, object.get_object())) continue;
    api::add(total, api::usage_of(kind, object.get_object(), now));
  }
  return total;
}

// What an amount is, whether or not a name is there with zero.
api::ResourceList without_zeros(api::ResourceList amounts) {
  std::erase_if(amounts, [](const auto& one) { return one.second.is_zero(); });
  return amounts;
}

std::string random_pod(Rng& rng, std::string_view name) {
  const std::string_view phase = rng.below(5) == 0 ? "Succeeded" : "Running";
  // Now and then so much that a sum reaches the bounds.
  const std::string cpu = rng.below(12) == 0 ? "9000P" : fmt::format("{}m", rng.below(900));
  std::string leaving;
  if (rng.below(4) == 0) {
    const Instant at = kStart + Duration::seconds(static_cast<int64_t>(rng.below(100)));
    leaving = fmt::format(R"(,"deletionTimestamp":"{}","deletionGracePeriodSeconds":{})", text::format_time(at),
                          rng.below(30));
  }
  return fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{"priorityClassName":"{}","containers":[{{"name":"c",)"
                     R"("resources":{{"requests":{{"cpu":"{}","memory":"{}"}}}}}}]}},"status":{{"phase":"{}"}}}})",
                     name, leaving, rng.below(3) == 0 ? "high" : "", cpu, rng.below(2) == 0 ? "1Gi" : "500M", phase);
}

std::string random_service(Rng& rng, std::string_view name) {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"type":"{}","ports":[{{}},{{}}]}}}})", name,
                     rng.below(2) == 0 ? "NodePort" : "ClusterIP");
}

void random_write(Rng& rng, store::Store& store) {
  const bool pods = rng.below(3) != 0;
  const std::string resource = pods ? "pods" : "services";
  const std::string name = fmt::format("o{}", rng.below(15));
  const std::string key = fmt::format("{}/{}", rng.below(2) == 0 ? "a" : "a-b", name);
  const store::RecordPtr old = store.latest(resource, key);
  store::StoreWrite write{.address = {.resource = resource, .key = key},
                          .expected = old == nullptr ? 0 : old->revision()};
  write.remove = old != nullptr && rng.below(3) == 0;
  write.bytes = pods ? random_pod(rng, name) : random_service(rng, name);
  write.version_at = static_cast<uint32_t>(write.bytes.find("\"name\""));
  ASSERT_TRUE(store.write(std::move(write), nullptr));
}

const std::vector<text::Object>& quotas() {
  static const std::vector<text::Object> kQuotas = {
      text::parse_json(R"({"spec":{}})").value().get_object(),
      text::parse_json(R"({"spec":{"scopes":["NotTerminating"]}})").value().get_object(),
      text::parse_json(R"({"spec":{"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",)"
                       R"("operator":"In","values":["high"]}]}}})")
          .value()
          .get_object()};
  return kQuotas;
}

void expect_twins(QuotaUsageCache& quota_usage, const store::Store& store, Instant now) {
  for (const text::Object& quota : quotas()) {
    for (const std::string_view ns : {"a", "a-b", "empty"}) {
      for (const api::QuotaKind& kind : {kPodKind, kServiceKind}) {
        EXPECT_EQ(without_zeros(quota_usage.used(kind, ns, quota, now)),
                  without_zeros(summed(store, kind, ns, quota, now)))
            << kind.plural << " of " << ns << " for " << text::to_json(quota);
      }
    }
  }
}

void follow(uint64_t seed, store::Store& store) {
  SCOPED_TRACE(seed);
  Rng rng(seed);
  QuotaUsageCache quota_usage(store);
  for (int step = 0; step < 150; ++step) {
    for (uint64_t i = rng.below(4); i > 0; --i) random_write(rng, store);
    if (rng.below(40) == 0) store.compact(store.revision());
    const Instant now = kStart + Duration::seconds(static_cast<int64_t>(rng.below(140)));  // backwards too
    expect_twins(quota_usage, store, now);
    if (testing::Test::HasFailure()) return;
  }
  QuotaUsageCache fresh(store);  // as after a restart
  expect_twins(fresh, store, kStart);
}

TEST(QuotaUsageCache, AgreeWithTheSum) {
  for (uint64_t seed = 1; seed <= 10; ++seed) follow(seed, *store::Store::in_memory());
}

TEST(QuotaUsageCache, AgreeWhileHistoryIsShort) {
  for (uint64_t seed = 1; seed <= 5; ++seed) follow(seed, *store::Store::in_memory({.history_events = 3}));
}

// Writes that wait for their commit count as they do in the sum.
TEST(QuotaUsageCache, AgreeWithTheSumOfWhatIsOnlyOrdered) {
  std::string pattern = (std::filesystem::temp_directory_path() / "basalt-tallies-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    auto store = store::Store::open(folder / "store.db");
    ASSERT_TRUE(store) << store.error().message;
    follow(seed, **store);  // the later seeds find what the former left
  }
  std::filesystem::remove_all(folder);
}

TEST(QuotaUsageCache, ManyNamespacesShareTheRoom) {
  const auto store = store::Store::in_memory();
  QuotaUsageCache quota_usage(*store);
  for (size_t round = 0; round < 2; ++round) {
    for (size_t i = 0; i < kMaxQuotaNamespaces + 10; ++i) {
      const std::string ns = fmt::format("n{}", i);
      store::StoreWrite write{.address = {.resource = "services", .key = fmt::format("{}/s{}", ns, round)},
                              .bytes = R"({"spec":{}})",
                              .version_at = 1};
      ASSERT_TRUE(store->write(std::move(write), nullptr));
      EXPECT_EQ(quota_usage.used(kServiceKind, ns, quotas()[0], kStart).at("services"),
                text::Quantity::from_units(static_cast<int64_t>(round) + 1));
    }
  }
}

}  // namespace
}  // namespace basalt::server::chain
