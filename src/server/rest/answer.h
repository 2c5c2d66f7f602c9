// What a call yields, before anyone encodes it: the HTTP edge writes bytes, the in-process client hands values over.
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

using ObjectPtr = std::shared_ptr<const text::Value>;

struct Listing {
  std::vector<store::RecordPtr> records;
  store::Revision revision = 0;
  std::string continue_token;         // "": that was all
  std::optional<uint64_t> remaining;  // how many follow, when that is known
};

struct Answer {
  store::RecordPtr record;  // one stored object …
  ObjectPtr value;          // … or one that is not shown as it is stored: a Status, a Scale, a dry run's result
  std::optional<Listing> list;
  bool created = false;
  bool accepted = false;  // 202: it will be done, but is not yet
  std::vector<std::string> warnings;
};

using Outcome = api::ApiResult<Answer>;

}  // namespace basalt::server
