#include "kube/net/send_buffer.h"

#include <algorithm>

#include "base/check.h"

namespace basalt::net {

void SendBuffer::put_body(std::string body) {
  check(body_sent_ == body_.size(), "one body at a time");
  const size_t waiting = text_.size() - text_sent_;
  const size_t room = waiting < kRecordBytes ? kRecordBytes - waiting : 0;
  const size_t moved = std::min(room, body.size());
  text_.append(body, 0, moved);
  if (moved == body.size()) return;
  body_ = std::move(body);
  body_sent_ = moved;
}

std::string_view SendBuffer::next() const {
  if (text_sent_ < text_.size()) return std::string_view(text_).substr(text_sent_);
  return std::string_view(body_).substr(body_sent_);
}

void SendBuffer::sent(size_t bytes) {
  if (text_sent_ < text_.size()) {
    text_sent_ += bytes;
    check(text_sent_ <= text_.size(), "no more is sent than next() gave");
  } else {
    body_sent_ += bytes;
    check(body_sent_ <= body_.size(), "no more is sent than next() gave");
  }
  if (empty()) clear();
}

void SendBuffer::clear() {
  std::string().swap(text_);
  std::string().swap(body_);
  text_sent_ = body_sent_ = 0;
}

}  // namespace basalt::net
