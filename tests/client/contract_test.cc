// One contract, three doors: what kube/client/object_client.h promises holds in the process and over HTTPS alike.
#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "kube/api/object_fields.h"
#include "tests/client/test_server.h"

namespace basalt::tests {
namespace {

using api::Verb;
using client::ReplyOrError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Contract : public ::testing::TestWithParam<ClientAccess> {
 protected:
  ReplyOrError call(api::Call call) { return client->call(std::move(call)); }
  client::ObjectPtr made(api::Call request) {
    auto outcome = call(std::move(request));
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    return outcome ? outcome->object : nullptr;
  }
  std::string value_of(const std::string& name) {
    const auto outcome = call(config_maps(Verb::Get, name));
    return outcome ? std::string(api::string_at(outcome->object->get_object(), {"data", "value"})) : "";
  }
  static std::string short_of(const ReplyOrError& outcome) {
    return outcome ? "no error" : std::to_string(outcome.error().code) + " " + outcome.error().reason;
  }

  TestServer server;
  std::unique_ptr<client::ObjectClient> client = server.client(GetParam());
};

TEST_P(Contract, CreateGetUpdateDelete) {
  const auto created = call(create_config_map("a", "1"));
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_TRUE(created->created);
  EXPECT_EQ(name_of(created->object), "a");
  const auto read = call(config_maps(Verb::Get, "a"));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->created);
  EXPECT_EQ(*read->object, *created->object);
  EXPECT_EQ(api::string_at(read->object->get_object(), "kind"), "ConfigMap");
  api::Call update = config_maps(Verb::Update, "a");
  update.body = *read->object;
  update.body.get_object()["data"] = text::Object{{"value", "2"}};
  ASSERT_TRUE(call(update));
  EXPECT_EQ(value_of("a"), "2");
  EXPECT_EQ(short_of(call(update)), "409 Conflict");  // its resourceVersion is old now
  ASSERT_TRUE(call(config_maps(Verb::Delete, "a")));
  const auto gone = call(config_maps(Verb::Get, "a"));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, 404);
  EXPECT_EQ(gone.error().reason, "NotFound");
  EXPECT_EQ(gone.error().message, "configmaps \"a\" not found");
  EXPECT_EQ(gone.error().subject.kind_or_plural + "/" + gone.error().subject.name, "configmaps/a");
}

TEST_P(Contract, RefusalsCarryTheirCauses) {
  EXPECT_TRUE(call(create_config_map("a", "1")));
  EXPECT_EQ(short_of(call(create_config_map("a", "1"))), "409 AlreadyExists");
  const auto bad = call(create_config_map("No Name", "1"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, 422);
  ASSERT_EQ(bad.error().causes.size(), 1U);
  EXPECT_EQ(bad.error().causes[0].field, "metadata.name");
  EXPECT_EQ(bad.error().causes[0].reason, "FieldValueInvalid");
  api::Call unknown = config_maps(Verb::List);
  unknown.resource.plural = "nonsense";
  EXPECT_EQ(short_of(call(unknown)), "404 NotFound");
}

TEST_P(Contract, ListsComeInPages) {
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(call(create_config_map("m" + std::to_string(i), "x", i < 5 ? "g" : "h")));
  api::Call list = config_maps(Verb::List);
  list.label_selector = "group=g";
  list.limit = 2;
  std::vector<std::string> names;
  int pages = 0;
  do {
    const auto page = call(list);
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_LE(page->items.size(), 2U);
    EXPECT_FALSE(page->resource_version.empty());
    for (const auto& item : page->items) {
      names.push_back(name_of(item));
      EXPECT_EQ(api::string_at(item->get_object(), "kind"), "ConfigMap");
      EXPECT_EQ(api::string_at(item->get_object(), "apiVersion"), "v1");
    }
    list.continue_token = page->continue_token;
    ++pages;
  } while (!list.continue_token.empty());
  EXPECT_THAT(names, ElementsAre("m0", "m1", "m2", "m3", "m4"));
  EXPECT_EQ(pages, 3);
}

TEST_P(Contract, PatchesOfEveryType) {
  made(create_config_map("a", "1"));
  api::Call patch = config_maps(Verb::Patch, "a");
  const auto apply = [&](api::PatchType type, std::string_view body) {
    patch.patch = type;
    patch.body = json(body);
    const auto outcome = call(patch);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    return value_of("a");
  };
  EXPECT_EQ(apply(api::PatchType::Merge, R"({"data":{"value":"2"}})"), "2");
  EXPECT_EQ(apply(api::PatchType::Strategic, R"({"data":{"value":"3"}})"), "3");
  EXPECT_EQ(apply(api::PatchType::Json, R"([{"op":"replace","path":"/data/value","value":"4"}])"), "4");
  patch.dry_run = true;
  EXPECT_EQ(apply(api::PatchType::Merge, R"({"data":{"value":"5"}})"), "4");
  patch = config_maps(Verb::Patch, "b");
  patch.patch = api::PatchType::Apply;
  patch.body = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"value":"applied"}})");
  const auto applied = call(patch);  // without a manager of its own: the client's name
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(applied->created);
  const text::Array* managed = api::array_at(applied->object->get_object(), {"metadata", "managedFields"});
  ASSERT_EQ(managed != nullptr, GetParam() != ClientAccess::Lean);
  if (managed != nullptr) {
    EXPECT_EQ(api::string_at(managed->at(0).get_object(), "manager"), "contract");
  }
  patch.field_manager = "another";
  patch.body.get_object()["data"] = text::Object{{"value", "mine"}};
  EXPECT_EQ(short_of(call(patch)), "409 Conflict");
  patch.force = true;
  EXPECT_TRUE(call(patch));
}

TEST_P(Contract, OptionsOfDeletes) {
  for (const char* name : {"a", "b", "c"}) made(create_config_map(name, "1", name == std::string("c") ? "keep" : "go"));
  api::Call one = config_maps(Verb::Delete, "a");
  one.dry_run = true;
  EXPECT_TRUE(call(one));
  one.body = json(R"({"preconditions":{"uid":"another"}})");
  EXPECT_EQ(short_of(call(one)), "409 Conflict");
  one.body = json(R"({"propagationPolicy":"Foreground","gracePeriodSeconds":0})");
  EXPECT_TRUE(call(one));
  EXPECT_EQ(value_of("a"), "1");  // it was a dry run all the time
  api::Call all = config_maps(Verb::DeleteCollection);
  all.label_selector = "group=go";
  EXPECT_TRUE(call(all));
  EXPECT_EQ(call(config_maps(Verb::List))->items.size(), 1U);
}

TEST_P(Contract, UnknownFieldsWarnOrAreRefused) {
  api::Call create = create_config_map("a", "1");
  create.body.get_object()["colour"] = "red";
  create.field_validation = api::FieldValidation::Strict;
  EXPECT_EQ(short_of(call(create)), "400 BadRequest");
  create.field_validation = api::FieldValidation::Warn;
  const auto outcome = call(create);
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->warnings, ElementsAre("unknown field \"colour\""));
}

TEST_P(Contract, SubresourcesAreWrittenByThemselves) {
  api::Call node{.verb = Verb::Create, .resource = {.version = "v1", .plural = "nodes"}};
  node.body = json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})");
  made(node);
  api::Call pod{.verb = Verb::Create, .resource = {.version = "v1", .plural = "pods"}, .namespace_name = "default"};
  pod.body = json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},)"
                  R"("spec":{"containers":[{"name":"c","image":"i"}]}})");
  made(pod);
  api::Call bind = pod;
  bind.name = "p";
  bind.subresource = "binding";
  bind.body = json(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},)"
                   R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  const auto bound = call(bind);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_TRUE(bound->created);
  api::Call status = pod;
  status.verb = Verb::Patch;
  status.name = "p";
  status.subresource = "status";
  status.patch = api::PatchType::Merge;
  status.body = json(R"({"status":{"phase":"Running"}})");
  const auto after = call(status);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(api::string_at(after->object->get_object(), {"status", "phase"}), "Running");
  EXPECT_EQ(api::string_at(after->object->get_object(), {"spec", "nodeName"}), "n1");
}

TEST_P(Contract, AWatchSeesWhatIsThereAndWhatComes) {
  made(create_config_map("a", "1", "g"));
  made(create_config_map("other", "1", "h"));
  Received received;
  api::Call watch = config_maps(Verb::Watch);
  watch.label_selector = "group=g";
  watch.send_initial_events = true;
  watch.version_match = api::ResourceVersionMatch::NotOlderThan;
  watch.bookmarks = true;
  const auto open = client->watch(watch, received.function());
  EXPECT_EQ(received.next_line(), "ADDED a");
  const client::WatchEvent mark = received.next();
  EXPECT_EQ(mark.type, client::WatchEventType::Bookmark);
  EXPECT_EQ(api::string_at(mark.object->get_object(), {"metadata", "annotations", "k8s.io/initial-events-end"}),
            "true");
  made(create_config_map("b", "1", "g"));
  made(create_config_map("c", "1", "h"));
  ASSERT_TRUE(call(config_maps(Verb::Delete, "a")));
  EXPECT_EQ(received.next_line(), "ADDED b");
  EXPECT_EQ(received.next_line(), "DELETED a");
}

TEST_P(Contract, AWatchGoesOnFromAVersion) {
  const std::string version = version_of(made(create_config_map("a", "1")));
  made(create_config_map("b", "1"));
  ASSERT_TRUE(call(config_maps(Verb::Delete, "b")));
  Received received;
  api::Call watch = config_maps(Verb::Watch);
  watch.resource_version = version;
  const auto open = client->watch(watch, received.function());
  EXPECT_EQ(received.next_line(), "ADDED b");
  EXPECT_EQ(received.next_line(), "DELETED b");
}

TEST_P(Contract, AWatchFromAVersionThatIsForgottenEndsWith410) {
  const std::string version = version_of(made(create_config_map("a", "1")));
  made(create_config_map("b", "1"));
  made(create_config_map("c", "1"));
  server.store().compact(server.store().revision());
  Received received;
  api::Call watch = config_maps(Verb::Watch);
  watch.resource_version = version;
  const auto open = client->watch(watch, received.function());
  EXPECT_EQ(received.next_line(), "ERROR 410 Expired");
  made(create_config_map("d", "1"));
  EXPECT_TRUE(received.empty());
}

TEST_P(Contract, AWatchThatIsRefusedSaysSoInAnEvent) {
  Received received;
  api::Call watch = config_maps(Verb::Watch);
  watch.resource.plural = "nonsense";
  const auto open = client->watch(watch, received.function());
  EXPECT_EQ(received.next_line(), "ERROR 404 NotFound");
}

TEST_P(Contract, AWatchThatIsDestroyedIsSilent) {
  auto alive = std::make_shared<std::atomic<bool>>(true);
  std::atomic<int> late = 0;
  for (int i = 0; i < 20; ++i) {
    auto open = client->watch(config_maps(Verb::Watch), [&, alive](const client::WatchEvent&) {
      if (!*alive) ++late;
    });
    made(create_config_map("m" + std::to_string(i), "1"));
    open.reset();
    *alive = false;
    made(create_config_map("n" + std::to_string(i), "1"));
    alive = std::make_shared<std::atomic<bool>>(true);
  }
  EXPECT_EQ(late, 0);
}

TEST_P(Contract, ManyCallsAtOnceEachHaveTheirAnswer) {
  constexpr int kCalls = 400;
  std::atomic<int> fine = 0, left = kCalls;
  std::promise<void> all;
  for (int i = 0; i < kCalls; ++i) {
    client->send(create_config_map("m" + std::to_string(i), "x"), [&, i](const ReplyOrError& outcome) {
      if (outcome && name_of(outcome->object) == "m" + std::to_string(i)) ++fine;
      if (--left == 0) all.set_value();
    });
  }
  ASSERT_EQ(all.get_future().wait_for(kTestTimeout), std::future_status::ready);
  EXPECT_EQ(fine, kCalls);
  EXPECT_EQ(call(config_maps(Verb::List))->items.size(), static_cast<size_t>(kCalls));
}

INSTANTIATE_TEST_SUITE_P(Doors, Contract,
                         ::testing::Values(ClientAccess::InProcess, ClientAccess::Token, ClientAccess::Certificate,
                                           ClientAccess::Lean),
                         [](const auto& param) {
                           return param.param == ClientAccess::InProcess ? "InProcess"
                                  : param.param == ClientAccess::Token   ? "Token"
                                  : param.param == ClientAccess::Lean    ? "Lean"
                                                                         : "Certificate";
                         });

}  // namespace
}  // namespace basalt::tests
