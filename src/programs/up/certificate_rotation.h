// Renews the certificates of a cluster while it runs: nobody has to restart it, and connections stay.
//
// A thread looks at the clock every `look_every`, so it also notices a clock that was set. What is renewed goes to the
// server and into the kubeconfig; what cannot be done is said once and tried again at the next look.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/instant.h"
#include "base/result.h"
#include "control/loop/wake_up.h"
#include "programs/up/cluster_certificates.h"

namespace basalt::up {

struct RotationOptions {
  std::function<Instant()> clock;
  Duration look_every = Duration::seconds(60);
  std::function<Result<void>(const ClusterCertificates&)> serve;             // new connections get its certificate
  std::function<Result<void>(const ClusterCertificates&)> write_kubeconfig;  // with its authority and administrator
  std::function<void(bool warning, const std::string& line)> log;            // may be empty
};

class CertificateRotation {
 public:
  // `certificates` are in use already.
  CertificateRotation(ClusterCertificates certificates, RotationOptions options);
  ~CertificateRotation() { stop(); }
  CertificateRotation(const CertificateRotation&) = delete;
  CertificateRotation& operator=(const CertificateRotation&) = delete;

  void start();
  void stop();  // no function of the options is called any more after it

  // One look. Requires: not while the thread runs.
  void look();
  // When each certificate ends. From any thread.
  [[nodiscard]] std::string metrics_text() const;

 private:
  void note_ends();
  // Whether it is done; what failed is told once.
  bool done(const Result<void>& step, std::string& told, std::string_view what);

  ClusterCertificates certificates_;
  const RotationOptions options_;
  bool to_serve_ = false, to_write_ = false;
  std::string renew_error_, serve_error_, write_error_;  // the last complaint of each step
  struct End {
    const char* name;
    std::atomic<int64_t> seconds{0};  // since the epoch
  };
  std::array<End, 3> ends_{{{.name = "authority"}, {.name = "server"}, {.name = "admin"}}};
  std::atomic<bool> stopped_ = false;
  loop::WakeUp wake_up_;
  std::thread thread_;
};

}  // namespace basalt::up
