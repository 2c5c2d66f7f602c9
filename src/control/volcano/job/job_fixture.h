// A fixture for tests of the job controller: one job "ns/j", a store of JSON objects with resourceVersions, the
// controller on top of it, and short words for what users, the scheduler and kubelets do. No server, no threads, no
// clock.
//
// settle() plans and carries out until nothing is left to do; it may be stopped after any number of writes, and
// restart() forgets everything but the store, as a new process would.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "control/volcano/controller_cache.h"
#include "control/volcano/job/job_controller.h"
#include "kube/api/object_fields.h"
#include "kube/text/patch.h"
#include "kube/text/rfc3339.h"
#include "kube/text/yaml.h"

namespace basalt::volcano {

class JobFixture {
 public:
  using Lines = std::vector<std::string>;
  static constexpr size_t kEndless = 100'000;
  static constexpr int kMaxRounds = 200;  // a job that is not quiet then never will be

  explicit JobFixture(std::string_view job_spec = "")
      : seen_(std::make_unique<ControllerCache>(std::vector<std::string>{})) {
    put("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}}");
    if (!job_spec.empty()) put_job(job_spec);
  }

  // `spec` is the content of the Job's spec, as YAML in one line or more.
  void put_job(std::string_view spec) {
    text::Object job{{"apiVersion", "batch.volcano.sh/v1alpha1"},
                     {"kind", "Job"},
                     {"metadata", text::Object{{"name", "j"}, {"namespace", "ns"}, {"generation", 1}}},
                     {"spec", parse(spec)}};
    text::Object& filled = job["spec"].get_object();
    if (!filled.contains("queue")) filled["queue"] = "default";
    if (!filled.contains("maxRetry")) filled["maxRetry"] = 3;
    put_object(std::move(job));
  }
  void put(std::string_view yaml) { put_object(parse(yaml).get_object()); }
  void change_spec(std::string_view json) {
    const int64_t generation = api::int_at(object("jobs/ns/j"), {"metadata", "generation"}) + 1;
    patch("jobs/ns/j", fmt::format(R"({{"metadata":{{"generation":{}}},"spec":{}}})", generation, json));
  }
  void patch(const std::string& place, std::string_view json) {
    put_object(text::merge_patch(object(place), text::parse_json(json).value()).get_object());
  }
  // What a scheduler, a kubelet, a user does.
  void admit(std::string_view phase = "Inqueue") {
    for (const std::string& place : places("podgroups/")) {
      patch(place, fmt::format(R"({{"status":{{"phase":"{}"}}}})", phase));
    }
  }
  void pod(std::string_view name, std::string_view phase, int exit_code = 0, int restarts = 0) {
    std::string state = "{}";
    if (phase == "Failed" || phase == "Succeeded") {
      state = fmt::format(R"({{"terminated":{{"exitCode":{},"finishedAt":"{}"}}}})", exit_code, text::format_time(now));
    }
    patch(fmt::format("pods/ns/{}", name),
          fmt::format(R"({{"status":{{"phase":"{}","containerStatuses":[{{"name":"c","ready":{},"restartCount":{},)"
                      R"("state":{}}}]}}}})",
                      phase, phase == "Running" ? "true" : "false", restarts, state));
  }
  void all_pods(std::string_view phase) {
    for (const std::string& place : places("pods/")) pod(place.substr(place.rfind('/') + 1), phase);
  }
  void command(std::string_view name, std::string_view action) {
    put(fmt::format(
        "{{apiVersion: bus.volcano.sh/v1alpha1, kind: Command, metadata: {{name: {}, namespace: ns}}, action: "
        "{}, target: {{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: {}}}}}",
        name, action, api::string_at(object("jobs/ns/j"), {"metadata", "uid"})));
  }
  // Gone at once, as after a forced deletion.
  void lose(const std::string& place) {
    store_.erase(place);
    forget(place);
  }
  // Pods that are leaving are gone.
  void bury() {
    for (const std::string& place : places("pods/")) {
      if (!api::string_at(object(place), {"metadata", "deletionTimestamp"}).empty()) lose(place);
    }
  }

  [[nodiscard]] Lines plan() {
    Lines lines;
    const WritePlan planned = make_plan();
    for (const WritePlan::Stage& stage : planned.stages) {
      for (const api::Call& call : stage) lines.push_back(line_of(call));
    }
    return lines;
  }
  [[nodiscard]] Lines notes() {
    Lines lines;
    for (const EventNote& note : make_plan().notes) lines.push_back(note.reason + ": " + note.message);
    return lines;
  }
  [[nodiscard]] Duration again() { return make_plan().again - now; }

  // Plans and carries out until there is nothing to do, or after so many writes. Answers the writes.
  Lines settle(size_t most = kEndless) {
    Lines lines;
    for (int round = 0; round < kMaxRounds; ++round) {
      const WritePlan planned = make_plan();
      for (const EventNote& note : planned.notes) told.push_back(note.reason + ": " + note.message);
      const WriteRefusal* known = refusals_.find(kItem);
      const std::string last = known == nullptr ? "" : known->message;
      refusals_.drop(kItem);
      if (planned.stages.empty()) return lines;
      const int64_t before = version_;
      bool refused = false;
      for (const WritePlan::Stage& stage : planned.stages) {
        if (refused) break;
        for (const api::Call& call : stage) {
          if (lines.size() >= most) return lines;
          lines.push_back(line_of(call));
          refused = !carry_out(call) || refused;
        }
      }
      known = refusals_.find(kItem);
      if (known != nullptr && known->message == last && version_ == before) return lines;  // refused as before
    }
    ADD_FAILURE() << "the job never comes to rest; last: " << (lines.empty() ? "" : lines.back());
    return lines;
  }
  void restart() {
    seen_ = std::make_unique<ControllerCache>(std::vector<std::string>{});
    refusals_.drop(kItem);
    for (const auto& [place, value] : store_) learn(place, value);
  }
  void pass(Duration time) { now = now + time; }

  [[nodiscard]] bool has(const std::string& place) const { return store_.contains(place); }
  [[nodiscard]] const text::Object& object(const std::string& place) const {
    static const text::Object kNone;
    const auto at = store_.find(place);
    EXPECT_NE(at, store_.end()) << place << " is not there";
    return at == store_.end() ? kNone : at->second->get_object();
  }
  [[nodiscard]] Lines places(std::string_view prefix) const {
    Lines found;
    for (const auto& [place, value] : store_) {
      if (place.starts_with(prefix)) found.push_back(place);
    }
    return found;
  }
  [[nodiscard]] const text::Object& status() const {
    static const text::Object kNone;
    const text::Object* status = api::object_at(object("jobs/ns/j"), {"status"});
    return status == nullptr ? kNone : *status;
  }
  [[nodiscard]] std::string phase() const { return std::string(api::string_at(status(), {"state", "phase"})); }
  [[nodiscard]] std::string reason() const { return std::string(api::string_at(status(), {"state", "reason"})); }
  [[nodiscard]] std::string message() const { return std::string(api::string_at(status(), {"state", "message"})); }
  [[nodiscard]] int64_t number(std::string_view key) const { return api::int_at(status(), {key}); }
  // "j-w-0 Running v1, j-w-1 Failed v0 leaving"
  [[nodiscard]] std::string pods() const {
    std::string text;
    for (const std::string& place : places("pods/")) {
      const CachedPod view = cached_pod_of(object(place));
      text += fmt::format("{}{} {} v{}{}", text.empty() ? "" : ", ", view.name, to_text(view.phase), view.job_version,
                          view.leaving() ? " leaving" : "");
    }
    return text;
  }
  // Everything that matters at the end, without what differs from run to run.
  [[nodiscard]] std::string summary() const {
    std::string text = fmt::format("{} v{} r{} p{} R{} s{} f{} t{} | {}\n", phase(), number("version"),
                                   number("retryCount"), number("pending"), number("running"), number("succeeded"),
                                   number("failed"), number("terminating"), pods());
    for (const auto& [place, value] : store_) {
      if (!place.starts_with("pods/") && !place.starts_with("jobs/"))
        text += place.substr(0, place.find("uid-")) + "\n";
    }
    return text;
  }

  Instant now = Instant::from_unix_seconds(1'700'000'000);
  bool slow_pods = false;  // deleted pods stay as leaving until bury()
  Lines told;              // notes of settle()
  // Why the server refuses to make the object at this place, "pods/ns/j-w-0"; "": it does not.
  std::function<std::string(const std::string& place)> refuses;

 private:
  static text::Value parse(std::string_view yaml) {
    auto value = text::parse_yaml(yaml);
    EXPECT_TRUE(value.has_value()) << yaml << ": " << (value ? "" : value.error().message);
    return value ? value->value : text::Value(text::Object());
  }
  static std::string place_of(const api::Call& call) {
    std::string_view name = call.name;
    if (call.verb == api::Verb::Create) name = api::name_of(call.body.get_object());
    return fmt::format("{}/{}{}{}", call.resource.plural, call.namespace_name, call.namespace_name.empty() ? "" : "/",
                       name);
  }
  static std::string line_of(const api::Call& call) {
    std::string place = place_of(call);
    place = place.substr(0, place.find("-uid-"));
    if (call.verb == api::Verb::Create) return "create " + place;
    if (call.verb == api::Verb::Delete) return "delete " + place;
    if (call.patch == api::PatchType::Apply) return "apply " + place;
    text::Object body = call.body.get_object();
    text::Object& metadata = api::metadata_of(body);
    metadata.erase("uid");
    metadata.erase("resourceVersion");
    if (metadata.empty()) body.erase("metadata");
    if (call.subresource != "status") return fmt::format("patch {} {}", place, text::to_json(body));
    text::Object status;
    for (const auto& member : body.at("status").get_object()) {
      if (member.key() == "conditions") continue;
      if (member.key() != "state") {
        status[member.key()] = member.value();
        continue;
      }
      for (const std::string_view key : {"phase", "reason", "message"}) {
        if (const text::Value* word = text::find_member(member.value(), key)) status[key] = *word;
      }
    }
    return fmt::format("status {}", text::to_json(status));
  }
  [[nodiscard]] WritePlan make_plan() {
    const VolcanoContext context{.seen = *seen_,
                                 .probes = probes_,
                                 .options = options_,
                                 .system_services = system_services_,
                                 .refusal = refusals_.find(kItem)};
    return job_controller().plan(context, "ns/j", now);
  }

  void put_object(text::Object object) {
    text::Object& metadata = api::metadata_of(object);
    if (!metadata.contains("uid")) metadata["uid"] = fmt::format("uid-{}", ++uids_);
    if (!metadata.contains("creationTimestamp")) metadata["creationTimestamp"] = text::format_time(now);
    metadata["resourceVersion"] = std::to_string(++version_);
    std::string plural;
    for (const VolcanoKindRow& row : kind_rows()) {
      if (row.name == api::string_at(object, "kind") &&
          api_version_of(row.kind) == api::string_at(object, "apiVersion")) {
        plural = row.plural;
      }
    }
    EXPECT_FALSE(plural.empty()) << text::to_json(object);
    const std::string place = plural + "/" + api::key_of(object);
    auto value = std::make_shared<const text::Value>(std::move(object));
    store_[place] = value;
    learn(place, value);
  }
  static const VolcanoKindRow* row_at(std::string_view place) {
    for (const VolcanoKindRow& row : kind_rows()) {
      if (row.plural == place.substr(0, place.find('/')) && row.kind != VolcanoKind::BatchJob &&
          row.kind != VolcanoKind::ConfigMap) {
        return &row;
      }
    }
    return nullptr;
  }
  void learn(std::string_view place, const client::ObjectPtr& value) {
    if (const VolcanoKindRow* row = row_at(place)) seen_->learn(row->kind, value, [](const ObjectChange&) {});
  }
  void forget(const std::string& place) {
    if (const VolcanoKindRow* row = row_at(place)) {
      seen_->forget(row->kind, place.substr(place.find('/') + 1), now, [](const ObjectChange&) {});
    }
  }

  // False: refused, so that the later stages of the plan are not sent.
  bool carry_out(const api::Call& call) {
    const std::string place = place_of(call);
    const auto at = store_.find(place);
    const bool makes = call.verb == api::Verb::Create || call.patch == api::PatchType::Apply;
    if (std::string why = makes && refuses ? refuses(place) : ""; !why.empty()) {
      const api::ApiError error{.code = 403, .reason = "Forbidden", .message = std::move(why)};
      if (job_controller().heeds_refusal(call, error)) refusals_.note(kItem, call, error);
      return false;
    }
    if (row_at(place) == nullptr) {  // a kind that nobody watches
      if (call.verb == api::Verb::Delete) store_.erase(place);
      if (call.verb != api::Verb::Delete) store_[place] = std::make_shared<const text::Value>(call.body);
      return true;
    }
    if (call.verb == api::Verb::Create) {
      if (at == store_.end()) put_object(call.body.get_object());
      return true;
    }
    if (at == store_.end()) return true;  // 404 is settled
    const text::Object& stored = at->second->get_object();
    if (call.verb == api::Verb::Delete) return remove(place, call, stored);
    text::Object change = call.body.get_object();
    const text::Object& wanted = api::metadata_of(change);
    for (const std::string_view key : {"uid", "resourceVersion"}) {
      if (wanted.contains(key) && api::string_at(wanted, key) != api::string_at(api::metadata_of(stored), key)) {
        return false;
      }
    }
    put_object(text::merge_patch(stored, change).get_object());
    return true;
  }
  bool remove(const std::string& place, const api::Call& call, const text::Object& stored) {
    const std::string_view uid = api::string_at(call.body.get_object(), {"preconditions", "uid"});
    if (uid != api::string_at(stored, {"metadata", "uid"})) return false;
    if (!slow_pods || !place.starts_with("pods/") || !cached_pod_of(stored).alive()) {
      lose(place);
      return true;
    }
    patch(place, fmt::format(R"({{"metadata":{{"deletionTimestamp":"{}"}}}})", text::format_time(now)));
    return true;
  }

  inline static const WriteRefusals::ItemKey kItem{0, "ns/j"};

  WriteRefusals refusals_;
  std::map<std::string, client::ObjectPtr> store_;  // "pods/ns/j-w-0"
  std::unique_ptr<ControllerCache> seen_;
  GoodProbes probes_;
  VolcanoControllerOptions options_;
  SystemServices system_services_{.generate_ssh_keys = [] { return Result<net::SshKeys>(net::SshKeys{}); },
                                  .time_zone = {}};
  int64_t uids_ = 0, version_ = 0;
};

}  // namespace basalt::volcano
