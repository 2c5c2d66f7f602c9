// What a call yields, before anyone encodes it: the HTTP handler writes bytes, the in-process client hands values over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/api_error.h"
#include "kube/text/json.h"
#include "server/store/record.h"

namespace basalt::server {

using text::ObjectPtr;

struct ListResponse {
  std::vector<store::RecordPtr> records;
  store::Revision revision = 0;
  std::string continue_token;         // "": that was all
  std::optional<uint64_t> remaining;  // how many follow, when that is known
};

struct ApiResponse {
  store::RecordPtr record;  // one stored object …
  ObjectPtr value;          // … or one that is not shown as it is stored: a Status, a Scale, a dry run's result
  std::optional<ListResponse> list;
  bool created = false;
  bool accepted = false;  // 202: it will be done, but is not yet
  std::vector<std::string> warnings;
};

using ApiOutcome = api::ApiResult<ApiResponse>;

}  // namespace basalt::server
