#include "kube/net/maybe_tls_stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace basalt::net {
namespace {

TlsStep after_failure(int error, TlsStep wait) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR ? wait : TlsStep::Closed;
}

}  // namespace

Result<MaybeTlsStream> MaybeTlsStream::accept(std::shared_ptr<const TlsContext> context, int socket) {
  MaybeTlsStream made(socket);
  if (context == nullptr) return made;
  auto session = TlsSession::accept(std::move(context), socket);
  if (!session) return std::unexpected(session.error());
  made.session_ = std::move(*session);
  return made;
}

TlsStep MaybeTlsStream::read(std::span<char> into, size_t& got) {
  if (session_) return session_->read(into, got);
  const auto count = ::recv(socket_, into.data(), into.size(), 0);
  if (count < 0) return after_failure(errno, TlsStep::WantRead);
  got = static_cast<size_t>(count);
  return got > 0 ? TlsStep::Done : TlsStep::Closed;
}

TlsStep MaybeTlsStream::write(std::string_view data, size_t& put) {
  if (session_) return session_->write(data, put);
  const auto count = ::send(socket_, data.data(), data.size(), MSG_NOSIGNAL);
  if (count < 0) return after_failure(errno, TlsStep::WantWrite);
  put = static_cast<size_t>(count);
  return TlsStep::Done;
}

}  // namespace basalt::net
