// pods/x/exec: a command inside a running container, over a WebSocket (v5.channel.k8s.io, v4.channel.k8s.io).
//
// Every message is binary and begins with its channel: 0 stdin, 1 stdout, 2 stderr, 3 a metav1.Status when the command
// has ended, 4 the size of a terminal (which there is none: ignored), 255 (v5) the end of the channel that follows. The
// command is killed when the client is gone. Both directions are bounded (kube/api/exec.h,
// kube/net/websocket_connection.h).
//
// Clients fall back to SPDY when the WebSocket is refused: the checks come first, so that either way they are told the
// same reason.
#pragma once

#include <memory>

#include "kube/api/exec.h"
#include "kube/net/http.h"
#include "kube/net/websocket_connection.h"
#include "server/api_server.h"
#include "server/http/request_path.h"

namespace basalt::server {

struct ExecOptions {
  api::ExecRequest request;
  bool output = true, errors = true;  // whether the client hears stdout and stderr
};

// Checks pod, container and options: the container must be running, on a node where something runs. 404, 400, 501.
[[nodiscard]] api::ApiResult<ExecOptions> read_exec_options(ApiServer& server, const api::Call& call,
                                                            const RequestTarget& target);

// The head of the answer that upgrades the connection: 400 or 501 when the request does not ask for a WebSocket, or
// nothing runs here.
[[nodiscard]] api::ApiResult<net::HttpResponse> accept_exec(const net::HttpRequest& request,
                                                            const api::ExecRunner& runner);
// Upgrades the exchange's connection and runs the command on it. `record` lives until both have ended.
void start_exec(net::HttpExchange& exchange, net::HttpResponse head, ExecOptions options, const api::ExecRunner& runner,
                std::shared_ptr<void> record);

// What channel 3 says.
[[nodiscard]] text::Value exec_status(const api::ExecResult& end);

}  // namespace basalt::server
