// The handler's side of a connection: the HttpExchange that it answers, and the ResponseStream that it may open.
#pragma once

#include <memory>

#include "kube/net/http.h"

namespace basalt::net {

class ServerConnection;

// Keeps the connection alive until it is answered or dropped.
std::shared_ptr<HttpExchange> make_exchange(std::shared_ptr<ServerConnection> connection, HttpRequest request);

}  // namespace basalt::net
