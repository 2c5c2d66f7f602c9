// Answers as bytes, in the form that the client accepts.
#pragma once

#include <string>

#include "kube/api/resource.h"
#include "kube/net/http.h"
#include "server/http/media.h"
#include "server/http/request_path.h"
#include "server/rest/answer.h"
#include "server/rest/watching.h"
#include "server/table/table.h"

namespace basalt::server {

// What encoding depends on besides the answer.
struct Wish {
  Form form = Form::Plain;
  TableOptions table;
  Instant now;
  bool valid = true;  // false: includeObject is none of its words
};
[[nodiscard]] Wish wish_of(Form form, const Target& target, Instant now);

[[nodiscard]] net::HttpResponse encode(const api::Resource& resource, const Answer& answer, const Wish& wish);
[[nodiscard]] net::HttpResponse encode(const api::ApiError& error, Form form = Form::Plain);
[[nodiscard]] net::HttpResponse encode(const text::Value& value);

// One line of a watch stream at the end of `out`.
void append_notice(std::string& out, const api::Resource& resource, const Notice& notice, const Wish& wish);
void append_error_notice(std::string& out, const api::ApiError& error);

}  // namespace basalt::server
