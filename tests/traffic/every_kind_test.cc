// Every served kind in every version lives one life: made in JSON and in the binary form, read in all forms, changed in
// all ways, deleted. All of it succeeds, and both forms of the body make the same object.
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "server/subresources.h"
#include "tests/traffic/traffic.h"

namespace basalt::tests {
namespace {

constexpr std::string_view kNamespace = "traffic";

class EveryKind : public testing::Test {
 protected:
  ObjectLocation location(const api::ApiResource& row, std::string_view name) const {
    return {.row = &row,
            .namespace_name = row.namespaced ? std::string(kNamespace) : "",
            .name = name.empty() ? "" : stored_name(row, name)};
  }
  text::Value sample(const api::ApiResource& row, std::string_view name) const {
    return traffic_.samples().make(row, kNamespace, name);
  }
  // Those that are not written in the binary form: kinds of CRDs, and two with values of any type in them.
  static bool has_binary_form(const api::ApiResource& row) {
    return !row.custom && row.kind != "CustomResourceDefinition" && row.kind != "ControllerRevision";
  }
  static bool is_asked_only(const api::ApiResource& row) { return !row.verbs.empty() && !serves(row, "get"); }

  void ask(const api::ApiResource& row);
  void make(const api::ApiResource& row);
  void read(const api::ApiResource& row);
  void change(const api::ApiResource& row);
  void patch(const api::ApiResource& row);
  void use_subresources(const api::ApiResource& row);
  void remove(const api::ApiResource& row);
  void expect(const TrafficAnswer& answer, unsigned status, std::string_view what) {
    EXPECT_EQ(answer.status, status) << what << "\n" << answer.text.substr(0, 2000);
  }

  Traffic traffic_;
};

// What two objects of one kind have in common, if they were made alike.
text::Value without_identity(text::Value value, std::string_view name) {
  text::Object& object = value.get_object();
  text::Object& metadata = api::metadata_of(object);
  for (const std::string_view key : {"name", "uid", "creationTimestamp", "resourceVersion", "managedFields"}) {
    metadata.erase(key);
  }
  // The name stands in selectors, names of custom kinds, addresses that were handed out.
  std::string text = text::to_json(value);
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name))
    text.replace(at, name.size(), "NAME");
  return *text::parse_json(text);
}

void drop_handed_out(text::Value& value) {
  if (text::Object* spec = value.get_object()["spec"].if_object()) {
    spec->erase("clusterIP");
    spec->erase("clusterIPs");
  }
}

void EveryKind::ask(const api::ApiResource& row) {
  const std::string target = location(row, "").path();
  const text::Value body = sample(row, "asked");
  const bool binds = row.kind == "Binding";  // the pod that it names, once
  const std::string pods = "/api/v1/namespaces/" + std::string(kNamespace) + "/pods";
  for (const api::ApiResource& other : traffic_.rows()) {
    if (!binds || other.plural != "pods" || !other.group.empty()) continue;
    expect(traffic_.send({.method = "POST", .target = pods, .body = text::to_json(sample(other, "asked"))}), 201, pods);
  }
  expect(traffic_.send({.method = "POST", .target = target, .body = text::to_json(body)}), 201, target);
  const auto binary = Traffic::binary(row.schema->name, body);
  ASSERT_TRUE(binary) << target;
  expect(traffic_.send({.method = "POST", .target = target, .content_type = std::string(kBinary), .body = *binary}),
         binds ? 409 : 201, target);
  if (!binds) return;
  const TrafficAnswer bound = traffic_.send({.target = pods + "/asked"});
  EXPECT_EQ(api::string_at(bound.object(), {"spec", "nodeName"}), "nobody") << bound.text;
}

void EveryKind::make(const api::ApiResource& row) {
  const std::string target = location(row, "").path();
  const text::Value body = sample(row, "json1");
  const TrafficAnswer made =
      traffic_.write(location(row, "json1"), {.method = "POST", .target = target, .body = text::to_json(body)});
  expect(made, 201, target);
  EXPECT_TRUE(contains(made.value, body)) << target << "\n" << text::to_json(body) << "\n" << made.text;
  if (!has_binary_form(row)) return;
  const auto binary = Traffic::binary(row.schema->name, sample(row, "bin1"));
  ASSERT_TRUE(binary) << target;
  const TrafficAnswer also =
      traffic_.write(location(row, "bin1"),
                     {.method = "POST", .target = target, .content_type = std::string(kBinary), .body = *binary});
  expect(also, 201, target);
  ASSERT_TRUE(made.ok() && also.ok());
  text::Value left = without_identity(made.value, "json1"), right = without_identity(also.value, "bin1");
  drop_handed_out(left);
  drop_handed_out(right);
  if (row.plural == "jobs") return;  // has its uid in its labels
  EXPECT_EQ(left, right) << target;
}

void EveryKind::read(const api::ApiResource& row) {
  const ObjectLocation one = location(row, "json1"), all = location(row, "");
  const ObjectLocation everywhere{.row = &row};
  for (const std::string_view form : {std::string_view(""), kTable, kPartial, std::string_view("application/yaml")}) {
    expect(traffic_.send({.target = one.path(), .accept = std::string(form)}), 200, one.path());
    for (const ObjectLocation* list : {&all, &everywhere}) {
      expect(traffic_.send({.target = list->path(), .accept = std::string(form)}), 200, list->path());
    }
    const TrafficAnswer told = traffic_.watch(
        all.path() + "?watch=true&resourceVersion=0", form == "application/yaml" ? "" : form,
        {.method = "PATCH",
         .target = one.path(),
         .content_type = std::string(kMergePatch),
         .body = R"({"metadata":{"annotations":{"seen":")" + std::string(form.substr(0, 20)) + R"("}}})"});
    expect(told, 200, all.path());
    EXPECT_GE(told.value.is_array() ? told.value.get_array().size() : 0, 1U) << all.path();
  }
  const TrafficAnswer page = traffic_.send({.target = all.path() + "?limit=1&labelSelector=traffic%3Dyes"});
  const std::string_view token = api::string_at(page.object(), {"metadata", "continue"});
  if (!token.empty())
    expect(traffic_.send({.target = all.path() + "?limit=1&continue=" + std::string(token)}), 200, "");
  expect(traffic_.send({.target = all.path() + "?fieldSelector=metadata.name%3D" + one.name}), 200, all.path());
  traffic_.read_everywhere(row);
}

void EveryKind::change(const api::ApiResource& row) {
  const ObjectLocation one = location(row, "json1");
  text::Value seen = traffic_.send({.target = one.path()}).value;
  ASSERT_TRUE(seen.is_object()) << one.path();
  api::object_in(api::metadata_of(seen.get_object()), "labels")["changed"] = "json";
  expect(traffic_.write(one, {.method = "PUT", .target = one.path(), .body = text::to_json(seen)}), 200, one.path());
  expect(traffic_.send({.method = "PUT", .target = one.path(), .body = text::to_json(seen)}), 409, one.path());
  if (!has_binary_form(row)) return;
  seen = traffic_.send({.target = one.path()}).value;
  api::object_in(api::metadata_of(seen.get_object()), "labels")["changed"] = "binary";
  const auto binary = Traffic::binary(row.schema->name, seen);
  ASSERT_TRUE(binary) << one.path();
  const TrafficAnswer changed = traffic_.write(
      one, {.method = "PUT", .target = one.path(), .content_type = std::string(kBinary), .body = *binary});
  expect(changed, 200, one.path());
  EXPECT_EQ(api::string_at(changed.object(), {"metadata", "labels", "changed"}), "binary");
}

void EveryKind::patch(const api::ApiResource& row) {
  const ObjectLocation one = location(row, "json1");
  const auto patched = [&](std::string_view type, std::string body, unsigned status, std::string_view query = "") {
    const TrafficAnswer answer = traffic_.write(one, {.method = "PATCH",
                                                      .target = one.path() + std::string(query),
                                                      .content_type = std::string(type),
                                                      .body = std::move(body)});
    expect(answer, status, one.path());
  };
  patched(kJsonPatch, R"([{"op":"add","path":"/metadata/labels/p1","value":"a"}])", 200);
  patched(kJsonPatch, R"([{"op":"test","path":"/metadata/labels/p1","value":"b"}])", 422);
  patched(kMergePatch, R"({"metadata":{"labels":{"p2":"b","p1":null}}})", 200);
  patched(kStrategicPatch, R"({"metadata":{"labels":{"p3":"c"}}})", row.custom ? 415 : 200);
  text::Object applied{{"apiVersion", row.api_version()},
                       {"kind", row.kind},
                       {"metadata", text::Object{{"name", one.name}, {"labels", text::Object{{"p4", "d"}}}}}};
  patched(kApplyPatch, text::to_json(applied), 200, "?fieldManager=other");
  api::metadata_of(applied)["labels"] = text::Object{{"p3", "e"}};
  patched(kApplyPatch, text::to_json(applied), row.custom ? 200 : 409, "?fieldManager=third");
  patched(kApplyPatch, text::to_json(applied), 200, "?fieldManager=third&force=true");
  const ObjectLocation made = location(row, "apply1");
  expect(traffic_.write(made, {.method = "PATCH",
                               .target = made.path() + "?fieldManager=other",
                               .content_type = std::string(kApplyPatch),
                               .body = text::to_json(sample(row, "apply1"))}),
         201, made.path());
}

void EveryKind::use_subresources(const api::ApiResource& row) {
  const ObjectLocation one = location(row, "json1");
  for (const server::Subresource& part : server::subresources_of(row)) {
    if (part.name != "status" && part.name != "scale") continue;
    const std::string place = one.path(part.name);
    const TrafficAnswer seen = traffic_.send({.target = place});
    expect(seen, 200, place);
    expect(traffic_.send({.target = place, .accept = std::string(kTable)}), 200, place);
    expect(traffic_.send({.method = "PUT", .target = place, .body = seen.text}), 200, place);
    expect(traffic_.send({.method = "PATCH",
                          .target = place,
                          .content_type = std::string(kMergePatch),
                          .body = R"({"metadata":{"annotations":{"part":"yes"}}})"}),
           200, place);
    const std::string type = part.schema.empty() ? row.schema->name : part.schema;
    const text::Value again = traffic_.send({.target = place}).value;
    const auto binary = row.custom && part.schema.empty() ? std::nullopt : Traffic::binary(type, again);
    if (!binary) continue;
    expect(traffic_.send({.method = "PUT", .target = place, .content_type = std::string(kBinary), .body = *binary}),
           200, place);
  }
}

void EveryKind::remove(const api::ApiResource& row) {
  const ObjectLocation one = location(row, "json1");
  const TrafficAnswer gone = traffic_.send({.method = "DELETE", .target = one.path()});
  EXPECT_TRUE(gone.ok()) << one.path() << "\n" << gone.text;
  if (has_binary_form(row)) {
    const ObjectLocation other = location(row, "bin1");
    const auto options =
        Traffic::binary("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
                        text::Object{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"gracePeriodSeconds", 0}});
    ASSERT_TRUE(options);
    const TrafficAnswer also = traffic_.send(
        {.method = "DELETE", .target = other.path(), .content_type = std::string(kBinary), .body = *options});
    EXPECT_TRUE(also.ok()) << other.path() << "\n" << also.text;
  }
  if (!serves(row, "deletecollection")) return;
  const std::string rest = location(row, "").path() + "?labelSelector=traffic%3Dyes";
  expect(traffic_.send({.method = "DELETE", .target = rest}), 200, rest);
}

TEST_F(EveryKind, LivesOneLife) {
  // A kind with two versions, of which the other one is stored.
  const api::ApiResource* definitions = nullptr;
  for (const api::ApiResource& row : traffic_.rows()) {
    if (row.plural == "customresourcedefinitions") definitions = &row;
  }
  ASSERT_NE(definitions, nullptr);
  text::Value things = sample(*definitions, "things");
  api::metadata_of(things.get_object()).erase("labels");  // it must outlive the deletion of a collection
  expect(traffic_.send({.method = "POST", .target = location(*definitions, "").path(), .body = text::to_json(things)}),
         201, "a definition");
  traffic_.renew_kinds();
  size_t lived = 0;
  for (const api::ApiResource& row : traffic_.rows()) {
    SCOPED_TRACE(row.api_version() + " " + row.kind);
    EXPECT_TRUE(traffic_.samples().has(row) || row.group == "traffic.test") << "tests/traffic/samples.yaml lacks it";
    ++lived;
    if (is_asked_only(row)) {
      ask(row);
      continue;
    }
    make(row);
    read(row);
    change(row);
    patch(row);
    use_subresources(row);
    remove(row);
  }
  EXPECT_EQ(lived, traffic_.rows().size());
  RecordProperty("requests", static_cast<int>(traffic_.requests()));
}

}  // namespace
}  // namespace basalt::tests
