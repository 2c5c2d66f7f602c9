#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kube/api/apply/field_changes.h"
#include "kube/api/apply/field_owners.h"
#include "kube/api/apply/last_applied.h"
#include "kube/api/apply/managed_fields.h"
#include "kube/api/apply/ownership.h"
#include "kube/api/apply/typed_merge.h"
#include "kube/api/apply/typed_value.h"
#include "kube/text/document_path.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

using text::Object;
using text::Value;

// Who owned what before anybody applied, when nothing was recorded.
constexpr std::string_view kBeforeFirstApply = "before-first-apply";

// Kubernetes gives these errors no code of their own: its answer is 500, without a reason.
std::unexpected<ApiError> unusable(std::string message) {
  return std::unexpected(ApiError{.code = 500, .reason = "", .message = std::move(message), .subject = {}});
}

struct Conflict {
  const FieldOwner* owner = nullptr;
  FieldSet fields = nullptr;
};

std::string describe_owner(const FieldOwner& owner) {
  std::string out = text::in_quotes(owner.manager);
  if (!owner.subresource.empty()) out += fmt::format(" with subresource {}", text::in_quotes(owner.subresource));
  if (!owner.applied) out += fmt::format(" using {}", owner.api_version);
  return out;
}

// Paths repeat what is above them, and there is one for each field: more bytes of them than these are not told.
constexpr size_t kMaxConflictBytes = size_t{256} * 1024;

ApiError conflict_error(const std::vector<Conflict>& conflicts) {
  std::vector<Cause> causes;
  std::string message;
  for (const Conflict& conflict : conflicts) {
    if (message.size() >= kMaxConflictBytes) break;
    const std::string owner = describe_owner(*conflict.owner);
    message += fmt::format("{}conflicts with {}:", message.empty() ? "" : "\n", owner);
    for (std::string& path :
         paths_of(conflict.fields, kMaxConflictBytes - std::min(message.size(), kMaxConflictBytes))) {
      message += fmt::format("\n- {}", path);
      causes.push_back(
          {.reason = "FieldManagerConflict", .message = "conflict with " + owner, .field = std::move(path)});
    }
  }
  if (causes.size() == 1) {
    message = fmt::format("Apply failed with 1 conflict: {}: {}", causes.front().message, causes.front().field);
  } else {
    message = fmt::format("Apply failed with {} conflicts: {}", causes.size(), message);
  }
  ApiError error = apply_conflict(std::move(causes));
  error.message = std::move(message);
  return error;
}

// One apply, step by step. All members live as long as it does; sets point into them.
class Apply {
 public:
  Apply(const Schema& schema, const Value* live, const Value& config, const FieldManager& writer)
      : schema_(schema),
        empty_(empty_object(schema)),
        live_(live == nullptr ? empty_ : *live),
        creates_(live == nullptr),
        config_(config),
        writer_(writer),
        now_(text::format_time(writer.now)) {}

  ApiResult<void> read_owners_of_live();
  void merge_and_prune();
  // What others own and this apply would change.
  [[nodiscard]] std::vector<Conflict> find_conflicts();
  [[nodiscard]] std::vector<Conflict> without_last_applied(std::vector<Conflict> conflicts);
  [[nodiscard]] Value finish();

 private:
  void prune(FieldSet applied_before);

  const Schema& schema_;
  const Value empty_;
  const Value& live_;
  const bool creates_;
  const Value& config_;
  const FieldManager& writer_;
  const std::string now_;
  FieldArena arena_;
  FieldOwners others_;  // everybody but the writer
  FieldOwner self_;
  FieldSet applied_before_ = nullptr;
  FieldChanges changes_;
  Value merged_;
  Value last_applied_;
};

ApiResult<void> Apply::read_owners_of_live() {
  const Value* metadata = text::find_member(live_, "metadata");
  const Value* entries = metadata == nullptr ? nullptr : text::find_member(*metadata, "managedFields");
  if (entries != nullptr) {
    auto owners = read_owners(arena_, *entries);
    if (!owners) return unusable("failed to decode managed fields: " + owners.error().message);
    others_ = std::move(*owners);
  }
  if (others_.empty() && !creates_) {
    FieldOwner before{.manager = kBeforeFirstApply,
                      .api_version = writer_.api_version,
                      .subresource = writer_.subresource,
                      .time = now_};
    const FieldChanges changes =
        without_reset_fields(arena_, schema_, compare_objects(arena_, schema_, empty_, live_), writer_);
    before.fields = without_identity(arena_, unite(arena_, changes.modified, changes.added));
    if (before.fields != nullptr) others_.push_back(before);
  }
  self_ = owner_of(writer_, true);
  if (const FieldOwner* found = find_owner(others_, self_)) {
    applied_before_ = found->fields;
    self_.time = found->time;
    std::erase_if(others_, [&](const FieldOwner& owner) { return owner.same_owner(self_); });
  } else if (others_.size() >= kMaxFieldOwners) {
    return std::unexpected(
        too_large(fmt::format("metadata.managedFields names {} managers already: apply under one of "
                              "their names, or begin anew by setting it to an empty list",
                              others_.size())));
  }
  return {};
}

void Apply::merge_and_prune() {
  merged_ = creates_ ? config_ : merge_config(schema_, live_, config_);
  self_.fields = without_reset_fields(arena_, schema_, fields_of_config(arena_, schema_, config_), writer_);
  if (applied_before_ != nullptr) prune(applied_before_);
  changes_ = without_reset_fields(arena_, schema_, compare_objects(arena_, schema_, live_, merged_), writer_);
}

// Takes out what the writer applied before, unless the new config or somebody else has it.
void Apply::prune(FieldSet applied_before) {
  const FieldSet before = with_named_fields(arena_, &schema_, applied_before);
  const auto fields_in = [&](const Value& value) {
    return with_named_fields(arena_, &schema_, fields_of_config(arena_, schema_, value));
  };
  FieldSet owned = self_.fields;
  for (const FieldOwner& owner : others_) owned = unite(arena_, owned, owner.fields);
  const FieldSet all = fields_in(merged_);

  Value pruned = merged_;
  remove_fields(schema_, pruned, before);
  const FieldSet kept = unite(arena_, fields_in(pruned), with_named_fields(arena_, &schema_, owned));
  Value with_owned = merged_;
  remove_fields(schema_, with_owned, subtract(arena_, all, kept));
  // What nobody owns hung below something that went: it stays, unless it was the writer's.
  const FieldSet gone = subtract(arena_, all, fields_in(with_owned));
  remove_fields(schema_, merged_, intersect(arena_, gone, before));
}

std::vector<Conflict> Apply::find_conflicts() {
  const FieldSet touched = unite(arena_, changes_.modified, changes_.added);
  std::vector<Conflict> conflicts;
  for (const FieldOwner& owner : others_) {
    const FieldSet fields = intersect(arena_, owner.fields, touched);
    if (fields != nullptr) conflicts.push_back({.owner = &owner, .fields = fields});
  }
  std::ranges::sort(conflicts, {}, [](const Conflict& conflict) { return conflict.owner->manager; });
  return conflicts;
}

std::vector<Conflict> Apply::without_last_applied(std::vector<Conflict> conflicts) {
  if (writer_.manager != kClientSideApplier || conflicts.empty()) return conflicts;
  last_applied_ = last_applied_config(schema_, live_, writer_.api_version);
  if (last_applied_.is_null()) return conflicts;
  const FieldSet allowed = fields_last_applied(arena_, schema_, last_applied_, live_);
  for (Conflict& conflict : conflicts) conflict.fields = subtract(arena_, conflict.fields, allowed);
  std::erase_if(conflicts, [](const Conflict& conflict) { return conflict.fields == nullptr; });
  return conflicts;
}

Value Apply::finish() {
  const FieldSet touched = unite(arena_, changes_.modified, changes_.added);
  for (FieldOwner& owner : others_) {
    owner.fields = subtract(arena_, subtract(arena_, owner.fields, touched), changes_.removed);
  }
  if (creates_ || !equal_values(live_, merged_)) self_.time = now_;
  self_.fields = without_identity(arena_, self_.fields);
  FieldOwners owners = others_;
  owners.push_back(self_);
  drop_empty(owners);
  Value result = std::move(merged_);
  if (writer_.manager == kClientSideApplier) renew_last_applied(result, config_);
  Value& metadata = result.get_object()["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  if (owners.empty()) {
    metadata.get_object().erase("managedFields");
  } else {
    metadata.get_object().insert_or_assign("managedFields", write_owners(owners));
  }
  return result;
}

ApiResult<void> check_config(const Schema& schema, const Value& config, const FieldManager& writer) {
  if (!config.is_object()) return std::unexpected(bad_request("expected an object, got " + text::describe(config)));
  const Value* version = text::find_member(config, "apiVersion");
  if (version == nullptr || *version != Value(writer.api_version)) {
    return std::unexpected(bad_request(fmt::format(
        "Incorrect version specified in apply patch. Specified patch version: {}, expected: {}",
        version == nullptr || !version->is_string() ? "" : std::string(version->get_string()), writer.api_version)));
  }
  const Value* metadata = text::find_member(config, "metadata");
  const Value* entries = metadata == nullptr ? nullptr : text::find_member(*metadata, "managedFields");
  if (entries != nullptr && !entries->is_null()) {
    return std::unexpected(bad_request("metadata.managedFields must be nil"));
  }
  if (const std::string error = find_type_error(schema, config); !error.empty()) {
    return unusable("failed to create typed patch object: " + error);
  }
  return {};
}

}  // namespace

ApiResult<Value> apply_config(const Schema& schema, const Value* live, const Value& config, const FieldManager& writer,
                              bool force) {
  if (const auto checked = check_config(schema, config, writer); !checked) return std::unexpected(checked.error());
  Apply apply(schema, live, config, writer);
  if (const auto read = apply.read_owners_of_live(); !read) return std::unexpected(read.error());
  apply.merge_and_prune();
  if (!force) {
    const auto conflicts = apply.without_last_applied(apply.find_conflicts());
    if (!conflicts.empty()) return std::unexpected(conflict_error(conflicts));
  }
  return apply.finish();
}

}  // namespace basalt::api
