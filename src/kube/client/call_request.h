// A Call as an HTTP request: method, path, query, media type and body, as a kube-apiserver expects them. Pure; the
// server's http/request_path.h does the inverse.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "kube/api/call.h"

namespace basalt::client {

struct CallRequest {
  std::string method;
  std::string target;        // "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs?limit=500"
  std::string content_type;  // "": no body
  std::string accept = "application/json";
  std::string body;
};

// The body of a create or update in another form than JSON.
struct EncodedBody {
  std::string content_type, text;
};

// Refused, because a path with an empty segment addresses another resource: a verb on one object without a name (a
// delete would empty the collection), a resource without version or plural, names that are no path segments ("..",
// "a/b").
//
// 1. A watch of one object is a watch of its collection with the field selector metadata.name.
// 2. DeleteOptions travel in the body, also dryRun when there are others: a server that finds a body reads no query.
// 3. `written` stands for the body, where it is given.
[[nodiscard]] Result<CallRequest> request_of(const api::Call& call, std::optional<EncodedBody> written = {});

}  // namespace basalt::client
