#include "server/http/exec_stream.h"

#include <array>

#include "kube/api/object_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/text/json.h"
#include "server/http/pod_container.h"

namespace basalt::server {
namespace {

constexpr std::array<std::string_view, 2> kProtocols = {"v5.channel.k8s.io", "v4.channel.k8s.io"};
enum Channel : uint8_t { kStdin = 0, kStdout = 1, kStderr = 2, kStatus = 3, kEndOf = 255 };

api::ApiError not_implemented(std::string message) {
  return {.code = 501, .reason = "NotImplemented", .message = std::move(message)};
}

bool is_running(api::PodStatusView pod, std::string_view container) {
  for (const auto& statuses :
       {pod.container_statuses(), pod.init_container_statuses(), pod.ephemeral_container_statuses()}) {
    for (const api::ContainerStatusView status : statuses) {
      if (status.name() == container) return bool(status.state().running());
    }
  }
  return false;
}

bool is_simulated(ApiServer& server, const std::string& node) {
  const store::RecordPtr record = server.store().get("nodes", node);
  if (record == nullptr) return false;
  const ObjectPtr object = record->object();
  return api::ObjectView(*object).metadata().labels()["basalt.sh/runtime"] == "simulated";
}

// One command and the client that listens to it. The link and the runner hold it by their callbacks until it has ended.
class ExecSession : public std::enable_shared_from_this<ExecSession> {
 public:
  ExecSession(std::shared_ptr<net::WebSocketConnection> link, ExecOptions options, std::shared_ptr<void> record)
      : link_(std::move(link)), options_(std::move(options)), record_(std::move(record)) {}

  void start(const api::ExecRunner& runner) {
    auto self = shared_from_this();
    // First the command, then what the client says to it: run_ is there when it is needed.
    run_ = runner(options_.request, {.output = [self](api::ExecStream stream,
                                                      std::string_view bytes) { return self->output(stream, bytes); },
                                     .room = [self] { self->link_->hold(false); },
                                     .ended = [self](const api::ExecResult& end) { self->ended(end); }});
    link_->start({.message = [self](const net::WebSocketMessage& message) { self->message(message); },
                  .room = [self] { self->run_->resume(); },
                  .closed = [self] { self->run_->stop(); }});
  }

 private:
  bool output(api::ExecStream stream, std::string_view bytes) {
    const bool out = stream == api::ExecStream::Stdout;
    if (out ? !options_.output : !options_.errors) return true;
    std::string frame(1, static_cast<char>(out ? kStdout : kStderr));
    return link_->send(frame.append(bytes)) != net::WebSocketConnection::SendResult::Full;
  }

  void ended(const api::ExecResult& end) {
    std::string frame(1, static_cast<char>(kStatus));
    (void)link_->send(frame.append(text::to_json(exec_status(end))));
    link_->close(net::kCloseNormal, "");
  }

  void message(const net::WebSocketMessage& message) {
    // Text like binary: clients in scripting languages send what is typed as text.
    if (message.payload.empty()) return;
    const auto channel = static_cast<uint8_t>(message.payload.front());
    const std::string_view bytes = std::string_view(message.payload).substr(1);
    if (channel == kStdin && options_.request.input && !bytes.empty()) {
      if (!run_->input(bytes)) link_->hold(true);
    } else if (channel == kEndOf && bytes.size() == 1 && bytes.front() == static_cast<char>(kStdin)) {
      run_->end_input();
    }
  }

  const std::shared_ptr<net::WebSocketConnection> link_;
  const ExecOptions options_;
  const std::shared_ptr<void> record_;  // shared: see RequestRecorder::streams
  std::shared_ptr<api::ExecHandle> run_;
};

}  // namespace

api::ApiResult<ExecOptions> read_exec_options(ApiServer& server, const api::Call& call, const RequestTarget& target) {
  const store::RecordPtr record = server.store().get("pods", call.namespace_name + "/" + call.name);
  if (record == nullptr) return std::unexpected(api::not_found("", "pods", call.name));
  const ObjectPtr object = record->object();
  const text::Object& pod = object->get_object();
  auto container = choose_container(pod, target.option("container"));
  if (!container) return std::unexpected(std::move(container.error()));
  ExecOptions options;
  for (const auto& [name, value] : target.query) {
    if (name == "command") options.request.argv.push_back(value);
  }
  if (options.request.argv.empty() || options.request.argv.front().empty()) {
    return std::unexpected(api::bad_request("you must specify at least one command for the container"));
  }
  if (target.truth("tty")) return std::unexpected(api::bad_request("no terminal here: leave -t out"));
  const api::PodView view(pod);
  const std::string node(view.spec().node_name());
  if (node.empty()) return std::unexpected(api::bad_request("pod " + call.name + " does not have a host assigned"));
  if (is_simulated(server, node)) {
    return std::unexpected(
        not_implemented("pod " + call.name + " is on the simulated node " + node + ": nothing runs there"));
  }
  if (!is_running(view.status(), *container)) {
    return std::unexpected(api::bad_request("container " + *container + " in pod " + call.name +
                                            " is not running; the pod is " + std::string(view.status().phase())));
  }
  options.request.namespace_name = call.namespace_name;
  options.request.pod = call.name;
  options.request.uid = view.metadata().uid();
  options.request.node = node;
  options.request.container = std::move(*container);
  options.request.input = target.truth("stdin");
  options.output = target.truth("stdout", true);
  options.errors = target.truth("stderr", true);
  return options;
}

api::ApiResult<net::HttpResponse> accept_exec(const net::HttpRequest& request, const api::ExecRunner& runner) {
  if (runner == nullptr) return std::unexpected(not_implemented("this server runs no pods: there is nothing to enter"));
  if (!net::asks_upgrade(request, "websocket")) {
    return std::unexpected(api::bad_request(request.headers.get("Upgrade").empty()
                                                ? "Upgrade request required"
                                                : "only WebSocket is spoken here: use kubectl 1.31 or later"));
  }
  auto head = net::accept_websocket(request, kProtocols);
  if (!head) return std::unexpected(api::bad_request(head.error().message));
  return std::move(*head);
}

void start_exec(net::HttpExchange& exchange, net::HttpResponse head, ExecOptions options, const api::ExecRunner& runner,
                std::shared_ptr<void> record) {
  auto link = std::make_shared<net::WebSocketConnection>(exchange.upgrade(std::move(head)));
  std::make_shared<ExecSession>(std::move(link), std::move(options), std::move(record))->start(runner);
}

text::Value exec_status(const api::ExecResult& end) {
  if (!end.problem.empty()) {
    return api::internal_error("error executing command in container: " + end.problem).to_status();
  }
  if (end.code == 0) {
    text::Object status;
    status["metadata"].emplace_object();
    status["status"] = "Success";
    return status;
  }
  const std::string code = std::to_string(end.code);
  return api::ApiError{.reason = "NonZeroExitCode",
                       .message = "command terminated with non-zero exit code: exit status " + code,
                       .causes = {{.reason = "ExitCode", .message = code, .field = ""}}}
      .to_status();
}

}  // namespace basalt::server
