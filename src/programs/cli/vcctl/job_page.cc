#include "programs/cli/vcctl/job_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "kube/api/age_text.h"
#include "kube/api/job_bookkeeping.h"
#include "kube/api/object_fields.h"
#include "kube/text/quantity.h"
#include "kube/text/rfc3339.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/vcctl/vcctl_kinds.h"

namespace basalt::cli::vcctl {
namespace {

using Path = std::initializer_list<std::string_view>;

const text::Object& object_or_empty(const text::Object& object, Path path) {
  static const text::Object kEmpty;
  const text::Object* found = api::object_at(object, path);
  return found == nullptr ? kEmpty : *found;
}

template <class Visit>
void each_object(const text::Object& object, Path path, const Visit& visit) {
  const text::Array* list = api::array_at(object, path);
  if (list == nullptr) return;
  for (const text::Value& element : *list) {
    if (element.is_object()) visit(element.get_object());
  }
}

// Go's way to print a time: "2026-11-15 18:46:29 +0000 UTC", its zero when there is none.
std::string time_text(const text::Object& object, Path path) {
  const Instant at = api::time_at(object, path);
  if (!at.is_set()) return "0001-01-01 00:00:00 +0000 UTC";
  std::string text = text::format_time(at);  // 2026-11-15T18:46:29Z
  std::replace(text.begin(), text.end(), 'T', ' ');
  text.pop_back();
  return text + " +0000 UTC";
}

std::string quantity_text(const text::Object& amounts, std::string_view name) {
  const text::Value* value = amounts.if_contains(name);
  if (value == nullptr || value->is_null()) return "0";
  const std::string written = value->is_string() ? std::string(value->get_string()) : text::to_json(*value);
  const auto quantity = text::Quantity::parse(written);
  return quantity ? quantity->to_string() : written;
}

// A map as JSON on one line, keys sorted; "<none>" when it is empty.
std::string map_text(const text::Object& map) {
  if (map.empty()) return "<none>";
  std::map<std::string_view, const text::Value*> sorted;
  for (const auto& [key, value] : map) sorted.emplace(key, &value);
  text::Object out;
  for (const auto& [key, value] : sorted) out.emplace(key, *value);
  return text::to_json(out);
}

// The arguments of a plugin as Go prints a list: [a b].
std::string arguments_text(const text::Object& plugins, std::string_view name) {
  std::vector<std::string> words;
  if (const text::Array* list = api::array_at(plugins, {name})) {
    for (const text::Value& word : *list) words.push_back(word.is_string() ? std::string(word.get_string()) : "");
  }
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

void add_head(Page& page, const text::Object& job) {
  const text::Object& metadata = api::metadata_of(job);
  page.line(0, fmt::format("Name:       \t{}", api::name_of(job)));
  page.line(0, fmt::format("Namespace:  \t{}", api::namespace_of(job)));
  page.line(0, fmt::format("Labels:     \t{}", map_text(object_or_empty(metadata, {"labels"}))));
  page.line(0, fmt::format("Annotations:\t{}", map_text(object_or_empty(metadata, {"annotations"}))));
  // Volcano's clients drop both when they decode a job.
  page.line(0, fmt::format("API Version:\t{}", page.volcano() ? "" : kJob.api_version()));
  page.line(0, fmt::format("Kind:       \t{}", page.volcano() ? "" : kJob.kind));
  page.line(0, "Metadata:");
  page.line(1, fmt::format("Creation Timestamp:\t{}", time_text(metadata, {"creationTimestamp"})));
  page.given(1, "Generate Name:     ", api::string_at(metadata, "generateName"));
  page.line(1, fmt::format("Generation:        \t{}", api::int_at(metadata, {"generation"})));
  page.line(1, fmt::format("Resource Version:  \t{}", api::string_at(metadata, "resourceVersion")));
  page.line(1, fmt::format("UID:               \t{}", api::string_at(metadata, "uid")));
}

void add_plugins(Page& page, const text::Object& plugins) {
  if (!page.volcano() && plugins.empty()) return;
  page.line(1, "Plugins:");
  for (const auto& [title, key] : {std::pair("Env", "env"), std::pair("Ssh", "ssh")}) {
    if (page.volcano() || plugins.contains(key)) {
      page.line(2, fmt::format("{}:\t{}", title, arguments_text(plugins, key)));
    }
  }
  if (page.volcano()) return;
  std::map<std::string, std::string> others;
  for (const auto& [key, value] : plugins) {
    std::string name = key;
    if (name.empty() || name == "env" || name == "ssh") continue;
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
    others.emplace(std::move(name), arguments_text(plugins, key));
  }
  for (const auto& [name, arguments] : others) page.line(2, fmt::format("{}:\t{}", name, arguments));
}

// Volcano: cpu and memory, 0 where nothing is set, and the working directory below.
void add_volcanos_resources(Page& page, const text::Object& container) {
  page.line(5, "Resources:");
  for (const auto& [title, key] : {std::pair("Limits:", "limits"), std::pair("Requests:", "requests")}) {
    const text::Object& amounts = object_or_empty(container, {"resources", key});
    page.line(6, title);
    page.line(7, fmt::format("Cpu:   \t{}", quantity_text(amounts, "cpu")));
    page.line(7, fmt::format("Memory:\t{}", quantity_text(amounts, "memory")));
  }
  page.line(6, fmt::format("Working Dir:\t{}", api::string_at(container, "workingDir")));
}

void add_resources(Page& page, const text::Object& container) {
  page.given(5, "Working Dir:", api::string_at(container, "workingDir"));
  if (object_or_empty(container, {"resources"}).empty()) return;
  page.line(5, "Resources:");
  for (const auto& [title, key] : {std::pair("Limits:", "limits"), std::pair("Requests:", "requests")}) {
    std::map<std::string_view, std::string> sorted;
    const text::Object& amounts = object_or_empty(container, {"resources", key});
    for (const auto& member : amounts) sorted.emplace(member.key(), quantity_text(amounts, member.key()));
    if (!sorted.empty()) page.line(6, title);
    for (const auto& [name, amount] : sorted) page.line(7, fmt::format("{}:\t{}", name, amount));
  }
}

void add_container(Page& page, const text::Object& container) {
  const text::Array* command = api::array_at(container, {"command"});
  if (page.volcano() || command != nullptr) page.line(5, "Command:");
  if (command != nullptr) {
    for (const text::Value& word : *command) page.line(6, word.is_string() ? std::string_view(word.get_string()) : "");
  }
  page.line(5, fmt::format("Image:\t{}", api::string_at(container, "image")));
  page.line(5, fmt::format("Name: \t{}", api::string_at(container, "name")));
  if (page.volcano() || api::array_at(container, {"ports"}) != nullptr) page.line(5, "Ports:");
  each_object(container, {"ports"}, [&page](const text::Object& port) {
    page.line(6, fmt::format("Container Port:\t{}", api::int_at(port, {"containerPort"})));
    page.given(6, "Name:          ", api::string_at(port, "name"));
  });
  page.volcano() ? add_volcanos_resources(page, container) : add_resources(page, container);
}

// Volcano shows three annotations, whether they are there or not, and a time that no template has.
void add_volcanos_metadata(Page& page, const text::Object& task) {
  page.line(3, "Metadata:");
  page.line(4, "Annotations:");
  const text::Object& annotations = object_or_empty(task, {"template", "metadata", "annotations"});
  const auto annotation = [&annotations](std::string_view key) { return api::string_at(annotations, key); };
  page.line(5,
            fmt::format("Cri . Cci . Io / Container - Type:          \t{}", annotation("cri.cci.io/container-type")));
  page.line(5,
            fmt::format("Kubernetes . Io / Availablezone:            \t{}", annotation("kubernetes.io/availablezone")));
  page.line(5, fmt::format("Network . Alpha . Kubernetes . Io / Network:\t{}",
                           annotation("network.alpha.kubernetes.io/network")));
  page.line(4, fmt::format("Creation Timestamp:\t{}", time_text(task, {"template", "metadata", "creationTimestamp"})));
}

void add_metadata(Page& page, const text::Object& task) {
  const text::Object& metadata = object_or_empty(task, {"template", "metadata"});
  const text::Object &labels = object_or_empty(metadata, {"labels"}),
                     &annotations = object_or_empty(metadata, {"annotations"});
  if (labels.empty() && annotations.empty()) return;
  page.line(3, "Metadata:");
  if (!labels.empty()) page.line(4, fmt::format("Labels:     \t{}", map_text(labels)));
  if (!annotations.empty()) page.line(4, fmt::format("Annotations:\t{}", map_text(annotations)));
}

void add_task(Page& page, const text::Object& task) {
  page.line(2, fmt::format("Name:\t{}", api::string_at(task, "name")));
  page.line(2, fmt::format("Replicas:\t{}", api::int_at(task, {"replicas"})));
  page.line(2, "Template:");
  page.volcano() ? add_volcanos_metadata(page, task) : add_metadata(page, task);
  page.line(3, "Spec:");
  page.line(4, "Containers:");
  each_object(task, {"template", "spec", "containers"},
              [&page](const text::Object& container) { add_container(page, container); });
  if (page.volcano() || api::array_at(task, {"template", "spec", "imagePullSecrets"}) != nullptr) {
    page.line(4, "Image Pull Secrets:");
  }
  each_object(task, {"template", "spec", "imagePullSecrets"}, [&page](const text::Object& secret) {
    page.line(5, fmt::format("Name:     \t{}", api::string_at(secret, "name")));
  });
  page.given(4, "Restart Policy:   ", api::string_at(task, {"template", "spec", "restartPolicy"}));
}

void add_status(Page& page, const text::Object& status, bool conditions) {
  struct Counter {
    std::string_view title, key;
  };
  static constexpr std::array kCounters = {
      Counter{"Succeeded:    ", "succeeded"},   Counter{"Pending:      ", "pending"},
      Counter{"Running:      ", "running"},     Counter{"Failed:       ", "failed"},
      Counter{"Terminating:  ", "terminating"}, Counter{"Unknown:      ", "unknown"},
      Counter{"RetryCount:   ", "retryCount"},  Counter{"Min Available:", "minAvailable"},
      Counter{"Version:      ", "version"},
  };
  page.line(0, "Status:");
  for (const Counter& counter : kCounters) {
    const int64_t count = api::int_at(status, {counter.key});
    if (count > 0) page.line(1, fmt::format("{}\t{}", counter.title, count));
  }
  page.line(1, "State:");
  page.line(2, fmt::format("Phase:\t{}", api::string_at(status, {"state", "phase"})));
  if (!page.volcano()) {
    page.given(2, "Reason:", api::string_at(status, {"state", "reason"}));
    page.given(2, "Message:", api::string_at(status, {"state", "message"}));
  }
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [key, value] : object_or_empty(status, {"controlledResources"})) {
    if (api::is_job_bookkeeping(key)) continue;
    sorted.emplace(key, value.is_string() ? std::string_view(value.get_string()) : "");
  }
  if (!sorted.empty()) {
    page.line(1, "Controlled Resources:");
    for (const auto& [key, value] : sorted) page.line(2, fmt::format("{}: \t{}", key, value));
  }
  const text::Array* list = api::array_at(status, {"conditions"});
  if (!conditions || list == nullptr || list->empty()) return;
  page.line(1, "Conditions:");
  page.line(2, "Status\tTransitionTime");
  each_object(status, {"conditions"}, [&page](const text::Object& condition) {
    page.line(
        2, fmt::format("{} \t{} ", api::string_at(condition, "status"), time_text(condition, {"lastTransitionTime"})));
  });
}

// When an event began: events of the newer API have eventTime alone.
Instant first_seen(const text::Object& event) {
  const Instant first = api::time_at(event, {"firstTimestamp"});
  return first.is_set() ? first : api::time_at(event, {"eventTime"});
}

}  // namespace

std::string job_page(const text::Object& job, JobPageOptions options) {
  Page page(options.volcano);
  add_head(page, job);
  const text::Object& spec = object_or_empty(job, {"spec"});
  page.line(0, "Spec:");
  page.line(1, fmt::format("Min Available:     \t{}", api::int_at(spec, {"minAvailable"})));
  add_plugins(page, object_or_empty(spec, {"plugins"}));
  page.given(1, "Scheduler Name:    ", api::string_at(spec, "schedulerName"));
  if (!page.volcano()) {
    page.given(1, "Queue:             ", api::string_at(spec, "queue"));
    page.given(1, "Priority Class:    ", api::string_at(spec, "priorityClassName"));
  }
  page.line(1, "Tasks:");
  each_object(spec, {"tasks"}, [&page](const text::Object& task) { add_task(page, task); });
  add_status(page, object_or_empty(job, {"status"}), options.conditions);
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
    return first_seen(a->get_object()) < first_seen(b->get_object());
  });
  Page page(volcano);
  page.line(0, "Events:");
  page.line(0, row("Type", "Reason", "Age", volcano ? "Form" : "From", "Message"));
  page.line(0, row("-------", "-------", "-------", "-------", "-------"));
  for (const client::ObjectPtr& pointer : sorted) {
    const text::Object& event = pointer->get_object();
    std::string age = api::age_since(first_seen(event), now);
    if (const int64_t count = api::int_at(event, {"count"}); count > 1) {
      age = fmt::format("{} (x{} over {})", api::age_since(api::time_at(event, {"lastTimestamp"}), now), count, age);
    }
    std::string from(api::string_at(event, {"source", "component"}));
    if (from.empty()) from = api::string_at(event, "reportingComponent");
    if (const std::string_view host = api::string_at(event, {"source", "host"}); !host.empty()) {
      from += fmt::format(", {}", host);
    }
    std::string_view message = api::string_at(event, "message");
    message.remove_prefix(std::min(message.find_first_not_of(" \t\r\n"), message.size()));
    message = message.substr(0, message.find_last_not_of(" \t\r\n") + 1);
    page.line(0, row(api::string_at(event, "type"), api::string_at(event, "reason"), age, from, message));
  }
  return page.take();
}

}  // namespace basalt::cli::vcctl
