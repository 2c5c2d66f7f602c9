// /healthz, /livez and /readyz, as kube-apiserver answers them: "ok", or one line per check and 500.
//
// `?verbose` shows the lines anyhow; `?exclude=NAME` leaves a check out; /readyz/NAME asks for one. Everybody may read
// these pages, so a line says what is wrong but names no file.
//
// Checks: `ping` always passes; `store` fails when the store cannot write or lost what it acknowledged, which a restart
// may mend; `store-space` fails when its disk is full, which a restart does not mend: a liveness probe should exclude
// it; `shutdown`, of /readyz only, fails when the server stops.
#pragma once

#include <string_view>

#include "kube/net/http.h"
#include "server/http/request_path.h"
#include "server/store/store.h"

namespace basalt::server {

struct ServerHealth {
  store::StoreHealth::Condition store = store::StoreHealth::Condition::Writable;
  bool stopping = false;
};

// Requires: the target's first segment is one of the three pages.
[[nodiscard]] net::HttpResponse health_page(const RequestTarget& target, const ServerHealth& health);

}  // namespace basalt::server
