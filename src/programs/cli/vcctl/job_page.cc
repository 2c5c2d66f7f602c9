#include "programs/cli/vcctl/job_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "kube/api/age_text.h"
#include "kube/api/job_bookkeeping.h"
#include "kube/api/views/event_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/text/quantity.h"
#include "kube/text/rfc3339.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/vcctl/vcctl_kinds.h"

namespace basalt::cli::vcctl {
namespace {

const text::Object& or_empty(const text::Object* object) {
  static const text::Object kEmpty;
  return object == nullptr ? kEmpty : *object;
}

// Go's way to print a time: "2026-11-15 18:46:29 +0000 UTC", its zero when there is none.
std::string time_text(std::string_view written) {
  const Instant at = api::time_of(written);
  if (!at.is_set()) return "0001-01-01 00:00:00 +0000 UTC";
  std::string text = text::format_time(at);  // 2026-11-15T18:46:29Z
  std::replace(text.begin(), text.end(), 'T', ' ');
  text.pop_back();
  return text + " +0000 UTC";
}

std::string quantity_text(api::MapView<const text::Value*> amounts, std::string_view name) {
  const text::Value* value = amounts[name];
  if (value == nullptr || value->is_null()) return "0";
  const std::string written = value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
  const auto quantity = text::Quantity::parse(written);
  return quantity ? quantity->to_string() : written;
}

// A map as JSON on one line, keys sorted; "<none>" when it is empty.
std::string map_text(api::StringMapView map) {
  if (map.empty()) return "<none>";
  std::map<std::string_view, const text::Value*> sorted;
  for (const auto& [key, value] : *map.json()) sorted.emplace(key, &value);
  text::Object out;
  for (const auto& [key, value] : sorted) out.emplace(key, *value);
  return text::to_json(out);
}

// The arguments of a plugin as Go prints a list: [a b].
std::string arguments_text(api::ListView<std::string_view> arguments) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < arguments.size(); ++i) words.push_back(arguments[i]);
  return fmt::format("[{}]", fmt::join(words, " "));
}

class Page {
 public:
  explicit Page(bool volcano) : volcano_(volcano) {}

  [[nodiscard]] bool volcano() const { return volcano_; }
  // A line with a value; without one only where Volcano has it too.
  void given(size_t level, std::string_view title, std::string_view value) {
    if (volcano_ || !value.empty()) line(level, fmt::format("{}\t{}", title, value));
  }
  void line(size_t level, std::string_view text) { out_ += std::string(2 * level, ' ') + printable_line(text) + '\n'; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  // Tabs are part of the page; anything else that steers a screen is spelt out.
  static std::string printable_line(std::string_view text) {
    std::string out;
    for (size_t at = 0; at <= text.size();) {
      const size_t tab = std::min(text.find('\t', at), text.size());
      out += printable(text.substr(at, tab - at));
      if (tab < text.size()) out += '\t';
      at = tab + 1;
    }
    return out;
  }

  bool volcano_;
  std::string out_;
};

void add_head(Page& page, api::ObjectMetaView metadata) {
  page.line(0, fmt::format("Name:       \t{}", metadata.name()));
  page.line(0, fmt::format("Namespace:  \t{}", metadata.namespace_name()));
  page.line(0, fmt::format("Labels:     \t{}", map_text(metadata.labels())));
  page.line(0, fmt::format("Annotations:\t{}", map_text(metadata.annotations())));
  // Volcano's clients drop both when they decode a job.
  page.line(0, fmt::format("API Version:\t{}", page.volcano() ? "" : kJob.api_version()));
  page.line(0, fmt::format("Kind:       \t{}", page.volcano() ? "" : kJob.kind));
  page.line(0, "Metadata:");
  page.line(1, fmt::format("Creation Timestamp:\t{}", time_text(metadata.creation_timestamp())));
  page.given(1, "Generate Name:     ", metadata.generate_name());
  page.line(1, fmt::format("Generation:        \t{}", metadata.generation()));
  page.line(1, fmt::format("Resource Version:  \t{}", metadata.resource_version()));
  page.line(1, fmt::format("UID:               \t{}", metadata.uid()));
}

void add_plugins(Page& page, api::MapView<api::ListView<std::string_view>> plugins) {
  if (!page.volcano() && plugins.empty()) return;
  page.line(1, "Plugins:");
  for (const auto& [title, key] : {std::pair("Env", "env"), std::pair("Ssh", "ssh")}) {
    if (page.volcano() || or_empty(plugins.json()).contains(key)) {
      page.line(2, fmt::format("{}:\t{}", title, arguments_text(plugins[key])));
    }
  }
  if (page.volcano()) return;
  std::map<std::string, std::string> others;
  for (const auto& [key, value] : or_empty(plugins.json())) {
    std::string name = key;
    if (name.empty() || name == "env" || name == "ssh") continue;
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
    others.emplace(std::move(name), arguments_text(plugins[key]));
  }
  for (const auto& [name, arguments] : others) page.line(2, fmt::format("{}:\t{}", name, arguments));
}

std::array<std::pair<std::string_view, api::MapView<const text::Value*>>, 2> limits_and_requests(
    api::ContainerView container) {
  return {{{"Limits:", container.resources().limits()}, {"Requests:", container.resources().requests()}}};
}

// Volcano: cpu and memory, 0 where nothing is set, and the working directory below.
void add_volcanos_resources(Page& page, api::ContainerView container) {
  page.line(5, "Resources:");
  for (const auto& [title, amounts] : limits_and_requests(container)) {
    page.line(6, title);
    page.line(7, fmt::format("Cpu:   \t{}", quantity_text(amounts, "cpu")));
    page.line(7, fmt::format("Memory:\t{}", quantity_text(amounts, "memory")));
  }
  page.line(6, fmt::format("Working Dir:\t{}", container.working_dir()));
}

void add_resources(Page& page, api::ContainerView container) {
  page.given(5, "Working Dir:", container.working_dir());
  if (or_empty(container.resources().json()).empty()) return;
  page.line(5, "Resources:");
  for (const auto& [title, amounts] : limits_and_requests(container)) {
    std::map<std::string_view, std::string> sorted;
    for (const auto& member : or_empty(amounts.json()))
      sorted.emplace(member.key(), quantity_text(amounts, member.key()));
    if (!sorted.empty()) page.line(6, title);
    for (const auto& [name, amount] : sorted) page.line(7, fmt::format("{}:\t{}", name, amount));
  }
}

void add_container(Page& page, api::ContainerView container) {
  const api::ListView<std::string_view> command = container.command();
  if (page.volcano() || command) page.line(5, "Command:");
  for (size_t i = 0; i < command.size(); ++i) page.line(6, command[i]);
  page.line(5, fmt::format("Image:\t{}", container.image()));
  page.line(5, fmt::format("Name: \t{}", container.name()));
  if (page.volcano() || container.ports()) page.line(5, "Ports:");
  for (const api::ContainerPortView port : container.ports()) {
    page.line(6, fmt::format("Container Port:\t{}", port.container_port()));
    page.given(6, "Name:          ", port.name());
  }
  page.volcano() ? add_volcanos_resources(page, container) : add_resources(page, container);
}

// Volcano shows three annotations, whether they are there or not, and a time that no template has.
void add_volcanos_metadata(Page& page, api::ObjectMetaView metadata) {
  page.line(3, "Metadata:");
  page.line(4, "Annotations:");
  const auto annotation = [metadata](std::string_view key) { return metadata.annotations()[key]; };
  page.line(5,
            fmt::format("Cri . Cci . Io / Container - Type:          \t{}", annotation("cri.cci.io/container-type")));
  page.line(5,
            fmt::format("Kubernetes . Io / Availablezone:            \t{}", annotation("kubernetes.io/availablezone")));
  page.line(5, fmt::format("Network . Alpha . Kubernetes . Io / Network:\t{}",
                           annotation("network.alpha.kubernetes.io/network")));
  page.line(4, fmt::format("Creation Timestamp:\t{}", time_text(metadata.creation_timestamp())));
}

void add_metadata(Page& page, api::ObjectMetaView metadata) {
  const api::StringMapView labels = metadata.labels();
  const api::StringMapView annotations = metadata.annotations();
  if (labels.empty() && annotations.empty()) return;
  page.line(3, "Metadata:");
  if (!labels.empty()) page.line(4, fmt::format("Labels:     \t{}", map_text(labels)));
  if (!annotations.empty()) page.line(4, fmt::format("Annotations:\t{}", map_text(annotations)));
}

void add_task(Page& page, api::TaskSpecView task) {
  const api::ObjectMetaView metadata = task.template_().metadata();
  const api::PodSpecView pod = task.template_().spec();
  page.line(2, fmt::format("Name:\t{}", task.name()));
  page.line(2, fmt::format("Replicas:\t{}", task.replicas().value_or(0)));
  page.line(2, "Template:");
  page.volcano() ? add_volcanos_metadata(page, metadata) : add_metadata(page, metadata);
  page.line(3, "Spec:");
  page.line(4, "Containers:");
  for (const api::ContainerView container : pod.containers()) add_container(page, container);
  if (page.volcano() || pod.image_pull_secrets()) page.line(4, "Image Pull Secrets:");
  for (const api::LocalObjectReferenceView secret : pod.image_pull_secrets()) {
    page.line(5, fmt::format("Name:     \t{}", secret.name()));
  }
  page.given(4, "Restart Policy:   ", pod.restart_policy());
}

void add_status(Page& page, api::VolcanoJobStatusView status, bool conditions) {
  struct Counter {
    std::string_view title;
    std::optional<int64_t> count;
  };
  const std::array counters = {
      Counter{"Succeeded:    ", status.succeeded()},   Counter{"Pending:      ", status.pending()},
      Counter{"Running:      ", status.running()},     Counter{"Failed:       ", status.failed()},
      Counter{"Terminating:  ", status.terminating()}, Counter{"Unknown:      ", status.unknown()},
      Counter{"RetryCount:   ", status.retry_count()}, Counter{"Min Available:", status.min_available()},
      Counter{"Version:      ", status.version()},
  };
  page.line(0, "Status:");
  for (const Counter& counter : counters) {
    if (counter.count.value_or(0) > 0) page.line(1, fmt::format("{}\t{}", counter.title, *counter.count));
  }
  page.line(1, "State:");
  page.line(2, fmt::format("Phase:\t{}", status.state().phase()));
  if (!page.volcano()) {
    page.given(2, "Reason:", status.state().reason());
    page.given(2, "Message:", status.state().message());
  }
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [key, value] : or_empty(status.controlled_resources().json())) {
    if (api::is_job_bookkeeping(key)) continue;
    sorted.emplace(key, value.is_string() ? std::string_view(value.get_string()) : "");
  }
  if (!sorted.empty()) {
    page.line(1, "Controlled Resources:");
    for (const auto& [key, value] : sorted) page.line(2, fmt::format("{}: \t{}", key, value));
  }
  if (!conditions || status.conditions().empty()) return;
  page.line(1, "Conditions:");
  page.line(2, "Status\tTransitionTime");
  for (const api::VolcanoJobConditionView condition : status.conditions()) {
    page.line(2, fmt::format("{} \t{} ", condition.status(), time_text(condition.last_transition_time())));
  }
}

// When an event began: events of the newer API have eventTime alone.
Instant first_seen(api::EventView event) {
  const Instant first = api::time_of(event.first_timestamp());
  return first.is_set() ? first : api::time_of(event.event_time());
}

}  // namespace

std::string job_page(const text::Object& object, JobPageOptions options) {
  const api::VolcanoJobView job(object);
  const api::VolcanoJobSpecView spec = job.spec();
  Page page(options.volcano);
  add_head(page, job.metadata());
  page.line(0, "Spec:");
  page.line(1, fmt::format("Min Available:     \t{}", spec.min_available().value_or(0)));
  add_plugins(page, spec.plugins());
  page.given(1, "Scheduler Name:    ", spec.scheduler_name());
  if (!page.volcano()) {
    page.given(1, "Queue:             ", spec.queue());
    page.given(1, "Priority Class:    ", spec.priority_class_name());
  }
  page.line(1, "Tasks:");
  for (const api::TaskSpecView task : spec.tasks()) add_task(page, task);
  add_status(page, job.status(), options.conditions);
  return page.take();
}

std::string events_page(std::span<const client::ObjectPtr> events, Instant now, bool volcano) {
  if (events.empty()) return "Events: \t<none>\n";
  const auto row = [](std::string_view type, std::string_view reason, std::string_view age, std::string_view from,
                      std::string_view message) {
    return fmt::format("{:<15}\t{:<40}\t{:<30}\t{:<40}\t{}", type, reason, age, from, message);
  };
  std::vector<client::ObjectPtr> sorted(events.begin(), events.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return first_seen(api::EventView(*a)) < first_seen(api::EventView(*b));
  });
  Page page(volcano);
  page.line(0, "Events:");
  page.line(0, row("Type", "Reason", "Age", volcano ? "Form" : "From", "Message"));
  page.line(0, row("-------", "-------", "-------", "-------", "-------"));
  for (const client::ObjectPtr& pointer : sorted) {
    const api::EventView event(*pointer);
    std::string age = api::age_since(first_seen(event), now);
    if (const int64_t count = event.count(); count > 1) {
      age = fmt::format("{} (x{} over {})", api::age_since(api::time_of(event.last_timestamp()), now), count, age);
    }
    std::string from(event.source().component());
    if (from.empty()) from = event.reporting_component();
    if (const std::string_view host = event.source().host(); !host.empty()) {
      from += fmt::format(", {}", host);
    }
    std::string_view message = event.message();
    message.remove_prefix(std::min(message.find_first_not_of(" \t\r\n"), message.size()));
    message = message.substr(0, message.find_last_not_of(" \t\r\n") + 1);
    page.line(0, row(event.type(), event.reason(), age, from, message));
  }
  return page.take();
}

}  // namespace basalt::cli::vcctl
