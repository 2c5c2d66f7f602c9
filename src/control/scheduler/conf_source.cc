#include "control/scheduler/conf_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "kube/text/read_file.h"

namespace basalt::scheduler {
namespace {

constexpr std::string_view kConfEnding = ".conf";

void tell(const LogFunction& log, Severity severity, const std::string& line) {
  if (log) log(severity, line);
}

// The value under `key` as text; nothing if it is not there or no string.
std::optional<std::string_view> text_at(const text::Object& data, std::string_view key) {
  const auto at = data.find(key);
  if (at == data.end() || !at->value().is_string()) return {};
  return std::string_view(at->value().get_string());
}

// The conf in a ConfigMap's data, with its key.
std::optional<std::pair<std::string_view, std::string_view>> conf_in(const text::Object& data,
                                                                     std::string_view wanted) {
  const std::string_view first = wanted.empty() ? kConfMapKey : wanted;
  if (const auto text = text_at(data, first)) return std::pair(first, *text);
  if (!wanted.empty()) return {};
  std::optional<std::pair<std::string_view, std::string_view>> found;
  for (const auto& member : data) {
    const std::string_view key = member.key();
    if (!key.ends_with(kConfEnding) || !member.value().is_string() || (found && found->first <= key)) continue;
    found.emplace(key, std::string_view(member.value().get_string()));
  }
  return found;
}

}  // namespace

ConfSource::ConfSource(std::string file, std::string map_key) : file_(std::move(file)), map_key_(std::move(map_key)) {}

Result<std::optional<ConfSource::Stamp>> ConfSource::stamp_now() const {
  struct stat facts{};
  if (stat(file_.c_str(), &facts) != 0) return std::optional<Stamp>();
  if (!S_ISREG(facts.st_mode)) return invalid(file_ + ": not a regular file: name the conf file itself");
  return Stamp{.device = facts.st_dev,
               .inode = facts.st_ino,
               .size = facts.st_size,
               .changed_nanos = int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec,
               .status_nanos = int64_t{facts.st_ctim.tv_sec} * 1'000'000'000 + facts.st_ctim.tv_nsec};
}

Result<void> ConfSource::first(state::ActivePolicy& policy) {
  if (file_.empty()) return {};
  // The stamp is taken before the content: a change in between is then seen by the next look.
  Result<std::optional<Stamp>> stamp = stamp_now();
  if (!stamp) return std::unexpected(stamp.error());
  Result<std::string> content = text::read_file(file_, kMaxConfBytes);
  if (!content) return std::unexpected(content.error());
  if (Result<void> loaded = policy.load(*content); !loaded) return std::unexpected(loaded.error().within(file_));
  stamp_ = *stamp;
  settled_ = false;
  seen_ = std::move(*content);
  return {};
}

bool ConfSource::look(Instant now, state::ActivePolicy& policy, const LogFunction& log) {
  if (file_.empty() || now < look_at_) return false;
  look_at_ = now + kConfLookEvery;
  const Result<std::optional<Stamp>> stamp = stamp_now();
  if (!stamp) return complain(stamp.error().message, log);
  if (!*stamp) {
    stamp_.reset();
    return complain(file_ + ": the conf file is gone or can not be reached", log);
  }
  const bool changed = stamp_ != *stamp;
  if (!changed && settled_) return false;
  const Result<std::string> content = text::read_file(file_, kMaxConfBytes);
  if (content || content.error().code == ErrorCode::Invalid) {  // others may pass without a change of the file
    stamp_ = *stamp;
    settled_ = !changed;
  }
  if (!content) return complain(content.error().message, log);
  told_.clear();
  return take(file_, *content, policy, log);
}

bool ConfSource::learn(const text::Object* config_map, state::ActivePolicy& policy, const LogFunction& log) {
  if (!file_.empty()) return false;
  if (config_map == nullptr) return back_to_built_in(policy, log);
  const auto data = config_map->find("data");
  if (data == config_map->end() || !data->value().is_object())
    return complain("the scheduler's ConfigMap has no data", log);
  const auto conf = conf_in(data->value().get_object(), map_key_);
  if (!conf) {
    return complain(fmt::format("the scheduler's ConfigMap has no key {}", map_key_.empty() ? kConfMapKey : map_key_),
                    log);
  }
  if (conf->second.size() > kMaxConfBytes) return complain(fmt::format("ConfigMap key {}: too long", conf->first), log);
  told_.clear();
  return take(fmt::format("ConfigMap key {}", conf->first), conf->second, policy, log);
}

bool ConfSource::back_to_built_in(state::ActivePolicy& policy, const LogFunction& log) {
  if (!seen_ && told_.empty()) return false;  // it never was there
  seen_.reset();
  told_.clear();
  notes_.clear();
  refused_ = false;
  policy.reset();
  tell(log, Severity::Warning,
       fmt::format("the scheduler's ConfigMap is gone; the built-in policy is in force (generation {})",
                   policy.generation()));
  return true;
}

bool ConfSource::complain(const std::string& why, const LogFunction& log) {
  if (why != told_) {
    tell(log, Severity::Warning, why + "; the policy stays as it is");
    notes_ = {{.warning = true, .reason = "PolicyRefused", .message = why + "; the policy stays as it is"}};
  }
  refused_ = true;
  told_ = why;
  return false;
}

std::optional<Instant> ConfSource::next_due() const {
  if (file_.empty()) return {};
  return look_at_;
}

bool ConfSource::take(std::string_view from, std::string_view content, state::ActivePolicy& policy,
                      const LogFunction& log) {
  if (seen_ && *seen_ == content) return false;
  seen_ = std::string(content);
  const Result<void> loaded = policy.load(content);
  refused_ = !loaded;
  if (!loaded) {
    const std::string line = fmt::format("{}: {}; the policy stays as it is", from, loaded.error().message);
    tell(log, Severity::Error, line);
    notes_ = {{.warning = true, .reason = "PolicyRefused", .message = line}};
    return false;
  }
  notes_ = {{.reason = "PolicyLoaded", .message = fmt::format("{}: this policy is in force", from)}};
  tell(log, Severity::Info, fmt::format("{}: policy loaded (generation {})", from, policy.generation()));
  for (const std::string& warning : policy.warnings()) {
    tell(log, Severity::Warning, fmt::format("{}: {}", from, warning));
    notes_.push_back({.warning = true, .reason = "PolicySkipped", .message = fmt::format("{}: {}", from, warning)});
  }
  return true;
}

}  // namespace basalt::scheduler
