#include "tests/seeds/seed_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/json_path.h"
#include "kube/text/read_file.h"
#include "kube/text/yaml.h"
#include "programs/cli/vcctl/vcctl.h"

namespace basalt::seeds {
namespace {

constexpr size_t kMaxSeedBytes = size_t{1024} * 1024;

// vcctl owns its client; this one only passes on.
class BorrowedClient final : public client::ObjectClient {
 public:
  explicit BorrowedClient(client::ObjectClient& client) : client_(client) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    client_.send(std::move(call), std::move(done));
  }
  std::unique_ptr<client::Watch> watch(api::Call call, std::function<void(client::WatchEvent)> receive) override {
    return client_.watch(std::move(call), std::move(receive));
  }

 private:
  client::ObjectClient& client_;
};

const lab::LifeKind& kind_called(std::string_view word) {
  const auto kind = lab::life_kind(word);
  EXPECT_TRUE(kind.has_value()) << word;
  return **kind;
}

bool has_ended(const text::Object& pod) {
  const std::string_view phase = api::string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

std::string read_seed(size_t number) {
  std::vector<std::string> files;
  std::error_code error;
  const char* given = std::getenv("BASALT_SEEDS_DIR");
  for (std::filesystem::directory_iterator at(given == nullptr ? "../shared/seeds" : given, error), end;
       !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".txt") files.push_back(at->path().string());
  }
  std::ranges::sort(files);
  if (number >= files.size()) return "";
  return text::read_file(files[number], kMaxSeedBytes).value_or("");
}

std::vector<std::string> fenced_yaml(std::string_view document) {
  constexpr std::string_view kBegin = "```yaml\n", kEnd = "\n```";
  std::vector<std::string> blocks;
  for (size_t at = document.find(kBegin); at != std::string_view::npos; at = document.find(kBegin, at)) {
    at += kBegin.size();
    const size_t end = std::min(document.find(kEnd, at), document.size());
    blocks.emplace_back(document.substr(at, end - at));
    at = end;
  }
  return blocks;
}

std::string SeedCluster::apply(std::string_view yaml) {
  const auto documents = text::parse_documents(yaml);
  if (!documents) return documents.error().message;
  for (const text::Document& document : *documents) {
    if (!document.value.is_object()) return "a document is no object";
    if (std::string wrong = apply(document.value.get_object()); !wrong.empty()) return wrong;
  }
  return "";
}

std::string SeedCluster::apply(text::Object object) {
  const auto kind = lab::life_kind_of(api::string_at(object, "apiVersion"), api::string_at(object, "kind"));
  if (!kind) return kind.error().message;
  std::string ns(api::namespace_of(object));
  if ((*kind)->namespaced && ns.empty()) ns = lab::kLifeNamespace;
  if ((*kind)->namespaced && !there("namespace", ns)) {
    const text::Object metadata{{"name", ns}};
    if (auto wrong = apply({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", metadata}}); !wrong.empty()) {
      return wrong;
    }
  }
  api::Call call{.verb = api::Verb::Patch, .resource = (*kind)->resource()};
  call.namespace_name = (*kind)->namespaced ? ns : "";
  call.name = api::name_of(object);
  call.body = std::move(object);
  call.patch = api::PatchType::Apply;
  call.force = true;
  call.field_manager = "kubectl";
  call.field_validation = api::FieldValidation::Strict;
  if (auto done = cluster.user().call(std::move(call)); !done) return done.error().message;
  settle();
  return "";
}

SeedCluster::VcctlResult SeedCluster::vcctl(std::string_view line) {
  std::vector<std::string> words;
  std::istringstream in{std::string(line)};
  for (std::string word; in >> word;) words.push_back(word);
  std::ostringstream out;
  std::istringstream nothing;
  cli::vcctl::Terminal terminal{.out = out, .err = out, .in = nothing};
  terminal.now = [this] { return cluster.now(); };
  terminal.environment = [](const std::string&) { return std::string(); };
  const int code = cli::vcctl::run_words(
      std::move(words),
      [this](const cli::FlagValues&) -> Result<std::unique_ptr<client::ObjectClient>> {
        return std::make_unique<BorrowedClient>(cluster.user());
      },
      terminal);
  settle();
  return {.code = code, .text = out.str()};
}

std::string SeedCluster::field(std::string_view word, std::string_view text, std::string_view path) {
  const lab::LifeKind& kind = kind_called(word);
  const auto [ns, name] = lab::life_name(kind, text);
  const client::ObjectPtr object = cluster.get(kind.resource(), ns, name);
  const auto parsed = text::JsonPath::parse(path);
  if (object == nullptr || !parsed) return "";
  const text::Value* value = parsed->first(*object);
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
}

bool SeedCluster::there(std::string_view word, std::string_view text) {
  const lab::LifeKind& kind = kind_called(word);
  const auto [ns, name] = lab::life_name(kind, text);
  return cluster.get(kind.resource(), ns, name) != nullptr;
}

std::string SeedCluster::pods(std::string_view text) {
  const lab::LifeKind& kind = kind_called("pod");
  const auto [ns, job] = lab::life_name(kind, text);
  std::string names;
  for (const client::ObjectPtr& pod : cluster.list(kind.resource(), ns)) {
    const text::Object& root = pod->get_object();
    if (api::string_at(root, {"metadata", "labels", "volcano.sh/job-name"}) != job) continue;
    names += (names.empty() ? "" : " ") + std::string(api::name_of(root)) + ":" +
             std::string(api::string_at(root, {"status", "phase"}));
  }
  return names;
}

void SeedCluster::report(std::string_view text, std::string_view phase, int exit_code) {
  const lab::LifeKind& kind = kind_called("pod");
  const auto [ns, job] = lab::life_name(kind, text);
  for (const client::ObjectPtr& pod : cluster.list(kind.resource(), ns)) {
    const text::Object& root = pod->get_object();
    if (api::string_at(root, {"metadata", "labels", "volcano.sh/job-name"}) != job || has_ended(root)) continue;
    const auto done = cluster.report(ns, api::name_of(root), {.phase = phase, .exit_code = exit_code});
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  }
  settle();
}

void SeedCluster::report_pod(std::string_view text, std::string_view phase, int exit_code) {
  const auto [ns, name] = lab::life_name(kind_called("pod"), text);
  const auto done = cluster.report(ns, name, {.phase = phase, .exit_code = exit_code});
  EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  settle();
}

void SeedCluster::settle() {
  const auto settled = cluster.settle();
  EXPECT_TRUE(settled.has_value()) << (settled ? "" : settled.error().message);
}

}  // namespace basalt::seeds
