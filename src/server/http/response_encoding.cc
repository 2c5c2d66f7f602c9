#include "server/http/response_encoding.h"

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/text/yaml_writer.h"
#include "server/rest/storage_conversion.h"

namespace basalt::server {
namespace {

constexpr std::string_view kMetadataKey = "\"metadata\":{";

// The object's JSON. In a list, items of built-in kinds leave their kind out, as the list says it.
void append_record(std::string& out, const api::ApiResource& resource, const store::Record& record, bool in_list) {
  if (!shown_as_stored(resource)) {
    text::append_json(out, *shown(resource, record));
    return;
  }
  if (!in_list || resource.custom) return record.append_json(out);
  // Stored bytes begin with apiVersion and kind (see encode_for_store); the rest begins at "metadata".
  const std::string_view bytes = record.bytes();
  out += '{';
  out += kMetadataKey;
  out += "\"resourceVersion\":\"";
  out += std::to_string(record.revision());
  out += "\",";
  out += bytes.substr(record.version_at());
}

text::Object list_metadata(const api::ApiResource& resource, const ListResponse& listing) {
  text::Object metadata;
  if (resource.custom) metadata["continue"] = "";  // clients of custom kinds are used to see it
  metadata["resourceVersion"] = std::to_string(listing.revision);
  if (!listing.continue_token.empty()) metadata["continue"] = listing.continue_token;
  if (listing.remaining) metadata["remainingItemCount"] = *listing.remaining;
  return metadata;
}

std::string plain_list(const api::ApiResource& resource, const ListResponse& listing) {
  std::string out = "{\"kind\":";
  size_t bytes = 256;
  for (const store::RecordPtr& record : listing.records) bytes += record->bytes().size() + 40;
  out.reserve(bytes);
  text::append_json_string(out, resource.list_kind);
  out += ",\"apiVersion\":";
  text::append_json_string(out, resource.api_version());
  out += ",\"metadata\":";
  text::append_json(out, list_metadata(resource, listing));
  out += ",\"items\":[";
  for (size_t i = 0; i < listing.records.size(); ++i) {
    if (i > 0) out += ',';
    append_record(out, resource, *listing.records[i], true);
  }
  out += "]}";
  return out;
}

text::Value partial_metadata(const text::Value& object) {
  text::Object partial;
  partial["kind"] = "PartialObjectMetadata";
  partial["apiVersion"] = "meta.k8s.io/v1";
  partial["metadata"] = table_metadata(object);
  return partial;
}

bool is_status(const text::Value& value) {
  return value.is_object() && api::ObjectView(value.get_object()).kind() == "Status" &&
         api::ObjectView(value.get_object()).api_version() == "v1";
}

std::vector<ObjectPtr> objects_of(const api::ApiResource& resource, const ListResponse& listing) {
  std::vector<ObjectPtr> objects;
  objects.reserve(listing.records.size());
  for (const store::RecordPtr& record : listing.records) objects.push_back(shown(resource, *record));
  return objects;
}

text::Value formed_list(const api::ApiResource& resource, const ListResponse& listing, const EncodingOptions& options) {
  const std::vector<ObjectPtr> objects = objects_of(resource, listing);
  if (options.form == ResponseForm::Table) {
    const std::optional<int64_t> remaining =
        listing.remaining ? std::optional(static_cast<int64_t>(*listing.remaining)) : std::nullopt;
    return render_table(resource, objects, std::to_string(listing.revision), listing.continue_token, options.table,
                        options.now, remaining);
  }
  text::Object list;
  list["kind"] = "PartialObjectMetadataList";
  list["apiVersion"] = "meta.k8s.io/v1";
  list["metadata"] = list_metadata(resource, listing);
  text::Array& items = api::array_in(list, "items");
  for (const ObjectPtr& object : objects) items.push_back(partial_metadata(*object));
  return list;
}

text::Value formed(const api::ApiResource& resource, const text::Value& object, const EncodingOptions& options) {
  return options.form == ResponseForm::Table ? table_row(resource, object, options.table, options.now)
                                             : partial_metadata(object);
}

std::string escaped_warning(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

void as_yaml(net::HttpResponse& response) {
  const auto value = text::parse_json(response.body);
  if (!value) return;
  response.content_type = "application/yaml";
  response.body = text::to_yaml(*value);
}

void add_warnings(net::HttpResponse& response, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) response.headers.list.emplace_back("Warning", escaped_warning(warning));
}

}  // namespace

EncodingOptions encoding_options_of(ResponseForm form, const RequestTarget& target, Instant now) {
  EncodingOptions options{.form = form, .table = {}, .now = now};
  const std::string_view include = target.option("includeObject");
  options.table.include_none = include == "None";
  options.table.include_full_object = include == "Object";
  options.table.include_object_metadata = !options.table.include_none && !options.table.include_full_object;
  options.valid = form != ResponseForm::Table || include.empty() || include == "None" || include == "Object" ||
                  include == "Metadata";
  return options;
}

net::HttpResponse encode(const text::Value& value) {
  net::HttpResponse response;
  text::append_json(response.body, value);
  response.body += '\n';
  return response;
}

net::HttpResponse encode(const api::ApiResource& resource, const ApiResponse& answer, const EncodingOptions& options) {
  net::HttpResponse response;
  const bool plain = options.form != ResponseForm::Table && options.form != ResponseForm::PartialMetadata;
  if (answer.list) {
    if (plain) {
      response.body = plain_list(resource, *answer.list);
    } else {
      response = encode(formed_list(resource, *answer.list, options));
    }
  } else if (answer.record != nullptr && plain) {
    append_record(response.body, resource, *answer.record, false);
    response.body += '\n';
  } else {
    const ObjectPtr object = answer.record != nullptr ? shown(resource, *answer.record) : answer.value;
    response = encode(plain || is_status(*object) ? *object : formed(resource, *object, options));
  }
  if (options.form == ResponseForm::Yaml) as_yaml(response);
  response.status = answer.created ? 201 : answer.accepted ? 202 : 200;
  add_warnings(response, answer.warnings);
  return response;
}

net::HttpResponse encode(const api::ApiError& error, ResponseForm form) {
  net::HttpResponse response = encode(error.to_status());
  if (form == ResponseForm::Yaml) as_yaml(response);
  response.status = static_cast<unsigned>(error.code);
  if (error.retry_after_seconds > 0) {
    response.headers.list.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
  }
  add_warnings(response, error.warnings);
  return response;
}

void append_watch_event(std::string& out, const api::ApiResource& resource, const CursorEvent& cursor_event,
                        const EncodingOptions& options) {
  if (cursor_event.change == CursorEventType::Bookmark) {
    text::Object object;
    const bool partial = options.form == ResponseForm::PartialMetadata;
    object["kind"] = partial ? "PartialObjectMetadata" : resource.kind;
    object["apiVersion"] = partial ? "meta.k8s.io/v1" : resource.api_version();
    text::Object& metadata = api::metadata_of(object);
    metadata["resourceVersion"] = std::to_string(cursor_event.revision);
    if (cursor_event.initial_events_end) api::object_in(metadata, "annotations")["k8s.io/initial-events-end"] = "true";
    out += "{\"type\":\"BOOKMARK\",\"object\":";
    if (options.form == ResponseForm::Table) {
      text::append_json(out, table_row(resource, object, options.table, options.now));
    } else {
      text::append_json(out, object);
    }
    out += "}\n";
    return;
  }
  out += cursor_event.change == CursorEventType::Added      ? "{\"type\":\"ADDED\",\"object\":"
         : cursor_event.change == CursorEventType::Modified ? "{\"type\":\"MODIFIED\",\"object\":"
                                                            : "{\"type\":\"DELETED\",\"object\":";
  if (options.form == ResponseForm::Table || options.form == ResponseForm::PartialMetadata) {
    text::append_json(out, formed(resource, *shown(resource, *cursor_event.record), options));
  } else {
    append_record(out, resource, *cursor_event.record, false);
  }
  out += "}\n";
}

void append_watch_error(std::string& out, const api::ApiError& error) {
  out += "{\"type\":\"ERROR\",\"object\":";
  text::append_json(out, error.to_status());
  out += "}\n";
}

}  // namespace basalt::server
