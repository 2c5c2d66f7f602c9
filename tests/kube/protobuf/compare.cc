// The same objects written and read in both forms: JSON is the truth, the binary form must give the same values.
#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "kube/api/object_fields.h"
#include "kube/text/document_path.h"
#include "kube/text/yaml.h"
#include "tests/kube/protobuf/forms.h"
#include "tests/kube/protobuf/variants.h"

namespace basalt::tests {
namespace {

using api::Verb;

constexpr std::chrono::seconds kTestTimeout{30};
constexpr size_t kMaxShownDifferences = 20;

// What differs on purpose (kube/client/protobuf/protobuf_response.h): managedFields, null for an empty list, and the
// names of kinds inside of objects.
text::Value comparable(const text::Value& value) {
  if (value.is_array()) {
    text::Array kept;
    for (const text::Value& element : value.get_array()) kept.push_back(comparable(element));
    return kept;
  }
  if (!value.is_object()) return value;
  text::Object kept;
  for (const auto& member : value.get_object()) {
    if (member.key() == "managedFields" || member.value().is_null()) continue;
    kept[member.key()] = comparable(member.value());
    if (member.key() != "volumeClaimTemplates" || !member.value().is_array()) continue;
    for (text::Value& claim : kept[member.key()].get_array()) {
      for (const char* key : {"apiVersion", "kind"}) claim.get_object().erase(key);
    }
  }
  return kept;
}

void replace_all(std::string& text, std::string_view word, std::string_view by) {
  for (size_t at = 0; !word.empty() && (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    text.replace(at, word.size(), by);
  }
}

// Times that the server may have chosen when it was asked.
void drop_transition_times(text::Value& value) {
  if (value.is_array()) {
    for (text::Value& element : value.get_array()) drop_transition_times(element);
  } else if (value.is_object()) {
    for (const char* key : {"lastTransitionTime", "lastPhaseTransitionTime"}) value.get_object().erase(key);
    for (auto& member : value.get_object()) drop_transition_times(member.value());
  }
}

// Two objects that should only differ in who they are.
text::Value anonymous(const text::Value& value) {
  text::Value kept = comparable(value);
  if (!kept.is_object() || !kept.get_object().contains("metadata")) return kept;
  text::Object& metadata = api::metadata_of(kept.get_object());
  const std::string name(api::string_at(metadata, "name")), uid(api::string_at(metadata, "uid"));
  for (const char* key : {"name", "uid", "resourceVersion", "creationTimestamp"}) metadata.erase(key);
  // Addresses and times that the server chose.
  for (const char* key : {"clusterIP", "clusterIPs"}) api::object_in(kept.get_object(), "spec").erase(key);
  drop_transition_times(kept.get_object()["status"]);
  std::string text = text::to_json(kept);  // labels and selectors repeat who it is
  replace_all(text, name, "NAME");
  replace_all(text, uid, "UID");
  return *text::parse_json(text);
}

class Differences {
 public:
  void expect_equal(const std::string& what, const text::Value& json, const text::Value& lean) {
    ++compared_;
    if (json == lean) return;
    if (++count_ > kMaxShownDifferences) return;
    fmt::print("DIFFERENT: {}\n", what);
    show(json, lean, "");
  }
  [[nodiscard]] size_t count() const { return count_; }
  [[nodiscard]] size_t compared() const { return compared_; }

 private:
  static void show(const text::Value& json, const text::Value& lean, const std::string& path) {
    if (json == lean) return;
    if (!json.is_object() || !lean.is_object()) {
      fmt::print("  {}\n    json  {}\n    lean  {}\n", path, text::to_json(json), text::to_json(lean));
      return;
    }
    const text::Value nothing;
    for (const auto& member : json.get_object()) {
      const text::Value* other = lean.get_object().if_contains(member.key());
      show(member.value(), other == nullptr ? nothing : *other, path + "." + std::string(member.key()));
    }
    for (const auto& member : lean.get_object()) {
      if (!json.get_object().contains(member.key())) {
        show(nothing, member.value(), path + "." + std::string(member.key()));
      }
    }
  }
  size_t count_ = 0, compared_ = 0;
};

// An outcome as a value, with the object's name made neutral.
text::Value told(const client::ReplyOrError& outcome, const std::string& name) {
  if (outcome) return outcome->object == nullptr ? text::Value() : anonymous(*outcome->object);
  std::string message = text::to_json(outcome.error().to_status());
  replace_all(message, name, "NAME");
  return text::Value(message);
}

// The last state of every object that a watch told, and how it came there.
class Followed {
 public:
  Followed(client::ObjectClient& client, api::Call call) {
    watch_ = client.watch(std::move(call), [this](const client::WatchEvent& event) {
      const std::lock_guard lock(mutex_);
      const text::Object& object = event.object->get_object();
      if (event.type == client::WatchEventType::Error) failed_ = true;
      log_.push_back(text::Object{{"type", static_cast<int>(event.type)}, {"object", comparable(*event.object)}});
      version_ = api::string_at(object, {"metadata", "resourceVersion"});
      more_.notify_all();
    });
  }
  // All events up to `version`; what came until then when that does not come.
  text::Array until(const std::string& version) {
    std::unique_lock lock(mutex_);
    (void)more_.wait_for(lock, kTestTimeout, [&] { return failed_ || !api::is_later_version(version, version_); });
    return log_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  text::Array log_;
  std::string version_ = "0";
  bool failed_ = false;
  std::unique_ptr<client::Watch> watch_;
};

class Comparison {
 public:
  explicit Comparison(const std::string& kubeconfig)
      : json_(client_of(kubeconfig, false)), lean_(client_of(kubeconfig, true)) {}

  void write_and_read(const text::Value& object, int round) {
    const std::string base(api::name_of(object.get_object()));
    for (const bool lean : {false, true}) {
      text::Value mine = object;
      // The same length and the same place in every order: only the last letter differs.
      api::metadata_of(mine.get_object())["name"] = fmt::format("{}-{}-{}", base, round, lean ? "b" : "j");
      written_[lean] = write(lean ? *lean_ : *json_, mine.get_object(), lean ? "lean" : "json");
    }
    differences_.expect_equal(fmt::format("{} {}: writes", base, round), written_[0].outcomes, written_[1].outcomes);
    if (!written_[0].exists || !written_[1].exists) {
      if (round == 0)
        differences_.expect_equal(base + ": a whole document must be taken", "taken", written_[0].outcomes);
      return void(++refused_);
    }
    kinds_.try_emplace(*resource_of(object.get_object()), 0).first->second++;
    for (const Written& written : written_) {
      const auto get = call_about(Verb::Get, written.object.get_object());
      differences_.expect_equal(get.name + ": read", read(*json_, get), read(*lean_, get));
    }
    differences_.expect_equal(base + ": as stored",
                              anonymous(read(*json_, call_about(Verb::Get, written_[0].object.get_object()))),
                              anonymous(read(*json_, call_about(Verb::Get, written_[1].object.get_object()))));
  }

  void list_and_watch() {
    for (const auto& [resource, count] : kinds_) {
      std::string version;
      const text::Array json = list(*json_, resource, version);
      differences_.expect_equal(resource.plural + ": list", json, list(*lean_, resource, version));
      const api::Call watch{.verb = Verb::Watch, .resource = resource, .resource_version = started_at_};
      Followed truth(*json_, watch), followed(*lean_, watch);
      differences_.expect_equal(resource.plural + ": watch", truth.until(last_of(json)), followed.until(last_of(json)));
      fmt::print("{}: {} objects of ours\n", resource.plural, 2 * count);
    }
  }

  // Bodies and answers that are not objects of the kind.
  void bind() {
    for (const char* name : {"bind-j", "bind-b"}) {
      const bool lean = std::string_view(name).ends_with("b");
      client::ObjectClient& client = lean ? *lean_ : *json_;
      const text::Object metadata{{"name", name}, {"namespace", "default"}};
      text::Object pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}};
      pod["spec"] = text::Object{{"containers", text::Array{text::Object{{"name", "c"}, {"image", "i"}}}}};
      api::Call create = call_about(Verb::Create, pod);
      create.body = pod;
      text::Array& outcomes = bound_[lean];
      outcomes.push_back(told(client.call(create), name));
      api::Call bind = call_about(Verb::Get, pod);
      bind.verb = Verb::Create;
      bind.subresource = "binding";
      bind.body = text::Object{{"apiVersion", "v1"},
                               {"kind", "Binding"},
                               {"metadata", metadata},
                               {"target", text::Object{{"kind", "Node"}, {"name", "n1"}}}};
      outcomes.push_back(told(client.call(bind), name));
      outcomes.push_back(told(client.call(bind), name));  // bound already
      outcomes.push_back(anonymous(read(*json_, call_about(Verb::Get, pod))));
      api::Call evict = bind;
      evict.subresource = "eviction";
      evict.body = text::Object{{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", metadata}};
      outcomes.push_back(told(client.call(evict), name));
      bind.name = "nobody";
      outcomes.push_back(told(client.call(bind), name));
    }
    differences_.expect_equal("binding", bound_[0], bound_[1]);
    const text::Value* spec = text::find_member(bound_[0].at(3), "spec");
    const text::Value* node = spec == nullptr ? nullptr : text::find_member(*spec, "nodeName");
    differences_.expect_equal("binding: nodeName", "n1", node == nullptr ? bound_[0] : *node);
  }

  void start() {
    std::string version;
    (void)list(*json_, {.group = "", .version = "v1", .plural = "pods"}, version);
    started_at_ = version;
  }
  [[nodiscard]] int result() const {
    fmt::print("{} comparisons, {} objects that both forms were refused, {} differences\n", differences_.compared(),
               refused_, differences_.count());
    return differences_.count() == 0 && differences_.compared() > 0 ? 0 : 1;
  }

 private:
  struct Written {
    text::Value object;
    text::Array outcomes;
    bool exists = false;
  };

  static Written write(client::ObjectClient& client, const text::Object& object, const std::string& who) {
    const std::string name(api::name_of(object));
    Written written{.object = object};
    api::Call create = call_about(Verb::Create, object);
    create.field_manager = "same-for-both-" + who.substr(4);
    create.body = object;
    const auto made = client.call(create);
    written.exists = made.has_value();
    written.outcomes.push_back(told(made, name));
    if (!made || !object.contains("status")) return written;
    api::Call patch = call_about(Verb::Patch, object);
    patch.subresource = "status";
    patch.body = text::Object{{"status", object.at("status")}};
    written.outcomes.push_back(told(client.call(patch), name));
    const auto now = client.call(call_about(Verb::Get, object));
    if (!now) return written;
    api::Call update = call_about(Verb::Update, object);
    update.body = *now->object;
    api::metadata_of(update.body.get_object()).erase("managedFields");
    text::Object& labels = api::object_in(api::metadata_of(update.body.get_object()), "labels");
    labels["updated"] = "yes";
    written.outcomes.push_back(told(client.call(update), name));
    return written;
  }

  static text::Value read(client::ObjectClient& client, const api::Call& get) {
    const auto outcome = client.call(get);
    return outcome ? comparable(*outcome->object) : text::Value(outcome.error().message);
  }

  static text::Array list(client::ObjectClient& client, const api::GroupVersionResource& resource,
                          std::string& version) {
    text::Array all;
    api::Call call{.verb = Verb::List, .resource = resource, .limit = 7};
    do {
      const auto page = client.call(call);
      if (!page) {
        all.push_back(text::Object{{"error", page.error().message}});
        return all;
      }
      version = page->resource_version;
      for (const client::ObjectPtr& item : page->items) all.push_back(comparable(*item));
      call.continue_token = page->continue_token;
    } while (!call.continue_token.empty());
    return all;
  }

  static std::string last_of(const text::Array& objects) {
    std::string last = "0";
    for (const text::Value& object : objects) {
      const std::string_view version = api::string_at(object.get_object(), {"metadata", "resourceVersion"});
      if (api::is_later_version(version, last)) last = version;
    }
    return last;
  }

  std::unique_ptr<client::ObjectClient> json_, lean_;
  std::array<Written, 2> written_;
  std::array<text::Array, 2> bound_;
  std::map<api::GroupVersionResource, int> kinds_;
  std::string started_at_;
  Differences differences_;
  size_t refused_ = 0;
};

}  // namespace

int compare_forms(const std::string& kubeconfig, std::string_view documents, uint64_t seed, int rounds) {
  const auto parsed = text::parse_documents(documents);
  if (!parsed) {
    fmt::print(stderr, "{}\n", parsed.error().message);
    return 2;
  }
  Comparison comparison(kubeconfig);
  comparison.start();
  comparison.bind();  // before there are quotas
  Rng rng(seed);
  for (const text::Document& document : *parsed) {
    if (!document.value.is_object() || !resource_of(document.value.get_object())) {
      fmt::print(stderr, "a document is of no kind with a binary form\n");
      return 2;
    }
    for (int round = 0; round < rounds; ++round) {
      comparison.write_and_read(round == 0 ? document.value : variant_of(document.value, rng), round);
    }
  }
  comparison.list_and_watch();
  return comparison.result();
}

}  // namespace basalt::tests
