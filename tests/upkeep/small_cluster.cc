#include "tests/upkeep/small_cluster.h"

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"

namespace basalt {
namespace {

std::vector<std::string> cut(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string plural_of(std::string kind) {
  for (char& c : kind) c = static_cast<char>(std::tolower(c));
  return kind.ends_with("cy") || kind.ends_with("ty") ? kind.substr(0, kind.size() - 1) + "ies" : kind + "s";
}

}  // namespace

KubeControllersFixture::KubeControllersFixture(kubernetes::Periods periods)
    : periods_(periods), store_(store::Store::in_memory()) {
  server_ = std::make_unique<server::ApiServer>(*store_,
                                                server::ApiServerOptions{.clock = [this] { return now_; }, .seed = 7});
  client_ = std::make_unique<server::InProcessClient>(
      *server_, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
  const auto begun = server::bootstrap(*client_);
  EXPECT_TRUE(begun.has_value()) << (begun ? "" : begun.error().message);
  restart_upkeep();
}

void KubeControllersFixture::restart_upkeep() {
  upkeep_.reset();
  upkeep_ = std::make_unique<kubernetes::KubeControllerManager>(
      *client_, kubernetes::KubeControllerManagerOptions{.clock = {}, .periods = periods_});
  settle();
}

uint64_t KubeControllersFixture::settle() {
  const uint64_t before = upkeep_->counters().writes;
  upkeep_->step(now_);
  return upkeep_->counters().writes - before;
}

void KubeControllersFixture::pass(Duration time) {
  const Instant end = now_ + time;
  for (settle();;) {
    const auto due = upkeep_->next_due();
    if (!due || *due > end) break;
    now_ = std::max(now_, *due);
    settle();
  }
  now_ = end;
  settle();
}

api::Call KubeControllersFixture::call(api::Verb verb, std::string_view where) const {
  std::vector<std::string> parts = cut(where, '/');
  api::Call call{.verb = verb};
  if (parts.front() != "v1") {
    call.resource.group = parts.front();
    parts.erase(parts.begin());
  }
  call.resource.version = parts[0];
  call.resource.plural = parts[1];
  const bool collection = verb == api::Verb::List;
  if (parts.size() == 4) call.namespace_name = parts[2];
  if (parts.size() == 3 && collection) call.namespace_name = parts[2];
  if (parts.size() == 4 || (parts.size() == 3 && !collection)) call.name = parts.back();
  return call;
}

std::string KubeControllersFixture::create(std::string_view manifest) {
  auto value = text::parse_yaml(manifest);
  EXPECT_TRUE(value.has_value()) << (value ? "" : value.error().message);
  if (!value) return "";
  const text::Object& object = value->value.get_object();
  std::string api_version(api::string_at(object, "apiVersion"));
  api::Call create =
      call(api::Verb::Create, api_version + "/" + plural_of(std::string(api::string_at(object, "kind"))));
  create.namespace_name = api::namespace_of(object);
  create.body = value->value;
  const client::ReplyOrError outcome = client_->call(std::move(create));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
  return outcome ? std::string(api::string_at(outcome->object->get_object(), {"metadata", "uid"})) : "";
}

client::ObjectPtr KubeControllersFixture::get(std::string_view where) {
  const client::ReplyOrError outcome = client_->call(call(api::Verb::Get, where));
  return outcome ? outcome->object : nullptr;
}

std::string KubeControllersFixture::at(std::string_view where, std::string_view path) {
  const client::ObjectPtr object = get(where);
  const text::Value* value = object.get();
  for (const std::string& step : cut(path, '.')) {
    if (value == nullptr) return "";
    if (const text::Array* array = value->if_array()) {
      const size_t index = std::stoul(step);
      value = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      value = text::find_member(*value, step);
    }
  }
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
}

void KubeControllersFixture::remove(std::string_view where, std::string_view propagation) {
  api::Call call_ = call(api::Verb::Delete, where);
  if (!propagation.empty()) call_.body = text::Object{{"propagationPolicy", propagation}};
  const client::ReplyOrError outcome = client_->call(std::move(call_));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void KubeControllersFixture::patch(std::string_view where, std::string_view json, std::string_view subresource) {
  api::Call call_ = call(api::Verb::Patch, where);
  call_.subresource = subresource;
  call_.body = text::parse_json(json).value();
  const client::ReplyOrError outcome = client_->call(std::move(call_));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

std::vector<client::ObjectPtr> KubeControllersFixture::list(std::string_view where) {
  const client::ReplyOrError outcome = client_->call(call(api::Verb::List, where));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
  return outcome ? outcome->items : std::vector<client::ObjectPtr>();
}

}  // namespace basalt
