#include "control/kubernetes/quota_usage_index.h"

#include <fmt/format.h>

#include "base/rng.h"
#include "control/kubernetes/kubernetes_controller_fixture.h"

namespace basalt::kubernetes {
namespace {

std::string quota_json(uint64_t cpu) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ResourceQuota","metadata":{{"name":"q","namespace":"ns","uid":"u-q"}},"spec":)"
      R"({{"hard":{{"pods":"9","requests.cpu":"{}","count/configmaps":"9","services":"9",)"
      R"("services.nodeports":"9"}}}}}})",
      cpu);
}

std::string random_object(Rng& rng, std::string& key) {
  const uint64_t kind = rng.below(3);
  const uint64_t n = rng.below(12);
  if (kind == 0) {
    key = fmt::format("ConfigMap ns/m{}", n);
    return fmt::format(
        R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m{0}","namespace":"ns","uid":"u-m{0}"}}}})", n);
  }
  if (kind == 1) {
    key = fmt::format("Service ns/s{}", n);
    return fmt::format(R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"s{0}","namespace":"ns",)"
                       R"("uid":"u-s{0}"}},"spec":{{"type":"{1}","ports":[{{}},{{}}]}}}})",
                       n, rng.below(2) == 0 ? "NodePort" : "ClusterIP");
  }
  key = fmt::format("Pod ns/p{}", n);
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{0}","namespace":"ns",)"
                     R"("uid":"u-p{0}"}},"spec":{{"priorityClassName":"{1}","containers":[{{"name":"c",)"
                     R"("resources":{{"requests":{{"cpu":"{2}m"}}}}}}]}},"status":{{"phase":"{3}"}}}})",
                     n, rng.below(2) == 0 ? "high" : "", rng.below(900), rng.below(3) == 0 ? "Succeeded" : "Running");
}

// Against the reference: after every change the index says what counting from scratch says.
TEST(QuotaUsageIndex, AgreesWithCountingFromScratch) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    KubernetesControllerFixture fixture;
    const KindId quotas = fixture.kinds().builtin("", "ResourceQuota").id;
    for (int step = 0; step < 200; ++step) {
      if (rng.below(10) == 0) {
        fixture.see(quota_json(rng.below(5)));
        fixture.see(
            R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"high","namespace":"ns","uid":"u-h"},)"
            R"("spec":{"hard":{"pods":"5","cpu":"3"},)"
            R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In",)"
            R"("values":["high"]}]}}})");
      }
      std::string key;
      const std::string object = random_object(rng, key);
      if (rng.below(3) == 0) {
        const size_t blank = key.find(' ');
        fixture.lose("", key.substr(0, blank), key.substr(blank + 1));
      } else {
        fixture.see(object);
      }
      fixture.cache().each(quotas, [&](const ObjectRecord& quota) {
        const auto& tallies = fixture.quota_usage().in("ns");
        ASSERT_TRUE(tallies.contains(quota.name));
        EXPECT_EQ(tallies.at(quota.name), QuotaUsageIndex::count(fixture.kinds(), fixture.cache(), quota))
            << quota.name;
      });
    }
  }
}

}  // namespace
}  // namespace basalt::kubernetes
