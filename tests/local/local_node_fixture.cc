#include "tests/local/local_node_fixture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>

#include "kube/api/object_fields.h"
#include "kube/client/wall_clock.h"
#include "kube/text/yaml.h"
#include "server/bootstrap.h"

namespace basalt {
namespace fs = std::filesystem;

namespace {

using client::wall_clock;

api::Call call_of(api::Verb verb, std::string_view plural, std::string_view name) {
  api::Call call{.verb = verb, .resource = {.group = "", .version = "v1", .plural = std::string(plural)}};
  if (plural != "nodes") call.namespace_name = "default";
  call.name = name;
  return call;
}

std::string plural_of(std::string_view kind) {
  std::string plural;
  for (const char c : kind) plural += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plural + "s";
}

}  // namespace

std::string LocalNodeFixture::read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

LocalNodeFixture::LocalNodeFixture() {
  static std::atomic<int> worlds = 0;
  mark_ = fmt::format("local-{}-{}", getpid(), worlds++);
  directory_ = fs::temp_directory_path() / ("basalt-" + mark_);
  options.clock = wall_clock;
  options.name = kNode;
  options.directory = directory_ / "node";
  options.logs = directory_ / "logs";
  options.back_off = {.first = Duration::millis(200), .longest = Duration::millis(400)};
  if (auto block = net::LoopbackBlock::claim(0); block) {  // other clusters may run on this machine
    block_.emplace(std::move(*block));
    options.pod_network = block_->pods();
  }
  store_ = store::Store::in_memory();
  server::ApiServerOptions api{.clock = wall_clock, .seed = 7};
  if (block_) api.admission.service_network = block_->services();
  server_ = std::make_unique<server::ApiServer>(*store_, std::move(api));
  client_ = std::make_unique<server::InProcessClient>(
      *server_, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
  const auto begun = server::bootstrap(*client_);
  EXPECT_TRUE(begun.has_value()) << (begun ? "" : begun.error().message);
  upkeep_ = std::make_unique<kubernetes::KubeControllerManager>(
      *client_, kubernetes::KubeControllerManagerOptions{.clock = wall_clock, .periods = {}});
  upkeep_->step(wall_clock());  // service accounts are there when this returns
  upkeep_->start();
  watch();
}

LocalNodeFixture::~LocalNodeFixture() {
  node_.reset();
  pod_watch_.reset();
  event_watch_.reset();
  upkeep_.reset();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void LocalNodeFixture::watch() {
  api::Call pods = call_of(api::Verb::Watch, "pods", "");
  pod_watch_ = client_->watch(std::move(pods), [this](const client::WatchEvent& event) {
    if (event.object == nullptr || event.type == client::WatchEventType::Bookmark) return;
    const std::string name(api::name_of(event.object->get_object()));
    const std::lock_guard lock(mutex_);
    if (event.type == client::WatchEventType::Deleted) {
      pods_.erase(name);
    } else {
      pods_[name] = event.object;
    }
    changed_.notify_all();
  });
  api::Call events = call_of(api::Verb::Watch, "events", "");
  event_watch_ = client_->watch(std::move(events), [this](const client::WatchEvent& event) {
    const std::lock_guard lock(mutex_);
    if (event.object != nullptr && event.object->is_object()) events_.push_back(event.object);
    changed_.notify_all();
  });
}

void LocalNodeFixture::start_node() {
  auto made = node::LocalNode::make(*client_, options);
  ASSERT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  node_ = std::move(*made);
  node_->start();
}

void LocalNodeFixture::stop_node(std::chrono::milliseconds grace) {
  node_->stop(grace);
  node_.reset();
}

std::string LocalNodeFixture::create(std::string_view yaml) {
  auto value = text::parse_yaml(yaml);
  EXPECT_TRUE(value.has_value()) << (value ? "" : value.error().message) << "\n" << yaml;
  if (!value) return "";
  api::Call call = call_of(api::Verb::Create, plural_of(api::string_at(value->value.get_object(), "kind")), "");
  call.body = value->value;
  const client::ReplyOrError outcome = client_->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message) << "\n" << yaml;
  return outcome ? std::string(api::string_at(outcome->object->get_object(), {"metadata", "uid"})) : "";
}

std::string LocalNodeFixture::create_pod(std::string_view name, std::string_view spec) {
  return create(
      fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: {{app: {}}}}}, spec: {{nodeName: "
                  "{}, {}}}}}",
                  name, name, kNode, spec));
}

void LocalNodeFixture::remove_pod(std::string_view name, int64_t grace) {
  api::Call call = call_of(api::Verb::Delete, "pods", name);
  call.body = text::Object{{"gracePeriodSeconds", grace}};
  const client::ReplyOrError outcome = client_->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

void LocalNodeFixture::patch(std::string_view plural, std::string_view name, std::string_view json) {
  api::Call call = call_of(api::Verb::Patch, plural, name);
  call.body = text::parse_json(json).value();
  const client::ReplyOrError outcome = client_->call(std::move(call));
  EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
}

client::ObjectPtr LocalNodeFixture::get(std::string_view plural, std::string_view name) {
  const client::ReplyOrError outcome = client_->call(call_of(api::Verb::Get, plural, name));
  return outcome ? outcome->object : nullptr;
}

bool LocalNodeFixture::wait_for(const std::function<bool()>& is_so) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kTestTimeout, is_so);
}

bool LocalNodeFixture::wait(std::string_view pod, const std::function<bool(const text::Object&)>& is_so) {
  const bool was = wait_for([&] {
    const auto at = pods_.find(pod);
    return at != pods_.end() && is_so(at->second->get_object());
  });
  const std::lock_guard lock(mutex_);
  const auto last = pods_.find(pod);
  EXPECT_TRUE(was) << pod << " is "
                   << (last == pods_.end() ? "gone" : text::to_pretty_json(last->second->at("status")));
  return was;
}

bool LocalNodeFixture::wait_phase(std::string_view pod, std::string_view phase) {
  return wait(pod, [&](const text::Object& object) { return api::string_at(object, {"status", "phase"}) == phase; });
}

bool LocalNodeFixture::wait_ready(std::string_view pod) {
  return wait(pod, [](const text::Object& object) {
    const text::Array* conditions = api::array_at(object, {"status", "conditions"});
    for (size_t i = 0; conditions != nullptr && i < conditions->size(); ++i) {
      const text::Object& one = (*conditions)[i].get_object();
      if (api::string_at(one, "type") == "Ready") return api::string_at(one, "status") == "True";
    }
    return false;
  });
}

bool LocalNodeFixture::wait_gone(std::string_view pod) {
  const bool gone = wait_for([&] { return !pods_.contains(pod); });
  EXPECT_TRUE(gone) << pod << " is still there";
  return gone;
}

client::ObjectPtr LocalNodeFixture::wait_told(std::string_view pod, std::string_view field, std::string_view text) {
  client::ObjectPtr found;
  const bool told = wait_for([&] {
    for (const client::ObjectPtr& event : events_) {
      const text::Object& object = event->get_object();
      if (api::string_at(object, {"involvedObject", "name"}) != pod || api::string_at(object, field) != text) continue;
      found = event;
      return true;
    }
    return false;
  });
  EXPECT_TRUE(told) << "no event \"" << text << "\" about " << pod;
  return found;
}

std::string LocalNodeFixture::wait_event(std::string_view pod, std::string_view reason) {
  const client::ObjectPtr event = wait_told(pod, "reason", reason);
  return event == nullptr ? "" : std::string(api::string_at(event->get_object(), "message"));
}

bool LocalNodeFixture::wait_event_text(std::string_view pod, std::string_view message) {
  return wait_told(pod, "message", message) != nullptr;
}

std::string LocalNodeFixture::at(std::string_view pod, std::string_view path) {
  const client::ObjectPtr object = get("pods", pod);
  const text::Value* value = object.get();
  while (value != nullptr && !path.empty()) {
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (const text::Array* array = value->if_array()) {
      const size_t index = static_cast<size_t>(step.front() - '0');
      value = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      value = text::find_member(*value, step);
    }
  }
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
}

std::string LocalNodeFixture::log(std::string_view pod, std::string_view container, bool previous) const {
  const std::string text = read(directory_ / "logs" / "default" / std::string(pod) /
                                (std::string(container) + (previous ? ".previous.log" : ".log")));
  std::string lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    for (int word = 0; word < 3; ++word) line.remove_prefix(std::min(line.size(), line.find(' ') + 1));
    lines += (lines.empty() ? "" : "|") + std::string(line);
    at = end + 1;
  }
  return lines;
}

std::vector<int> LocalNodeFixture::marked() const {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read(entry.path() / "environ").contains("MARK=" + mark_)) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace basalt
