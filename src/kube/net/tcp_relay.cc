#include "kube/net/tcp_relay.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace basalt::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

}  // namespace

TcpRelay::TcpRelay(Tcp::socket client, std::vector<Tcp::endpoint> backends, Callbacks told)
    : client_(std::move(client)),
      backend_(client_.get_executor()),
      backends_(std::move(backends)),
      callbacks_(std::move(told)),
      deadline_(client_.get_executor()) {
  if (backends_.size() > kMaxBackendsTried) backends_.resize(kMaxBackendsTried);
}

void TcpRelay::start() { connect_next(); }

void TcpRelay::stop() { close(); }

void TcpRelay::connect_next() {
  if (closed_) return;
  if (tried_ == backends_.size()) return close();
  const Tcp::endpoint target = backends_[tried_++];
  error_code ignored;
  backend_.close(ignored);
  deadline_.expires_after(kConnectTimeout);
  deadline_.async_wait([self = shared_from_this(), attempt = tried_](const error_code& stopped) {
    error_code quiet;
    // Of another attempt than the one that is under way: too late.
    if (!stopped && !self->connected_ && attempt == self->tried_) self->backend_.close(quiet);
  });
  backend_.async_connect(target, [self = shared_from_this()](const error_code& error) {
    if (self->closed_) return;
    if (error || !self->backend_.is_open()) return self->connect_next();
    self->begin();
  });
}

void TcpRelay::begin() {
  connected_ = true;
  deadline_.cancel();
  error_code ignored;  // options that the system does not know change nothing about the bytes
  for (Tcp::socket* socket : {&client_, &backend_}) {
    socket->set_option(Tcp::no_delay(true), ignored);
    socket->set_option(asio::socket_base::keep_alive(true), ignored);
  }
  if (callbacks_.connected) callbacks_.connected();
  there_ = std::make_unique<Half>(client_, backend_);
  back_ = std::make_unique<Half>(backend_, client_);
  pump(*there_);
  pump(*back_);
}

void TcpRelay::pump(Half& half) {
  half.from.async_read_some(
      asio::buffer(half.bytes), [self = shared_from_this(), &half](const error_code& error, size_t count) {
        if (self->closed_) return;
        if (error == asio::error::eof) return self->end_half(half);
        if (error) return self->close();
        asio::async_write(half.to, asio::buffer(half.bytes, count), [self, &half](const error_code& broken, size_t) {
          if (self->closed_) return;
          if (broken) return self->close();
          self->pump(half);
        });
      });
}

void TcpRelay::end_half(Half& half) {
  half.ended = true;
  error_code gone;
  half.to.shutdown(Tcp::socket::shutdown_send, gone);
  if (gone || (there_->ended && back_->ended)) close();
}

void TcpRelay::close() {
  if (std::exchange(closed_, true)) return;
  // Callbacks first: who sees the connection end finds it counted.
  if (callbacks_.ended) callbacks_.ended(connected_);
  callbacks_ = {};
  error_code ignored;
  deadline_.cancel();
  client_.close(ignored);
  backend_.close(ignored);
}

}  // namespace basalt::net
