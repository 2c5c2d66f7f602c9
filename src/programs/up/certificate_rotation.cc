#include "programs/up/certificate_rotation.h"

#include <fmt/format.h>

#include <utility>

#include "kube/text/prometheus.h"
#include "kube/text/rfc3339.h"

namespace basalt::up {
namespace {

int64_t end_of(const std::string& certificate_pem) {
  const auto until = net::valid_until(certificate_pem);
  return until ? until->nanos / 1'000'000'000 : 0;
}

std::string words_of(const ClusterCertificates::Renewed& renewed) {
  std::string words;
  for (const auto& [yes, word] : {std::pair(renewed.authority, "authority"), std::pair(renewed.server, "server"),
                                  std::pair(renewed.admin, "admin")}) {
    if (yes) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

}  // namespace

CertificateRotation::CertificateRotation(ClusterCertificates certificates, RotationOptions options)
    : certificates_(std::move(certificates)), options_(std::move(options)) {
  note_ends();
}

void CertificateRotation::start() {
  thread_ = std::thread([this] {
    while (!stopped_) {
      look();
      wake_up_.wait(options_.look_every);
    }
  });
}

void CertificateRotation::stop() {
  stopped_ = true;
  wake_up_.notify();
  if (thread_.joinable()) thread_.join();
}

void CertificateRotation::note_ends() {
  ends_[0].seconds = end_of(certificates_.authority());
  ends_[1].seconds = end_of(certificates_.server().certificate_pem);
  ends_[2].seconds = end_of(certificates_.admin().certificate_pem);
}

bool CertificateRotation::done(const Result<void>& step, std::string& told, std::string_view what) {
  const std::string complaint = step ? "" : fmt::format("{}: {}", what, step.error().message);
  const bool news = std::exchange(told, complaint) != complaint;
  if (!step && news && options_.log) options_.log(true, complaint);
  return step.has_value();
}

void CertificateRotation::look() {
  const auto renewed = certificates_.renew(options_.clock());
  const Result<void> outcome = renewed ? Result<void>() : std::unexpected(renewed.error());
  if (done(outcome, renew_error_, "certificates cannot be renewed") && renewed->any()) {
    note_ends();
    to_serve_ = to_serve_ || renewed->authority || renewed->server;
    to_write_ = to_write_ || renewed->authority || renewed->admin;
    if (options_.log) {
      options_.log(false, fmt::format("renewed certificates: {}; the server's is valid until {}", words_of(*renewed),
                                      text::format_time(Instant::from_unix_seconds(ends_[1].seconds))));
    }
  }
  if (to_serve_)
    to_serve_ = !done(options_.serve(certificates_), serve_error_, "the renewed certificate is not served");
  if (to_write_) {
    to_write_ = !done(options_.write_kubeconfig(certificates_), write_error_, "the renewed kubeconfig is not written");
  }
}

std::string CertificateRotation::metrics_text() const {
  constexpr const char* kName = "basalt_certificate_expiration_timestamp_seconds";
  std::string out;
  text::append_family(out, kName, "gauge", "When a certificate of this cluster ends, in seconds since the epoch.");
  for (const End& end : ends_) {
    text::append_series(out, kName, text::one_label("certificate", end.name), static_cast<double>(end.seconds));
  }
  return out;
}

}  // namespace basalt::up
