// Answers as bytes, in the form that the client accepts.
#pragma once

#include <string>

#include "kube/api/api_resource.h"
#include "kube/net/http.h"
#include "server/http/media_types.h"
#include "server/http/request_path.h"
#include "server/rest/api_response.h"
#include "server/rest/watch_cursor.h"
#include "server/table/render_table.h"

namespace basalt::server {

// What encoding depends on besides the answer.
struct EncodingOptions {
  ResponseForm form = ResponseForm::Plain;
  TableOptions table;
  Instant now;
  bool valid = true;  // false: includeObject is none of its words
};
[[nodiscard]] EncodingOptions encoding_options_of(ResponseForm form, const RequestTarget& target, Instant now);

[[nodiscard]] net::HttpResponse encode(const api::ApiResource& resource, const ApiResponse& answer,
                                       const EncodingOptions& options);
[[nodiscard]] net::HttpResponse encode(const api::ApiError& error, ResponseForm form = ResponseForm::Plain);
[[nodiscard]] net::HttpResponse encode(const text::Value& value);

// One line of a watch stream at the end of `out`.
void append_watch_event(std::string& out, const api::ApiResource& resource, const CursorEvent& cursor_event,
                        const EncodingOptions& options);
void append_watch_error(std::string& out, const api::ApiError& error);

}  // namespace basalt::server
