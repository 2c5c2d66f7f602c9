// The webhook server: kube-apiserver asks it, over HTTPS, about new and changed objects; Volcano's vc-webhook-manager.
//
// 1. One path for each row of admission::webhooks() that is enabled. An answer is a pure function of the request, the
//    options and what is known of queues and namespaces; these are followed, and what a refusal depends on is read
//    once more before it is given (live_reviews.h), so that an object made a moment ago counts.
// 2. The certificate comes from files, which are read again when they change, or is made here and shared with other
//    replicas in a Secret (certificate_plan.h). It is replaced while requests go on; keys never reach a log.
// 3. The caBundle of the configurations of the enabled paths follows; configurations are made only if that is asked
//    for (webhook_configurations.h).
// 4. not_ready() says "" once queues are known and the certificate in use is the one that the configurations trust or
//    will be given. A server that loses the API goes on with what it knows.
//
// Threads: those of net::Server for requests, one for each of two loops (what is followed; certificates), and one that
// looks at files and at questions that take too long. Functions may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/webhook/certificate_plan.h"
#include "programs/webhook/watched_files.h"
#include "programs/webhook/webhook_configurations.h"
#include "programs/webhook/webhook_log.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

// Beside each: the flag of vc-webhook-manager that sets it.
struct WebhookOptions {
  std::string address;   // --listen-address; "": all interfaces
  uint16_t port = 8443;  // --port; 0: any free one
  unsigned threads = 2;
  std::vector<std::string> paths = default_paths();  // --enabled-admission
  // --scheduler-name, --max-queue-depth and so on; resource_groups: replaced by those of the file, when there is one
  admission::VolcanoAdmissionOptions admission;
  std::string admission_conf;                       // --admission-conf, a file; "": none. Read again when it changes
  CertificateFiles files;                           // --tls-cert-file, --tls-private-key-file, --ca-cert-file
  WebhookClientConfig client_config;                // --webhook-namespace, --webhook-service-name, --webhook-url
  std::string secret = "volcano-admission-secret";  // of the certificate that is made here
  bool create_configurations = false;  // --create-configurations: make and keep them, not only their caBundle
  CertificateTiming timing;
  Duration look_every = Duration::seconds(10);  // at files and at the Secret
  WebhookLog log;                               // may be empty

  // As Volcano's program has it.
  [[nodiscard]] static std::vector<std::string> default_paths();
};

class WebhookServer {
 public:
  // Listens when it returns. Errors name what is wrong: an unknown path, a file, the address, the conf.
  // Requires: `client` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<WebhookServer>> start(client::ObjectClient& client,
                                                                    WebhookOptions options);
  virtual ~WebhookServer() = default;  // stops at once if still running

  [[nodiscard]] virtual uint16_t port() const = 0;
  // Requests under way are answered, within `grace`; behind a Service also those of the next seconds, while it still
  // sends some. Call it once.
  virtual void stop(std::chrono::milliseconds grace) = 0;

  // Why it should get no requests yet; "": it should. Also served as /readyz, beside /healthz, on its own port.
  [[nodiscard]] virtual std::string not_ready() const = 0;
  [[nodiscard]] virtual std::string metrics() const = 0;  // Prometheus text
};

// The configurations as YAML documents for `kubectl apply`: `basalt webhook --print-configurations`. With resource
// groups from options.admission_conf, if that is a file that can be read. caBundles are left out.
[[nodiscard]] Result<std::string> configurations_yaml(const WebhookOptions& options);

}  // namespace basalt::webhook
