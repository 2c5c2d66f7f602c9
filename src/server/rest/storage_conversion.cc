#include "server/rest/storage_conversion.h"

#include <array>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/text/rename_member.h"

namespace basalt::server {
namespace {

constexpr std::string_view kEventsGroup = "events.k8s.io";

// core Event field, events.k8s.io field.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEventFields = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
}};

void rename_event_fields(text::Object& event, bool to_core) {
  for (const auto& [core, renamed] : kEventFields) {
    text::rename_member(event, to_core ? renamed : core, to_core ? core : renamed);
  }
}

bool is_renamed_event(const api::ApiResource& resource) { return resource.group == kEventsGroup; }

void append_member(std::string& out, std::string_view key, const text::Value& value) {
  if (out.back() != '{') out += ',';
  text::append_json_string(out, key);
  out += ':';
  text::append_json(out, value);
}

}  // namespace

bool shown_as_stored(const api::ApiResource& resource) {
  return !is_renamed_event(resource) && resource.storage_version.empty();
}

ObjectPtr shown(const api::ApiResource& resource, const store::Record& record) {
  if (shown_as_stored(resource)) return record.object();
  return std::make_shared<const text::Value>(shown_copy(resource, record));
}

text::Value shown_copy(const api::ApiResource& resource, const store::Record& record) {
  text::Value object = record.copy_object();
  if (shown_as_stored(resource)) return object;
  if (is_renamed_event(resource)) rename_event_fields(object.get_object(), false);
  object.get_object()["apiVersion"] = resource.api_version();
  return object;
}

EncodedObject encode_for_store(const api::ApiResource& resource, const text::Object& object) {
  if (is_renamed_event(resource)) {
    text::Object core = object;
    rename_event_fields(core, true);
    core["apiVersion"] = "v1";
    api::ApiResource as_core;  // only its form matters here
    return encode_for_store(as_core, core);
  }
  EncodedObject encoded;
  std::string& out = encoded.bytes;
  out.reserve(2048);
  out += '{';
  for (const auto& member : object) {
    if (member.key() == "metadata") continue;
    if (member.key() == "apiVersion" && !resource.storage_version.empty()) {
      append_member(out, "apiVersion", text::Value(resource.group + "/" + resource.storage_version));
      continue;
    }
    if (member.key() == "kind" || member.key() == "apiVersion") append_member(out, member.key(), member.value());
  }
  out += out.back() == '{' ? "\"metadata\":{" : ",\"metadata\":{";
  encoded.version_at = static_cast<uint32_t>(out.size());
  for (const auto& member : api::metadata_of(object)) {
    if (member.key() != "resourceVersion") append_member(out, member.key(), member.value());
  }
  out += '}';
  for (const auto& member : object) {
    const std::string_view key = member.key();
    if (key != "kind" && key != "apiVersion" && key != "metadata") append_member(out, key, member.value());
  }
  out += '}';
  return encoded;
}

}  // namespace basalt::server
