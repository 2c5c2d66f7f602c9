#include "server/table/render_table.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/table/cell_values.h"
#include "server/table/table_test_time.h"

namespace basalt::server {
namespace {

text::Value value_of(std::string_view json) {
  auto value = text::parse_json(json);
  EXPECT_TRUE(value.has_value()) << json;
  return value ? std::move(*value) : text::Value();
}

api::ApiResource builtin(std::string_view group, std::string_view kind) {
  api::ApiResource resource;
  resource.group = group;
  resource.kind = kind;
  return resource;
}

// The cells of one object as JSON, and a look at the rest of the table's form.
std::string cells(const api::ApiResource& resource, std::string_view object) {
  const text::Value table = table_row(resource, value_of(object), {}, kNow);
  const text::Array& rows = list_at(table, {"rows"});
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(list_at(rows[0], {"cells"}).size(), list_at(table, {"columnDefinitions"}).size());
  return text::to_json(rows[0].at("cells"));
}

std::string columns(const api::ApiResource& resource) {
  const text::Value table = render_table(resource, {}, "7", "", {}, kNow);
  std::string out;
  for (const text::Value& column : list_at(table, {"columnDefinitions"})) {
    out += text_or(column, {"name"}, "?");
    out += int_at(column, {"priority"}) == 0 ? "," : "+,";
  }
  return out;
}

constexpr std::string_view kMeta = R"("metadata":{"name":"x","creationTimestamp":"2026-05-01T11:54:57Z"})";

std::string object(std::string_view rest) { return "{" + std::string(kMeta) + "," + std::string(rest) + "}"; }

TEST(Table, HasKindMetadataColumnsAndRows) {
  const auto one = std::make_shared<const text::Value>(value_of(object(R"("status":{"phase":"Active"},"spec":{})")));
  const api::ApiResource resource = builtin("", "Namespace");
  const text::Value table = render_table(resource, {one, one}, "12", "next", {}, kNow, 5);
  EXPECT_EQ(text_at(table, {"kind"}), "Table");
  EXPECT_EQ(text_at(table, {"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(text::to_json(table.at("metadata")),
            R"({"resourceVersion":"12","continue":"next","remainingItemCount":5})");
  ASSERT_EQ(list_at(table, {"rows"}).size(), 2U);
  EXPECT_EQ(text::to_json(table.at("rows").at(1).at("cells")), R"(["x","Active","5m3s"])");
  EXPECT_EQ(text::to_json(table.at("rows").at(1).at("object")),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)" + std::string(kMeta) + "}");
  EXPECT_EQ(columns(resource), "Name,Status,Age,");
}

TEST(Table, OptionsChooseTheObjectAndTheHeaders) {
  const text::Value pod = value_of(object(R"("spec":{})"));
  const api::ApiResource resource = builtin("", "Pod");
  EXPECT_TRUE(table_row(resource, pod, {.include_none = true}, kNow).at("rows").at(0).at("object").is_null());
  EXPECT_EQ(table_row(resource, pod, {.include_full_object = true}, kNow).at("rows").at(0).at("object"), pod);
  EXPECT_TRUE(table_row(resource, pod, {.headers = false}, kNow).at("columnDefinitions").is_null());
}

TEST(Table, KindsWithoutColumnsShowNameAndTime) {
  EXPECT_EQ(columns(builtin("", "LimitRange")), "Name,Created At,");
  EXPECT_EQ(cells(builtin("", "LimitRange"), object(R"("spec":{})")), R"(["x","2026-05-01T11:54:57Z"])");
}

TEST(Table, Ages) {
  const auto age = [](int64_t seconds) { return age_text(Duration::seconds(seconds)); };
  EXPECT_EQ(age(-2), "<invalid>");
  EXPECT_EQ(age(-1), "0s");
  EXPECT_EQ(age(119), "119s");
  EXPECT_EQ(age(120), "2m");
  EXPECT_EQ(age(303), "5m3s");
  EXPECT_EQ(age(600), "10m");
  EXPECT_EQ(age(3 * 3600 - 1), "179m");
  EXPECT_EQ(age(3 * 3600), "3h");
  EXPECT_EQ(age(3 * 3600 + 300), "3h5m");
  EXPECT_EQ(age(8 * 3600 + 300), "8h");
  EXPECT_EQ(age(48 * 3600), "2d");
  EXPECT_EQ(age(50 * 3600), "2d2h");
  EXPECT_EQ(age(int64_t{8} * 86400), "8d");
  EXPECT_EQ(age(int64_t{729} * 86400), "729d");
  EXPECT_EQ(age(int64_t{740} * 86400), "2y10d");
  EXPECT_EQ(age(int64_t{9 * 365 + 4} * 86400), "9y");
  EXPECT_EQ(age_since(kNever, kNow), "<unknown>");
}

TEST(Table, Nodes) {
  EXPECT_EQ(columns(builtin("", "Node")),
            "Name,Status,Roles,Age,Version,Internal-IP+,External-IP+,OS-Image+,Kernel-Version+,Container-Runtime+,");
  EXPECT_EQ(cells(builtin("", "Node"),
                  R"({"metadata":{"name":"n","creationTimestamp":"2026-05-01T11:54:57Z",
                      "labels":{"node-role.kubernetes.io/worker":"","node-role.kubernetes.io/a":"",
                        "kubernetes.io/role":"z"}},
                      "spec":{"unschedulable":true},
                      "status":{"conditions":[{"type":"Ready","status":"True"}],
                        "addresses":[{"type":"InternalIP","address":"1.2.3.4"}],
                        "nodeInfo":{"kubeletVersion":"v1","kernelVersion":"6.1","architecture":"amd64"}}})"),
            R"x(["n","Ready,SchedulingDisabled","a,worker,z","5m3s","v1","1.2.3.4","<none>","<unknown>",)x"
            R"x("6.1 (amd64)","<unknown>"])x");
  EXPECT_EQ(cells(builtin("", "Node"), object(R"("status":{})")),
            R"(["x","Unknown","<none>","5m3s","","<none>","<none>","<unknown>","<unknown>","<unknown>"])");
}

TEST(Table, Services) {
  const auto service = [](std::string_view rest) { return cells(builtin("", "Service"), object(rest)); };
  EXPECT_EQ(service(R"("spec":{"type":"NodePort","clusterIPs":["10.0.0.1"],"selector":{"b":"1","a":"2"},
                      "ports":[{"port":80,"nodePort":30000,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]})"),
            R"(["x","NodePort","10.0.0.1","<none>","80:30000/TCP,53/UDP","5m3s","a=2,b=1"])");
  EXPECT_EQ(service(R"("spec":{"type":"LoadBalancer","externalIPs":["9.9.9.9"]},
                      "status":{"loadBalancer":{"ingress":[{"ip":"8.8.8.8"},{"hostname":"lb"},{"ip":"1.1.1.1"}]}})"),
            R"(["x","LoadBalancer","<none>","1.1.1.1,8.8.8.8,lb,9.9.9.9","<none>","5m3s","<none>"])");
  EXPECT_EQ(service(R"("spec":{"type":"LoadBalancer","clusterIPs":["None"]})"),
            R"(["x","LoadBalancer","None","<pending>","<none>","5m3s","<none>"])");
}

TEST(Table, EndpointsAndIngresses) {
  EXPECT_EQ(cells(builtin("", "Endpoints"), object(R"("subsets":[{"addresses":[{"ip":"1.1.1.1"},{"ip":"fd00::1"}],
                            "ports":[{"port":1},{"port":2}]}])")),
            R"(["x","1.1.1.1:1,[fd00::1]:1,1.1.1.1:2 + 1 more...","5m3s"])");
  EXPECT_EQ(cells(builtin("networking.k8s.io", "Ingress"),
                  object(R"("spec":{"tls":[{}],"rules":[{"host":"a"},{"host":"b"},{"host":"c"},{"host":"d"}]})")),
            R"(["x","<none>","a,b,c + 1 more...","","80, 443","5m3s"])");
}

TEST(Table, EventsOfBothVersions) {
  EXPECT_EQ(columns(builtin("", "Event")),
            "Last Seen,Type,Reason,Object,Subobject+,Source+,Message,First Seen+,Count+,Name+,");
  EXPECT_EQ(cells(builtin("", "Event"),
                  object(R"("involvedObject":{"kind":"Pod","name":"p","fieldPath":"f"},"reason":"R","type":"Normal",
                            "message":" said \n","firstTimestamp":"2026-05-01T11:00:00Z","count":7,
                            "lastTimestamp":"2026-05-01T11:59:40Z","source":{"component":"k","host":"h"})")),
            R"(["20s","Normal","R","pod/p","f","k, h","said","60m",7,"x"])");
  EXPECT_EQ(cells(builtin("events.k8s.io", "Event"),
                  object(R"("regarding":{"kind":"Node","name":"n"},"reason":"R","note":"said",
                            "reportingController":"c","eventTime":"2026-05-01T11:58:30.000000Z",
                            "series":{"count":4,"lastObservedTime":"2026-05-01T11:59:30.000000Z"})")),
            R"(["30s","","R","node/n","","c","said","90s",4,"x"])");
}

TEST(Table, Workloads) {
  EXPECT_EQ(cells(builtin("apps", "Deployment"),
                  object(R"("spec":{"replicas":3,"selector":{"matchLabels":{"z":"1"},"matchExpressions":[
                              {"key":"c","operator":"In","values":["y","x"]},{"key":"a","operator":"DoesNotExist"}]},
                            "template":{"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}]}}},
                            "status":{"readyReplicas":2,"updatedReplicas":1})")),
            R"(["x","2/3",1,0,"5m3s","c,d","i,j","!a,c in (x,y),z=1"])");
  const auto job = [](std::string_view rest) { return cells(builtin("batch", "Job"), object(rest)); };
  EXPECT_EQ(job(R"("spec":{"completions":4},"status":{"succeeded":1,"startTime":"2026-05-01T11:50:00Z"})"),
            R"(["x","Running","1/4","10m","5m3s","","","<none>"])");
  EXPECT_EQ(job(R"("spec":{"parallelism":3},"status":{"startTime":"2026-05-01T11:50:00Z",
                   "completionTime":"2026-05-01T11:51:00Z","conditions":[{"type":"Complete","status":"True"}]})"),
            R"(["x","Complete","0/1 of 3","60s","5m3s","","","<none>"])");
}

TEST(Table, VolumesAndQuotas) {
  EXPECT_EQ(cells(builtin("", "PersistentVolume"),
                  object(R"("spec":{"capacity":{"storage":"1.5Gi"},"accessModes":["ReadWriteMany","ReadWriteOnce"],
                            "claimRef":{"namespace":"n","name":"c"},"storageClassName":"s"},
                            "status":{"phase":"Bound"})")),
            R"(["x","1536Mi","RWO,RWX","","Bound","n/c","s","<unset>","","5m3s","<unset>"])");
  EXPECT_EQ(cells(builtin("", "ResourceQuota"),
                  object(R"("status":{"hard":{"pods":"10","limits.cpu":"2"},"used":{"limits.cpu":"1500m"}})")),
            R"(["x","pods: 0/10","limits.cpu: 1500m/2","5m3s"])");
}

TEST(Table, CustomColumns) {
  api::ApiResource resource = builtin("example.com", "Widget");
  resource.custom = true;
  resource.columns = {
      {.name = "Replicas", .type = "integer", .json_path = ".spec.replicas"},
      {.name = "Ready", .type = "string", .json_path = ".status.conditions[?(@.type==\"Ready\")].status"},
      {.name = "Any", .type = "string", .json_path = ".spec.any", .priority = 1},
      {.name = "When", .type = "date", .json_path = ".spec.when"},
      {.name = "On", .type = "boolean", .json_path = ".spec.on"},
      {.name = "Broken", .type = "string", .json_path = "..x"}};
  EXPECT_EQ(columns(resource), "Name,Replicas,Ready,Any+,When,On,Broken,");
  EXPECT_EQ(cells(resource, object(R"("spec":{"replicas":3,"any":{"b":[1,"x"]},"when":"2026-05-01T11:58:30Z","on":true},
                                      "status":{"conditions":[{"type":"A","status":"n"},
                                      {"type":"Ready","status":"y"}]})")),
            R"(["x",3,"y","{\"b\":[1,\"x\"]}","90s",true,null])");
  EXPECT_EQ(cells(resource, object(R"("spec":{"replicas":"3","any":null,"when":"junk","on":"yes"})")),
            R"(["x",null,null,"<no value>","<invalid>",null,null])");
  EXPECT_EQ(cells(resource, object(R"("spec":{"replicas":2.5,"any":1000000.0,"when":5})")),
            R"(["x",2,null,"1e+06",null,null,null])");
  EXPECT_EQ(cells(resource, object(R"("spec":{"any":2.0})")), R"(["x",null,null,"2",null,null,null])");
}

TEST(Table, CustomKindsWithoutColumnsShowTheirAge) {
  api::ApiResource resource = builtin("example.com", "Plain");
  resource.custom = true;
  EXPECT_EQ(columns(resource), "Name,Age,");
  EXPECT_EQ(cells(resource, object(R"("spec":{})")), R"(["x","5m3s"])");
}

// Whatever stands in an object, every kind gives as many cells as it has columns.
TEST(Table, WrongShapesGiveEmptyCells) {
  const std::pair<std::string_view, std::string_view> kinds[] = {{"", "Pod"},
                                                                 {"", "Node"},
                                                                 {"", "Service"},
                                                                 {"", "Endpoints"},
                                                                 {"", "Event"},
                                                                 {"", "ResourceQuota"},
                                                                 {"", "PersistentVolume"},
                                                                 {"", "PersistentVolumeClaim"},
                                                                 {"", "Secret"},
                                                                 {"", "ConfigMap"},
                                                                 {"", "PodTemplate"},
                                                                 {"", "ReplicationController"},
                                                                 {"apps", "DaemonSet"},
                                                                 {"batch", "Job"},
                                                                 {"batch", "CronJob"},
                                                                 {"apps", "ControllerRevision"},
                                                                 {"policy", "PodDisruptionBudget"},
                                                                 {"networking.k8s.io", "Ingress"},
                                                                 {"storage.k8s.io", "CSIDriver"},
                                                                 {"storage.k8s.io", "StorageClass"},
                                                                 {"discovery.k8s.io", "EndpointSlice"},
                                                                 {"rbac.authorization.k8s.io", "RoleBinding"}};
  for (const auto& [group, kind] : kinds) {
    for (const std::string_view wrong :
         {"null", "5", "[]", "{}", R"({"metadata":5,"spec":[],"status":"x","subsets":{},"data":1})",
          R"({"metadata":{"name":1,"labels":[],"creationTimestamp":{}},"spec":{"containers":5,"initContainers":[1],
              "ports":[null,5],"rules":[[]],"replicas":"x","selector":7,"template":[]},
              "status":{"conditions":[1,{}],"containerStatuses":[5,{"state":3}],"initContainerStatuses":[{"state":[]}],
              "hard":{"pods":{}},"podIPs":[4],"addresses":[[]],"active":5},"subjects":[3],"webhooks":{},
              "endpoints":[{"addresses":[1]}],"involvedObject":[],"series":1,
              "subsets":[{"addresses":[1],"ports":[2]}]})"}) {
      cells(builtin(group, kind), wrong);
    }
  }
}

}  // namespace
}  // namespace basalt::server
