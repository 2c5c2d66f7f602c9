#include "kube/net/server_core.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kube/net/server_connection.h"

namespace basalt::net {
namespace {

// Of all connections, closed at a time: whoever floods the server with connections pays one look at all of them per so
// many.
constexpr size_t kRoomShare = 16;

}  // namespace

HttpResponse ServerCore::error_response(unsigned status, std::string_view message) const {
  HttpResponse response{.status = status};
  if (options.error_body) {
    response.body = options.error_body(status, message);
  } else {
    response.content_type = "text/plain; charset=utf-8";
    response.body = std::string(message) + "\n";
  }
  if (status == 429 || status == 503) response.headers.list.emplace_back("Retry-After", "1");
  return response;
}

std::shared_ptr<const TlsContext> ServerCore::tls() const {
  const std::scoped_lock lock(mutex_);
  return tls_;
}

void ServerCore::replace_tls(std::shared_ptr<const TlsContext> context) {
  const std::scoped_lock lock(mutex_);
  tls_ = std::move(context);
}

uint64_t ServerCore::add(const std::weak_ptr<ServerConnection>& connection) {
  const std::scoped_lock lock(mutex_);
  connections_.emplace(++next_number_, connection);
  return next_number_;
}

void ServerCore::remove(uint64_t number) {
  const std::scoped_lock lock(mutex_);
  connections_.erase(number);
  if (connections_.empty()) quiet_.notify_all();
}

size_t ServerCore::open() const {
  const std::scoped_lock lock(mutex_);
  return connections_.size();
}

std::vector<std::shared_ptr<ServerConnection>> ServerCore::connections() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::shared_ptr<ServerConnection>> living;
  living.reserve(connections_.size());
  for (const auto& [number, connection] : connections_) {
    if (auto alive = connection.lock()) living.push_back(std::move(alive));
  }
  return living;
}

size_t ServerCore::make_room() {
  using Waiting = std::pair<ServerConnection::Clock::rep, std::shared_ptr<ServerConnection>>;
  std::vector<Waiting> waiting;
  for (auto& connection : connections()) {
    const auto since = connection->waiting_since();
    if (since != 0) waiting.emplace_back(since, std::move(connection));
  }
  const size_t count = (waiting.size() + kRoomShare - 1) / kRoomShare;
  const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(waiting, end, {}, &Waiting::first);
  for (auto one = waiting.begin(); one != end; ++one) one->second->make_room();
  made_room += count;
  return count;
}

bool ServerCore::wait_until_quiet(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return quiet_.wait_for(lock, time, [this] { return connections_.empty(); });
}

}  // namespace basalt::net
