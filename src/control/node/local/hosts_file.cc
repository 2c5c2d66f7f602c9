#include "control/node/local/hosts_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "control/node/local/downward_api.h"
#include "kube/api/name_validation.h"
#include "kube/api/object_fields.h"
#include "kube/api/pod_summary.h"
#include "kube/api/rules/checks.h"
#include "kube/api/rules/member_access.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

constexpr std::string_view kClusterDomain = "cluster.local";

// Names as a line of the file may hold them: nothing that ends the name or the line.
bool is_plain_name(std::string_view name) { return api::dns1123_subdomain(name).empty(); }

// Collects lines, each address and name once, up to the bound.
class Lines {
 public:
  void add(const std::string& address, const std::vector<std::string>& names) {
    std::string line = address;
    for (const std::string& name : names) {
      if (is_plain_name(name) && said_.emplace(address, name).second) line += "\t" + name;
    }
    if (line.size() == address.size() || text_.size() + line.size() + 1 > kMaxHostsBytes) return;
    text_ += line + "\n";
  }
  void add_plain(std::string_view line) { text_ += line; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::set<std::pair<std::string, std::string>> said_;
};

// "web" in namespace "blue": the names that a cluster's DNS and the search list of a pod of `seen_from` give it.
std::vector<std::string> names_of(const std::string& name, const std::string& ns, std::string_view seen_from) {
  std::vector<std::string> names = {fmt::format("{}.{}.svc.{}", name, ns, kClusterDomain)};
  if (ns == seen_from) names.push_back(name);
  names.push_back(name + "." + ns);
  names.push_back(name + "." + ns + ".svc");
  return names;
}

void add_aliases(api::PodSpecView spec, Lines& lines) {
  for (const api::HostAliasView alias : spec.host_aliases()) {
    const std::string address(alias.ip());
    if (!api::rules::is_ipv4(address) && !api::rules::is_ipv6(address)) continue;
    std::vector<std::string> names;
    for (const std::string_view name : alias.hostnames()) names.emplace_back(name);
    lines.add(address, names);
  }
}

using PodsBySpace = std::map<std::string_view, std::vector<const PodEndpoint*>>;

void add_service(const text::Object& service, const PodsBySpace& pods, std::string_view seen_from, Lines& lines) {
  const text::Object& spec = api::rules::part_of(service, "spec");
  const std::string ns(api::namespace_of(service));
  const auto names = names_of(std::string(api::name_of(service)), ns, seen_from);
  const std::string cluster_ip(api::string_at(spec, "clusterIP"));
  if (cluster_ip != "None") {
    if (api::rules::is_ipv4(cluster_ip) || api::rules::is_ipv6(cluster_ip)) lines.add(cluster_ip, names);
    return;
  }
  const auto here = pods.find(ns);
  if (here == pods.end()) return;
  for (const PodEndpoint* pod : here->second) {
    if (selects(service, *pod) && serves(service, *pod)) lines.add(pod->address, names);
  }
}

}  // namespace

PodEndpoint pod_endpoint_of(const text::Object& object, std::string address) {
  const api::PodView pod(object);
  const std::string_view phase = pod.status().phase();
  PodEndpoint out{
      .namespace_name = std::string(pod.metadata().namespace_name()),
      .name = std::string(pod.metadata().name()),
      .hostname = std::string(pod.spec().hostname()),
      .subdomain = std::string(pod.spec().subdomain()),
      .address = std::move(address),
      // A pod that is being deleted gets no new connections.
      .ready = api::condition_true(pod.status().conditions(), "Ready") && pod.metadata().deletion_timestamp().empty(),
      .gone = phase == "Succeeded" || phase == "Failed"};
  for (const auto [key, value] : pod.metadata().labels()) out.labels.insert_or_assign(std::string(key), value);
  // Sidecars are init containers that stay.
  for (const auto& containers : {pod.spec().containers(), pod.spec().init_containers()}) {
    for (const api::ContainerView container : containers) {
      for (const api::ContainerPortView port : container.ports()) {
        const int64_t number = port.container_port();
        if (number < 1 || number > UINT16_MAX) continue;
        const int64_t host = port.host_port();
        out.ports.push_back({.name = std::string(port.name()),
                             .protocol = std::string(port.protocol().empty() ? "TCP" : port.protocol()),
                             .number = static_cast<uint16_t>(number),
                             .host_port = host >= 1 && host <= UINT16_MAX ? static_cast<uint16_t>(host) : uint16_t{0}});
      }
    }
  }
  return out;
}

bool selects(const text::Object& service, const PodEndpoint& pod) {
  const text::Object* selector = api::object_at(service, {"spec", "selector"});
  if (selector == nullptr || selector->empty() || api::namespace_of(service) != pod.namespace_name) return false;
  return std::ranges::all_of(*selector, [&](const auto& wanted) {
    const auto label = pod.labels.find(std::string_view(wanted.key()));
    return label != pod.labels.end() && label->second == api::rules::view_of(wanted.value());
  });
}

bool serves(const text::Object& service, const PodEndpoint& pod) {
  return !pod.gone && (pod.ready || api::bool_at(service, {"spec", "publishNotReadyAddresses"}));
}

std::string hosts_text(const text::Object& pod, const std::string& address, std::span<const PodEndpoint> pods,
                       std::span<const text::Object* const> services) {
  const std::string ns(api::namespace_of(pod));
  const std::string host = hostname_of(pod);
  const std::string subdomain(api::PodView(pod).spec().subdomain());
  Lines lines;
  lines.add_plain("# Written by Basalt; changes are lost.\n");
  lines.add("127.0.0.1", {"localhost"});
  lines.add_plain("::1\tlocalhost ip6-localhost ip6-loopback\n");
  // The full name first: it is what a lookup of the address answers.
  std::vector<std::string> own = {host};
  if (!subdomain.empty()) {
    own = names_of(host + "." + subdomain, ns, ns);
    own.insert(own.begin() + 1, host);
  }
  lines.add(address, own);
  add_aliases(api::PodView(pod).spec(), lines);

  PodsBySpace by_namespace;
  for (const PodEndpoint& one : pods) {
    if (one.gone || one.address.empty()) continue;
    by_namespace[one.namespace_name].push_back(&one);
    if (one.subdomain.empty()) continue;
    const std::string& called = one.hostname.empty() ? one.name : one.hostname;
    lines.add(one.address, names_of(called + "." + one.subdomain, one.namespace_name, ns));
  }
  for (const text::Object* service : services) add_service(*service, by_namespace, ns, lines);
  return lines.take();
}

Result<void> write_hosts(const std::filesystem::path& file, std::string_view text) {
  if (const auto present = text::read_file(file.string(), kMaxHostsBytes); present && *present == text) return {};
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return failure(ErrorCode::Io, fmt::format("{}: {}", file.string(), std::strerror(errno)));
  // Over the old text, then cut: who reads in between finds names, not an empty file.
  bool good = true;
  for (size_t done = 0; good && done < text.size();) {
    const ssize_t wrote = pwrite(descriptor, text.data() + done, text.size() - done, static_cast<off_t>(done));
    good = wrote > 0 || (wrote < 0 && errno == EINTR);
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  good = good && ftruncate(descriptor, static_cast<off_t>(text.size())) == 0;
  good = good && fchmod(descriptor, 0644) == 0;  // whatever our umask is: every user of the pod reads it
  const int error = errno;
  close(descriptor);
  if (!good) return failure(ErrorCode::Io, fmt::format("{}: {}", file.string(), std::strerror(error)));
  return {};
}

}  // namespace basalt::node
