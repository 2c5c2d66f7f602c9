// Replays what Volcano's webhooks answered: allowed or not, the message, and the object after mutation.
//
// The recorded cases are third-party data outside of the tree, in $BASALT_CONFORMANCE_DIR or ../shared/conformance.
// Some were recorded from single functions of a webhook; here they go through the whole webhook, with the rest of the
// object filled in so that only the rule in question can speak.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "kube/api/object_fields.h"
#include "kube/text/patch.h"
#include "kube/text/read_file.h"
#include "kube/text/time_zone.h"
#include "server/admission/webhooks.h"

namespace basalt::admission {
namespace {

namespace fs = std::filesystem;

fs::path recorded() {
  const char* given = std::getenv("BASALT_CONFORMANCE_DIR");
  return fs::path(given != nullptr && *given != '\0' ? given : "../shared/conformance") / "admission";
}

// Empty values count as absent: the recording has Go's zero values, null times and empty statuses.
void drop_empty(text::Value& value) {
  if (text::Object* object = value.if_object()) {
    for (auto it = object->begin(); it != object->end();) {
      drop_empty(it->value());
      const text::Value& inner = it->value();
      const bool empty = inner.is_null() || (inner.is_object() && inner.get_object().empty());
      it = empty ? object->erase(it) : it + 1;
    }
  } else if (text::Array* array = value.if_array()) {
    for (text::Value& one : *array) drop_empty(one);
  }
}

bool same(text::Value left, text::Value right) {
  drop_empty(left);
  drop_empty(right);
  return left == right;
}

// The words of every "[…]" in order: Go prints maps in any order.
std::string settled(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t open = std::min(text.find('['), text.size());
    const size_t close = text.find(']', open);
    if (close == std::string_view::npos) return result.append(text);
    std::vector<std::string> words;
    std::string_view list = text.substr(open + 1, close - open - 1);
    while (!list.empty()) {
      const size_t blank = std::min(list.find(' '), list.size());
      words.emplace_back(list.substr(0, blank));
      list.remove_prefix(std::min(blank + 1, list.size()));
    }
    std::ranges::sort(words);
    result.append(text.substr(0, open + 1));
    for (const std::string& word : words) result.append(word).append(" ");
    result += ']';
    text.remove_prefix(close + 1);
  }
  return result;
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

// One recorded case, with everything that a review asks for.
struct Case {
  explicit Case(const text::Object& from) : recorded(from) {
    const text::Object& around = part("context");
    each(around, "queues", [this](const text::Value& one) { queues.push_back(shared(one)); });
    // Of namespaces the metadata was recorded.
    each(around, "namespaces", [this](const text::Value& one) { spaces.push_back(shared({{"metadata", one}})); });
    options.max_queue_depth = static_cast<int>(api::int_at(around, {"maxQueueDepth"}, 5));
    options.check_allocated_pods = api::bool_at(around, {"enableQueueAllocatedPodsCheck"});
    read_groups(around);
    lookup.queue = [this](std::string_view name) { return find(queues, name); };
    lookup.queues = [this] { return queues; };
    lookup.namespace_name = [this](std::string_view name) { return find(spaces, name); };
    lookup.time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); };
    object = part("object");
    complete();
  }

  [[nodiscard]] std::string name() const {
    return std::string(api::string_at(recorded, "test")) + " " + std::to_string(api::int_at(recorded, {"index"}));
  }
  [[nodiscard]] std::string function() const { return std::string(api::string_at(recorded, "function")); }
  [[nodiscard]] text::Object part(std::string_view name) const {
    const text::Object* found = api::object_at(recorded, {name});
    return found == nullptr ? text::Object() : *found;
  }
  [[nodiscard]] AdmissionRequest request(WebhookOperation operation) const {
    return {.operation = operation,
            .name = api::string_at(recorded, "requestName"),
            .namespace_name = api::namespace_of(object),
            .object = operation == WebhookOperation::Delete ? nullptr : &object,
            .old = operation == WebhookOperation::Update ? &old : nullptr,
            .lookup = lookup,
            .options = options};
  }

  const text::Object& recorded;
  text::Object object, old;
  std::vector<ObjectPtr> queues, spaces;
  VolcanoAdmissionOptions options;
  ObjectLookup lookup;

 private:
  static ObjectPtr shared(text::Value value) { return std::make_shared<const text::Value>(std::move(value)); }

  template <class Visit>
  static void each(const text::Object& holder, std::string_view name, Visit&& visit) {
    const text::Array* list = api::array_at(holder, {name});
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) visit((*list)[i]);
  }

  static ObjectPtr find(const std::vector<ObjectPtr>& objects, std::string_view name) {
    const auto found =
        std::ranges::find_if(objects, [&](const ObjectPtr& one) { return api::name_of(one->get_object()) == name; });
    return found == objects.end() ? nullptr : *found;
  }

  void read_groups(const text::Object& around) {
    const text::Array* groups = api::array_at(around, {"resourceGroups"});
    for (size_t i = 0; groups != nullptr && i < groups->size(); ++i) {
      const text::Object& from = (*groups)[i].get_object();
      ResourceGroup group{.name = std::string(api::string_at(from, "ResourceGroup")),
                          .key = std::string(api::string_at(from, {"Object", "Key"})),
                          .scheduler_name = std::string(api::string_at(from, "SchedulerName"))};
      each(*api::object_at(from, {"Object"}), "Value",
           [&group](const text::Value& value) { group.values.emplace_back(value.get_string()); });
      if (const text::Array* tolerations = api::array_at(from, {"Tolerations"})) group.tolerations = *tolerations;
      if (const text::Object* labels = api::object_at(from, {"Labels"})) group.labels = *labels;
      if (const auto affinity = text::parse_json(api::string_at(from, "Affinity"))) group.affinity = *affinity;
      options.resource_groups.push_back(std::move(group));
    }
  }

  // What the recorded function did not look at, so that the whole webhook has nothing else to complain about.
  void complete() {
    const text::Object arguments = part("args");
    old = part("oldObject");
    if (function() == "validateCronjobSpec") {
      object["metadata"] = text::Object{{"name", "x"}, {"namespace", "default"}};
      object["spec"] = arguments.at("spec");
    } else if (function() == "validateCronJobName") {
      object["metadata"] = text::Object{{"name", arguments.at("name")}};
      object["spec"] = text::Object{{"schedule", "* * * * *"}};
    } else if (function() == "mutateSpec") {
      api::object_in(object, "spec")["tasks"] = arguments.at("tasks");
    } else if (name() == "TestValidateJobCreate 41") {
      options.pod_level_resources = false;  // recorded with the gate off, which is not in the record
    } else if (function() == "validateTaskTopoPolicy") {
      complete_task(arguments.at("task").get_object());
    } else if (function() == "validateChildAgainstAncestor" || function() == "validateChildrenConstraints") {
      options.max_queue_depth = 10;
      if (!arguments.contains("children")) return;
      // The function was given its children; the tree around it still has others.
      std::erase_if(queues, [this](const ObjectPtr& one) {
        return api::string_at(one->get_object(), {"spec", "parent"}) == api::name_of(object);
      });
      each(arguments, "children", [this](const text::Value& one) { queues.push_back(shared(one)); });
    }
  }

  void complete_task(text::Object task) {
    task["replicas"] = 1;
    for (text::Value& container : task["template"].at("spec").at("containers").as_array()) {
      container.as_object()["name"] = "main";
      container.as_object()["image"] = "busybox";
    }
    object["metadata"] = text::Object{{"name", "x"}, {"namespace", "default"}};
    object["spec"] = text::Object{{"queue", "default"}, {"tasks", text::Array{task}}};
    queues = {std::make_shared<const text::Value>(
        text::Object{{"metadata", text::Object{{"name", "default"}}}, {"status", text::Object{{"state", "Open"}}}})};
  }
};

const Webhook& webhook_at(std::string_view path) {
  const auto found = std::ranges::find(webhooks(), "/" + std::string(path), &Webhook::path);
  EXPECT_NE(found, webhooks().end()) << path;
  return *found;
}

std::optional<WebhookOperation> operation_of(std::string_view word) {
  if (word.empty() || word == "CREATE") return WebhookOperation::Create;
  if (word == "UPDATE") return WebhookOperation::Update;
  if (word == "DELETE") return WebhookOperation::Delete;
  return std::nullopt;
}

void expect_verdict(const Case& one, const WebhookResult& verdict) {
  const bool allowed = !one.recorded.contains("allowed") || api::bool_at(one.recorded, {"allowed"});
  ASSERT_EQ(verdict.has_value(), allowed) << (verdict ? "allowed" : verdict.error());
  if (allowed) return;
  const std::string theirs = settled(trimmed(api::string_at(one.recorded, "message")));
  EXPECT_TRUE(settled(verdict.error()).starts_with(theirs))
      << "Volcano: " << theirs << "\n   here: " << verdict.error();
}

void expect_mutation(const Case& one, text::Object mutated) {
  text::Value theirs = one.object;
  if (const text::Array* patch = api::array_at(one.recorded, {"patch"})) {
    auto patched = text::json_patch(one.object, *patch);
    ASSERT_TRUE(patched) << patched.error().message;
    theirs = std::move(*patched);
  }
  if (one.function() == "mutateSpec") {  // only the tasks were recorded
    const text::Value& tasks = one.recorded.at("value").at("value");
    EXPECT_TRUE(same(tasks, mutated["spec"].at("tasks"))) << "Volcano: " << tasks << "\n   here: " << mutated;
    return;
  }
  EXPECT_TRUE(same(theirs, mutated)) << "Volcano: " << theirs << "\n   here: " << mutated;
}

void replay(const Case& one) {
  const Webhook& webhook = webhook_at(api::string_at(one.recorded, "webhook"));
  const std::string_view word = api::string_at(one.recorded, "operation");
  const auto operation = operation_of(word);
  if (!operation || (webhook.operations & static_cast<unsigned>(*operation)) == 0) {
    return expect_verdict(one, std::unexpected(refuse_operation(webhook, word)));
  }
  const AdmissionRequest request = one.request(*operation);
  text::Object mutated = one.object;
  const WebhookResult verdict = call(webhook, request, &mutated);
  if (webhook.validate != nullptr) return expect_verdict(one, verdict);
  expect_verdict(one, verdict);
  if (verdict) expect_mutation(one, std::move(mutated));
}

TEST(AdmissionConformance, AnswersAsVolcano) {
  if (!fs::is_directory(recorded())) {
    std::cout << "****************************************************************************\n"
                 "*** SKIPPED: no recorded Volcano cases. Nothing was compared with Volcano.\n"
                 "*** Set BASALT_CONFORMANCE_DIR to a folder that holds admission/.\n"
                 "****************************************************************************\n";
    GTEST_SKIP();
  }
  size_t count = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(recorded())) {
    const auto bytes = text::read_file(file.path());
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto cases = text::parse_json(*bytes);
    ASSERT_TRUE(cases) << cases.error().message;
    for (const text::Value& one : cases->as_array()) {
      const Case recorded_case(one.get_object());
      SCOPED_TRACE(file.path().filename().string() + ": " + recorded_case.name());
      replay(recorded_case);
      ++count;
    }
  }
  constexpr size_t kRecorded = 235;
  EXPECT_GE(count, kRecorded) << "the folder holds fewer cases than were recorded";
}

}  // namespace
}  // namespace basalt::admission
