// An API in memory and a terminal of strings, for the tests of vcctl: enough of a server to run every command against.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kube/api/object_fields.h"
#include "kube/api/selector_text.h"
#include "kube/text/patch.h"
#include "kube/text/rfc3339.h"
#include "kube/text/yaml.h"
#include "programs/cli/vcctl/vcctl.h"

namespace basalt::cli::vcctl {

class FakeApi : public client::ObjectClient {
 public:
  // Puts an object, given as YAML, below its plural: put("jobs", "metadata: {name: a, namespace: default}").
  void put(const std::string& plural, const std::string& yaml) {
    auto document = text::parse_yaml(yaml);
    ASSERT_TRUE(document.has_value()) << document.error().message;
    text::Object object = document->value.as_object();
    object["metadata"].as_object()["resourceVersion"] = std::to_string(++version_);
    tables_[plural][api::key_of(object)] = std::make_shared<const text::Value>(object);
  }

  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    calls.push_back(call);
    if (const auto refusal = refusals.find(call.verb); refusal != refusals.end()) {
      return done(std::unexpected(refusal->second));
    }
    done(answer(call));
  }

  std::unique_ptr<client::Watch> watch(api::Call call, std::function<void(client::WatchEvent)> receive) override {
    calls.push_back(std::move(call));
    std::vector<client::WatchEvent> now;
    if (!watches.empty()) {
      now = std::move(watches.front());
      watches.erase(watches.begin());
    } else {
      now.push_back(end_of_watch(500, "InternalError", "the fake has no more events"));
    }
    for (client::WatchEvent& event : now) receive(std::move(event));
    return std::make_unique<client::Watch>();
  }

  static client::WatchEvent event(client::WatchEventType type, const std::string& yaml) {
    return {.type = type, .object = std::make_shared<const text::Value>(text::parse_yaml(yaml)->value)};
  }
  static client::WatchEvent end_of_watch(int code, std::string_view reason, std::string_view message) {
    return {.type = client::WatchEventType::Error,
            .object = std::make_shared<const text::Value>(
                text::Object{{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}})};
  }

  [[nodiscard]] const text::Object* find(const std::string& plural, const std::string& key) const {
    const auto table = tables_.find(plural);
    if (table == tables_.end() || !table->second.contains(key)) return nullptr;
    return &table->second.at(key)->get_object();
  }
  // The body of the last create of that plural; null when there was none.
  [[nodiscard]] text::Value created(std::string_view plural) const {
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      if (call->verb == api::Verb::Create && call->resource.plural == plural) return call->body;
    }
    return nullptr;
  }

  std::vector<api::Call> calls;
  // Of pods, by "namespace/name", or of containers, by "namespace/name/container" (and "/previous").
  std::map<std::string, std::string> logs;
  size_t bytes_of_logs = 0;                              // that were sent
  std::map<api::Verb, api::ApiError> refusals;           // what every call with this verb is told
  std::vector<std::vector<client::WatchEvent>> watches;  // what the next watches deliver

 private:
  using Table = std::map<std::string, client::ObjectPtr>;

  client::ReplyOrError answer(const api::Call& call) {
    Table& table = tables_[call.resource.plural];
    const std::string key = call.namespace_name.empty() ? call.name : call.namespace_name + "/" + call.name;
    if (call.verb == api::Verb::List) return list(call, table);
    if (call.verb == api::Verb::Create) return create(call, table);
    const auto found = table.find(key);
    if (found == table.end()) {
      return std::unexpected(api::not_found(call.resource.group, call.resource.plural, call.name));
    }
    client::Reply reply{.object = found->second};
    if (call.subresource == "log") {
      return log_of(key, call.log.value_or(api::PodLogOptions{}));
    }
    if (call.verb == api::Verb::Delete) table.erase(found);
    if (call.verb == api::Verb::Patch) {
      found->second = reply.object = std::make_shared<const text::Value>(text::merge_patch(*found->second, call.body));
    }
    return reply;
  }

  // As kube-apiserver: more than one container must be named, and sinceTime goes to the kubelet in whole seconds.
  client::ReplyOrError log_of(const std::string& key, const api::PodLogOptions& options) {
    const text::Array* containers = api::array_at(*find("pods", key), {"spec", "containers"});
    if (containers != nullptr && containers->size() > 1 && options.container.empty()) {
      return std::unexpected(api::bad_request("a container name must be specified for pod " + key));
    }
    const std::string named = key + "/" + options.container + (options.previous ? "/previous" : "");
    const std::string& log = logs.contains(named) ? logs[named] : logs[options.previous ? named : key];
    const auto since = text::parse_time(options.since_time.substr(0, 19) + "Z");
    std::string out;
    for (size_t at = 0; at < log.size();) {
      const std::string line =
          log.substr(at, log.find('\n', at) == std::string::npos ? std::string::npos : log.find('\n', at) + 1 - at);
      at += line.size();
      const auto time = text::parse_time(line.substr(0, line.find(' ')));
      if (!since || !time || *time >= *since) out += line;
    }
    bytes_of_logs += out.size();
    return client::Reply{.object = std::make_shared<const text::Value>(out)};
  }

  client::ReplyOrError list(const api::Call& call, const Table& table) {
    const auto labels = api::LabelQuery::parse(call.label_selector);
    const auto fields = api::FieldQuery::parse(call.field_selector);
    if (!labels || !fields) return std::unexpected(api::bad_request("unable to parse the selector"));
    client::Reply reply{.resource_version = std::to_string(version_)};
    for (const auto& [key, object] : table) {
      const bool here = call.namespace_name.empty() || api::namespace_of(object->get_object()) == call.namespace_name;
      if (here && labels->matches(*object) && fields->matches(*object)) reply.items.push_back(object);
    }
    return reply;
  }

  client::ReplyOrError create(const api::Call& call, Table& table) {
    text::Object object = call.body.as_object();
    text::Object& metadata = api::metadata_of(object);
    if (api::name_of(object).empty()) {
      metadata["name"] = std::string(api::string_at(metadata, "generateName")) + "abcde";
    }
    if (!call.namespace_name.empty()) metadata["namespace"] = call.namespace_name;
    metadata["uid"] = "uid-" + std::to_string(++version_);
    const std::string key = api::key_of(object);
    if (table.contains(key)) {
      return std::unexpected(api::already_exists(call.resource.group, call.resource.plural, api::name_of(object)));
    }
    table[key] = std::make_shared<const text::Value>(object);
    return client::Reply{.object = table[key], .created = true};
  }

  std::map<std::string, Table> tables_;
  int64_t version_ = 100;
};

// What a command line result, and how it ended.
struct CommandResult {
  int code = 0;
  std::string out, err;
};

class VcctlTest : public ::testing::Test {
 protected:
  CommandResult vcctl(std::vector<std::string> words) {
    return run(
        [&](const Connect& connect, Terminal& terminal) { return run_words(std::move(words), connect, terminal); });
  }
  CommandResult tool(const std::string& name, std::vector<std::string> words) {
    return run([&](const Connect& connect, Terminal& terminal) {
      return run_tool_words(name, std::move(words), connect, terminal);
    });
  }

  FakeApi api;
  std::string input;  // of the command
  // Most of these tests compare with what Volcano's own tools were recorded to say; own_output_test.cc is about ours.
  std::map<std::string, std::string> environment{{"BASALT_VOLCANO_OUTPUT", "1"}};
  std::function<void()> while_waiting;  // what happens while the command waits to look again
  bool color = false;

 private:
  // Commands own their client; this one only points to the test's.
  class ForwardingClient : public client::ObjectClient {
   public:
    explicit ForwardingClient(FakeApi& api) : api_(api) {}
    void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
      api_.send(std::move(call), std::move(done));
    }
    std::unique_ptr<client::Watch> watch(api::Call call, std::function<void(client::WatchEvent)> receive) override {
      return api_.watch(std::move(call), std::move(receive));
    }

   private:
    FakeApi& api_;
  };

  template <class Program>
  CommandResult run(const Program& program) {
    std::ostringstream out, err;
    std::istringstream in(input);
    Terminal terminal{.out = out,
                      .err = err,
                      .in = in,
                      .color = color,
                      .now = [] { return *text::parse_time("2026-11-15T18:46:33Z"); },
                      .environment = [this](const std::string& name) { return environment[name]; },
                      .pause =
                          [this](std::chrono::milliseconds) {
                            if (while_waiting) while_waiting();
                          }};
    const Connect connect = [this](const FlagValues&) -> Result<std::unique_ptr<client::ObjectClient>> {
      return std::make_unique<ForwardingClient>(api);
    };
    CommandResult result{.code = program(connect, terminal)};
    result.out = out.str();
    result.err = err.str();
    return result;
  }
};

}  // namespace basalt::cli::vcctl
