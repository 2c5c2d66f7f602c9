#include "control/scheduler/conf_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "kube/text/read_file.h"

namespace basalt::scheduler {
namespace {

void tell(const LogFunction& log, Severity severity, const std::string& line) {
  if (log) log(severity, line);
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
  Result<void> done = read_first(policy);
  if (!done) {
    notes_ = {{.warning = true,
               .reason = kRefusedReason,
               .message = done.error().message + "; the built-in policy is in force until that is right"}};
  }
  return done;
}

Result<void> ConfSource::read_first(state::ActivePolicy& policy) {
  // The stamp is taken before the content: a change in between is then seen by the next look.
  Result<std::optional<Stamp>> stamp = stamp_now();
  if (!stamp) return std::unexpected(stamp.error());
  Result<std::string> content = text::read_file(file_, kMaxConfBytes);
  if (!content) return std::unexpected(content.error());
  if (Result<void> loaded = policy.load(*content); !loaded) return std::unexpected(loaded.error().within(file_));
  stamp_ = *stamp;
  settled_ = false;
  note_loaded(file_, *content, policy);
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
  const auto conf = state::conf_in_map(data->value().get_object(), map_key_);
  if (!conf) {
    return complain(fmt::format("the scheduler's ConfigMap has no key {}", map_key_.empty() ? kConfMapKey : map_key_),
                    log);
  }
  if (conf->text.size() > kMaxConfBytes) return complain(fmt::format("ConfigMap key {}: too long", conf->key), log);
  told_.clear();
  return take(fmt::format("ConfigMap key {}", conf->key), conf->text, policy, log);
}

bool ConfSource::back_to_built_in(state::ActivePolicy& policy, const LogFunction& log) {
  if (!seen_ && told_.empty()) return false;  // it never was there
  seen_.reset();
  told_.clear();
  notes_.clear();
  in_force_.reset();
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
    notes_ = {{.warning = true, .reason = kRefusedReason, .message = why + "; the policy stays as it is"}};
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
    notes_ = {{.warning = true, .reason = kRefusedReason, .message = line}};
    return false;
  }
  note_loaded(from, content, policy);
  tell(log, Severity::Info, fmt::format("{}: policy loaded (generation {})", from, policy.generation()));
  for (const std::string& warning : policy.warnings()) {
    tell(log, Severity::Warning, fmt::format("{}: {}", from, warning));
  }
  return true;
}

void ConfSource::note_loaded(std::string_view from, std::string_view content, const state::ActivePolicy& policy) {
  in_force_ = std::string(content);
  notes_ = {{.reason = "PolicyLoaded", .message = fmt::format("{}: this policy is in force", from)}};
  for (const std::string& warning : policy.warnings()) {
    notes_.push_back({.warning = true, .reason = "PolicySkipped", .message = fmt::format("{}: {}", from, warning)});
  }
}

}  // namespace basalt::scheduler
