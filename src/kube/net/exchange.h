// The handler's side of a connection: the Exchange that it answers, and the Stream that it may open.
#pragma once

#include <memory>

#include "kube/net/http.h"

namespace basalt::net {

class Connection;

// Keeps the connection alive until it is answered or dropped.
std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Connection> connection, HttpRequest request);

}  // namespace basalt::net
