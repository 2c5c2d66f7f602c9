// One connection of the server: a state machine on one strand.
//
//   Handshake ─► Reading ─► Answering ─┬─► Writing ───┬─► Reading (keep-alive)
//                  │ broken limit      └─► Streaming ─┤
//                  └──────────► Writing ──────────────┴─► Lingering ─► Closed
//
// Answering: the handler has the request. Streaming: a growing body, or (upgraded) another protocol. Everything that
// happens (the socket is ready, an answer came from another thread, time is up, the server stops) changes a field and
// calls pump(), which advances the machine as far as it goes. pump() is the only place that calls out (handler,
// `written`, on_closed); what these call back only changes fields, for pump() does not enter itself.
//
// 1. One request at a time; what a client sends ahead waits in ahead_, which is bounded. Nothing of a body is kept
//    before its header was judged and admitted (server_connection_request.cc), nor beyond the budget of all bodies.
// 2. Each state but Answering has a deadline when it waits for the peer (a quiet stream has none).
// 3. Pending operations hold a shared_ptr to it: a wait of the socket, the timer, an HttpExchange, a ResponseStream.
// All
//    of them end with Closed.
#pragma once

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/net/byte_budget.h"
#include "kube/net/http.h"
#include "kube/net/http_parser.h"
#include "kube/net/maybe_tls_stream.h"
#include "kube/net/send_buffer.h"
#include "kube/net/server_core.h"

namespace basalt::net {

using LoopStrand = boost::asio::strand<boost::asio::io_context::executor_type>;
// Of any family: TCP, or a socket file.
using LoopSocket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, LoopStrand>;

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  // `refuse`: the server is full; the first request gets 503.
  ServerConnection(std::shared_ptr<ServerCore> core, LoopSocket socket, bool refuse);
  ~ServerConnection();
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  // Once, before anything else. From any thread, as the others here.
  void start();
  // Ends when it is idle, after the answer under way, or by ending the stream.
  void stop();
  // Ends at once.
  void abort();
  // Since when it owes us a request header, in ticks of the clock; 0: it does not.
  [[nodiscard]] Clock::rep waiting_since() const { return waiting_since_.load(std::memory_order_relaxed); }
  // Ends if it still owes us one.
  void make_room();

  // The answer to the request that the handler has; the connection's HttpExchange and ResponseStream call these.
  void answer(HttpResponse response);
  void answer_dropped();
  void open_stream(HttpResponse head);
  void stream_write(std::string chunk, std::function<void(bool)> written);
  void stream_finish();
  void stream_abandon();
  void stream_on_closed(std::function<void()> closed);
  void stream_run(std::function<void()> work);
  void open_duplex(HttpResponse head);
  void duplex_on_data(std::function<void(std::string_view)> data);
  void duplex_hold(bool held);

 private:
  enum class State : uint8_t { Handshake, Reading, Answering, Writing, Streaming, Lingering, Closed };

  // Now when on the strand already, else later.
  template <std::invocable Work>
  void on_strand(Work work) {
    if (socket_.get_executor().running_in_this_thread()) {
      work();
    } else {
      core_->post(socket_.get_executor(), std::move(work));
    }
  }
  void pump();
  // One step; false when it waits for something.
  bool advance();
  bool advance_handshake();
  bool advance_reading();
  bool advance_writing();
  bool advance_streaming();
  bool advance_lingering();

  // Reading. Those that answer bool: false, and the request is refused.
  bool take(std::string_view fresh);
  void more_needed();
  bool judge_header();
  bool admit_body();
  bool hold_body();
  void request_complete();
  void refuse_request(unsigned status, std::string_view message);
  void refuse_with(HttpResponse response);
  void next_request();
  bool read_ahead();
  bool read_duplex();

  // Answering.
  void begin_answer(HttpResponse response);
  void begin_stream(const HttpResponse& head);
  void begin_duplex(const HttpResponse& head);
  void end_stream();
  void response_sent();
  void set_write_deadline();

  // The socket.
  bool flush();
  void wait_readable();
  void wait_writable();
  bool wait_for(TlsStep step);
  void start_lingering();
  void say_goodbye();
  void close();
  void refuse_plain_http();

  // Time.
  void set_deadline(std::chrono::milliseconds from_now);
  void no_deadline() { deadline_ = Clock::time_point::max(); }
  void arm_timer();
  void time_is_up();

  std::shared_ptr<ServerCore> core_;  // shared: see there
  LoopSocket socket_;
  boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, LoopStrand> timer_;
  std::optional<MaybeTlsStream> channel_;
  uint64_t number_ = 0;
  Peer peer_;

  State state_ = State::Handshake;
  bool refuse_ = false;
  bool stopping_ = false;
  bool pumping_ = false;
  bool read_waits_ = false, write_waits_ = false;
  std::atomic<Clock::rep> waiting_since_{0};
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point answer_end_ = Clock::time_point::max();  // no deadline is later
  Clock::time_point timer_set_to_ = Clock::time_point::max();

  // The request being read, or answered.
  std::optional<RequestParser> parser_;
  bool header_judged_ = false;
  size_t body_limit_ = 0;
  ByteBudget::Share body_share_;
  std::string ahead_;          // bytes behind what was parsed
  bool ahead_is_new_ = false;  // not seen by the parser yet
  bool request_begun_ = false, told_to_continue_ = false;
  bool may_have_input_ = true;  // false: reading is in vain before the socket says that it is ready
  bool keep_alive_ = true, is_head_ = false, is_read_ = false, http_1_1_ = true;
  bool linger_ = false;  // input is left unread: closing at once would reset the connection under our answer

  // The answer.
  SendBuffer send_buffer_;
  ByteBudget::Share answer_share_;
  size_t sent_since_deadline_ = 0;
  bool chunked_ = false, body_wanted_ = true;
  bool finishing_ = false;
  std::function<void(bool)> written_;
  std::function<void()> on_closed_;
  bool upgraded_ = false, held_ = false;  // Streaming is then both ways
  std::function<void(std::string_view)> on_data_;
  size_t lingered_ = 0;
};

}  // namespace basalt::net
