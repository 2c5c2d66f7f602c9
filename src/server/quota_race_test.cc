// Many creates at once must never take more than a quota gives.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "kube/api/object_fields.h"
#include "server/api_server.h"
#include "server/in_process_client.h"

namespace basalt::server {
namespace {

api::Call create_call(std::string plural, std::string ns, std::string_view json) {
  api::Call call;
  call.verb = api::Verb::Create;
  call.resource = {.group = "", .version = "v1", .plural = std::move(plural)};
  call.namespace_name = std::move(ns);
  call.body = *text::parse_json(json);
  return call;
}

TEST(QuotaRace, TheLastOneIsGivenOnce) {
  std::string pattern = (std::filesystem::temp_directory_path() / "basalt-quota-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  {
    auto store = store::Store::open(folder / "store.db");
    ASSERT_TRUE(store) << store.error().message;
    ApiServer server(**store, {.clock = [] { return Instant::from_unix_seconds(1'800'000'000); }, .seed = 1});
    InProcessClient client(server, {.name = "tester"}, "test");
    ASSERT_TRUE(client.call(create_call("namespaces", "", R"({"metadata":{"name":"a"}})")));
    ASSERT_TRUE(client.call(
        create_call("resourcequotas", "a", R"({"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"5"}}})")));
    std::atomic<int> made = 0, refused = 0;
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 8; ++writer) {
      writers.emplace_back([&] {
        for (int i = 0; i < 5; ++i) {
          const auto outcome = client.call(create_call("configmaps", "a", R"({"metadata":{"generateName":"c-"}})"));
          (outcome ? made : refused).fetch_add(1);
          if (!outcome) {
            EXPECT_EQ(outcome.error().code, 403) << outcome.error().message;
          }
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(made, 5);
    EXPECT_EQ(refused, 35);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace basalt::server
