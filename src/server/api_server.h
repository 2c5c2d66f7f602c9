// The API server without a network: calls in, outcomes out.
//
// It knows the kinds (built in and by CRD), routes a call to its verb, and owns nothing but the table of kinds: the
// state is the store's. HTTP requests (http_handler.h) and the in-process client (in_process_client.h) both end here.
//
// Threads: send() and open_watch() may be called from any thread; a call's `done` runs on the calling thread or, for
// writes, on the store's committing thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kube/api/api_resource.h"
#include "kube/api/call.h"
#include "server/chain/admission_chain.h"
#include "server/rest/api_response.h"
#include "server/rest/call_context.h"
#include "server/rest/id_generator.h"
#include "server/rest/parsed_object_cache.h"
#include "server/rest/watch_cursor.h"
#include "server/store/store.h"

namespace basalt::server {

struct ApiServerOptions {
  std::function<Instant()> clock;            // the wall clock, or a simulation's
  uint64_t seed = 0;                         // of uids and generated names
  chain::AdmissionChainOptions admission{};  // Volcano's webhooks are off unless asked for
  std::function<bool()> is_full;             // while it says so nothing is created (429); null: never
};

class ApiServer {
 public:
  // Requires: `store` outlives the server. Kinds of the CRDs in the store are served at once.
  ApiServer(store::Store& store, ApiServerOptions options);
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Any verb but Watch. `done` is called exactly once.
  void send(const api::UserInfo& user, api::Call call, OutcomeCallback done);
  [[nodiscard]] api::ApiResult<std::unique_ptr<WatchCursor>> open_watch(const api::UserInfo& user, api::Call call);

  [[nodiscard]] std::shared_ptr<const api::ApiResourceTable> kinds() const;
  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] Instant now() const { return options_.clock(); }

 private:
  [[nodiscard]] api::ApiResult<ContextPtr> prepare(const api::UserInfo& user, api::Call call, OutcomeCallback done);
  void route(const ContextPtr& context);
  void redefine_kinds();
  void establish_definition(const std::string& name);

  store::Store& store_;
  ApiServerOptions options_;
  IdGenerator ids_;
  chain::QuotaUsageCache quota_usage_;
  ParsedObjectCache parsed_objects_;
  std::recursive_mutex quota_mutex_;  // recursive: with a store in memory an answer may send the next create
  mutable std::mutex kinds_mutex_;    // guards the pointer alone: every call takes it
  std::shared_ptr<const api::ApiResourceTable> kinds_;
  std::mutex redefining_mutex_;                                    // one table is made at a time; guards what follows
  std::map<std::string, std::vector<api::ApiResource>> compiled_;  // rows of a CRD, by uid and generation of it
  store::Revision kinds_revision_ = 0;  // of the newest CRD in the table; guards against an older rebuild winning
};

}  // namespace basalt::server
