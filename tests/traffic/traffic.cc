#include "tests/traffic/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/schema/protobuf_layout.h"
#include "kube/client/protobuf/protobuf_request_body.h"

namespace basalt::tests {
namespace {

// Answers of 500 that kube-apiserver gives too: strategic merge patches that cannot be merged and applied objects that
// cannot be merged by type have no code of their own there, nor has an eviction that two budgets forbid.
bool is_known_failure(const TrafficRequest& request, const TrafficAnswer& answer) {
  if (answer.status != 500 || !api::string_at(answer.object(), "reason").empty()) return false;
  const std::string_view message = api::string_at(answer.object(), "message");
  if (request.content_type == kStrategicPatch) return true;
  if (request.content_type == kApplyPatch) return message.starts_with("failed to create typed patch object");
  return message.starts_with("This pod has more than one PodDisruptionBudget");
}

std::string shortened(const std::string& text) { return text.size() > 1500 ? text.substr(0, 1500) + "…" : text; }

std::string told(const TrafficRequest& request, const TrafficAnswer& answer) {
  return request.method + " " + request.target + "\n" + request.content_type + " " + shortened(request.body) + "\n" +
         std::to_string(answer.status) + " " + shortened(answer.text);
}

bool is_plain_text(const TrafficAnswer& answer) { return answer.content_type.starts_with("text/plain"); }

}  // namespace

std::string ObjectLocation::path(std::string_view subresource) const {
  std::string path = row->group.empty() ? "/api/" + row->version : "/apis/" + row->group + "/" + row->version;
  if (row->namespaced && !namespace_name.empty()) path += "/namespaces/" + namespace_name;
  path += "/" + row->plural;
  if (!name.empty()) path += "/" + name;
  if (!subresource.empty()) path.append("/").append(subresource);
  return path;
}

bool serves(const api::ApiResource& row, std::string_view verb) {
  return row.verbs.empty() || std::ranges::find(row.verbs, verb) != row.verbs.end();
}

void Traffic::judge(const TrafficRequest& request, const TrafficAnswer& answer) {
  ++requests_;
  EXPECT_NE(answer.status, 0U) << "no answer: " << told(request, answer);
  EXPECT_TRUE(answer.status < 500 || is_known_failure(request, answer)) << told(request, answer);
  EXPECT_TRUE(answer.readable || is_plain_text(answer)) << told(request, answer);
  if (answer.status >= 400 && answer.readable && !answer.is_stream) {
    EXPECT_EQ(api::string_at(answer.object(), "kind"), "Status") << told(request, answer);
    EXPECT_EQ(api::int_at(answer.object(), {"code"}), static_cast<int64_t>(answer.status)) << told(request, answer);
  }
}

TrafficAnswer Traffic::send(const TrafficRequest& request) {
  TrafficAnswer answer = server_.send(request);
  judge(request, answer);
  return answer;
}

TrafficAnswer Traffic::write(const ObjectLocation& location, const TrafficRequest& request) {
  TrafficAnswer answer = send(request);
  const std::string_view kind = api::string_at(answer.object(), "kind");
  const bool stored = serves(*location.row, "get") && request.target.find("dryRun") == std::string::npos;
  if (!answer.ok() || kind != location.row->kind || !stored) return answer;
  const std::string name(api::name_of(answer.object()));
  const TrafficAnswer read = send(
      {.target = ObjectLocation{.row = location.row, .namespace_name = location.namespace_name, .name = name}.path()});
  const bool gone = read.status == 404 && api::metadata_of(answer.object()).contains("deletionTimestamp");
  const bool same =
      location.row->plural == "customresourcedefinitions"  // whose status is written right after the answer
          ? api::rules::same_member(read.object(), answer.object(), "spec")
          : read.value == answer.value;
  EXPECT_TRUE(gone || same) << told(request, answer) << "\nbut a read gives\n" << read.text;
  return answer;
}

TrafficAnswer Traffic::watch(const std::string& target, std::string_view accept, const TrafficRequest& meanwhile) {
  TrafficAnswer told = server_.watch(target, std::string(accept), [&] { send(meanwhile); });
  judge({.target = target, .accept = std::string(accept)}, told);
  if (!told.is_stream || !told.value.is_array()) return told;
  static constexpr std::array<std::string_view, 5> kTypes = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
  for (const text::Value& event : told.value.get_array()) {
    EXPECT_TRUE(event.is_object() && event.get_object().contains("object")) << target << "\n" << text::to_json(event);
    if (!event.is_object()) continue;
    const std::string_view type = api::string_at(event.get_object(), "type");
    EXPECT_NE(std::ranges::find(kTypes, type), kTypes.end()) << target << "\n" << text::to_json(event);
  }
  return told;
}

std::optional<std::string> Traffic::binary(const std::string& type, text::Value object) {
  const api::ProtobufMessage* layout = api::builtin_protobuf().find(type);
  if (layout == nullptr) return std::nullopt;
  if (text::Value* metadata = object.get_object().if_contains("metadata"); metadata && metadata->is_object()) {
    metadata->get_object().erase("managedFields");
  }
  return client::protobuf_request_body(*layout, object);
}

void Traffic::read_everywhere(const api::ApiResource& row) {
  const TrafficAnswer list = send({.target = ObjectLocation{.row = &row}.path()});
  EXPECT_EQ(list.status, 200U) << list.text;
  const text::Array* items = api::array_at(list.object(), {"items"});
  if (items == nullptr) return;
  for (const text::Value& item : *items) {
    const text::Object& object = item.get_object();
    for (const api::ApiResource& other : rows()) {
      if (other.storage_name() != row.storage_name() || !serves(other, "get")) continue;
      const ObjectLocation location{.row = &other,
                                    .namespace_name = std::string(api::namespace_of(object)),
                                    .name = std::string(api::name_of(object))};
      const TrafficAnswer one = send({.target = location.path()});
      EXPECT_EQ(one.status, 200U) << location.path() << "\n" << one.text;
      EXPECT_EQ(api::string_at(one.object(), "apiVersion"), other.api_version()) << location.path();
      EXPECT_EQ(api::metadata_of(one.object()), api::metadata_of(object)) << location.path();
      if (other.api_version() == row.api_version()) {
        EXPECT_TRUE(contains(one.value, item)) << location.path() << "\n" << one.text;
      }
    }
  }
}

}  // namespace basalt::tests
