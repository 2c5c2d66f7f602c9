#include "programs/webhook/review_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "kube/client/boot_clock.h"
#include "kube/text/utf8.h"

namespace basalt::webhook {
namespace {

constexpr size_t kMaxShownRefusal = 300;  // in the log

net::HttpResponse one_line(unsigned status, std::string text) {
  return net::plain_text(status, std::move(text) + "\n");
}

// The media type without its parameters, in small letters.
std::string media_type(std::string_view header) {
  std::string type = lower(header.substr(0, header.find(';')));
  std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
  return type;
}

// The pages about the server itself; nothing: the path is another one.
std::optional<net::HttpResponse> own_page(const ReviewHandler& handler, std::string_view path) {
  if (path == "/healthz") return one_line(200, "ok");
  if (path != "/readyz") return std::nullopt;
  const std::string why = handler.not_ready();
  return why.empty() ? one_line(200, "ok") : one_line(500, why);
}

struct Asked {
  const admission::Webhook* webhook;
  AdmissionReview review;
};

std::string_view path_of(const net::HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));  // kube-apiserver adds ?timeout=10s
}

// The webhook that a request is for, or what is wrong with its header.
std::expected<const admission::Webhook*, net::HttpResponse> read_head(const ReviewHandler& handler,
                                                                      const net::HttpRequest& head) {
  const auto found = handler.paths.find(path_of(head));
  if (found == handler.paths.end()) {
    return std::unexpected(one_line(404, "no webhook is served at this path; see --enabled-admission"));
  }
  if (head.method != "POST") return std::unexpected(one_line(405, "a review is sent by POST"));
  if (media_type(head.headers.get("Content-Type")) != "application/json") {
    return std::unexpected(one_line(415, "a review is sent as application/json"));
  }
  return found->second;
}

std::expected<Asked, net::HttpResponse> read_request(const ReviewHandler& handler, const net::HttpRequest& request) {
  const auto webhook = read_head(handler, request);
  if (!webhook) return std::unexpected(webhook.error());
  if (!handler.knows_queues()) return std::unexpected(one_line(503, handler.not_ready()));
  auto review = read_review(request.body);
  if (!review) return std::unexpected(one_line(400, "this is no AdmissionReview: " + review.error().message));
  return Asked{.webhook = *webhook, .review = std::move(*review)};
}

void log_refusal(const ReviewHandler& handler, std::string_view path, const AdmissionReview& review,
                 const ReviewResponse& answer) {
  if (!handler.log || answer.verdict) return;
  const std::string_view shown = text::utf8_prefix(answer.verdict.error(), kMaxShownRefusal);
  handler.log(Severity::Info,
              fmt::format("{} denied {} {}/{}: {}", path, review.operation, review.namespace_name, review.name, shown));
}

}  // namespace

net::BodyAdmission admit_body(const ReviewHandler& handler, const net::HttpRequest& head) {
  auto webhook = read_head(handler, head);
  if (!webhook) return {.refusal = std::move(webhook.error())};
  return {};
}

void serve(const std::shared_ptr<const ReviewHandler>& handler, const std::shared_ptr<net::HttpExchange>& exchange) {
  const net::HttpRequest& request = exchange->request();
  const std::string path(path_of(request));
  if (request.method == "GET" || request.method == "HEAD") {
    if (auto page = own_page(*handler, path)) return exchange->reply(std::move(*page));
  }
  const Instant began = client::boot_clock();
  const auto seconds = [began] { return static_cast<double>((client::boot_clock() - began).nanos) * 1e-9; };
  auto asked = read_request(*handler, request);
  if (!asked) {
    handler->metrics->count(path, ReviewResult::Broken, seconds());
    return exchange->reply(std::move(asked.error()));
  }
  handler->reviews->answer(
      *asked->webhook, std::move(asked->review), handler->options(), began,
      [handler, exchange, path, seconds](const AdmissionReview& review, const ReviewResponse& answer) {
        const bool allowed = answer.verdict.has_value();
        handler->metrics->count(path, allowed ? ReviewResult::Allowed : ReviewResult::Denied, seconds());
        log_refusal(*handler, path, review, answer);
        exchange->reply({.status = 200,
                         .content_type = "application/json",
                         .body = answer_text(review.uid, answer),
                         .headers = {}});
      });
}

}  // namespace basalt::webhook
