// What one form costs the server and us: pods made, bound, listed, changed without and with watches, and removed.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "kube/api/object_fields.h"
#include "kube/text/json.h"
#include "tests/kube/protobuf/forms.h"

namespace basalt::tests {
namespace {

using api::Verb;

constexpr size_t kConnections = 16;
constexpr int kLists = 5;
constexpr std::chrono::minutes kMaxWaitForEvents{5};
constexpr std::string_view kSpace = "protobuf-cost";

// Seconds of processor time.
double own_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
double seconds_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string word, line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 2));
  constexpr int kBefore = 11;  // fields between the name and utime
  for (int i = 0; i < kBefore; ++i) rest >> word;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

text::Object pod_called(const std::string& name) {
  text::Object notes{{"scheduling.k8s.io/group-name", "group"},
                     {"volcano.sh/task-spec", "worker"},
                     {"volcano.sh/job-name", "job"},
                     {"volcano.sh/queue-name", "default"},
                     {"volcano.sh/job-version", "0"},
                     {"volcano.sh/template-uid", "job-worker"}};
  text::Object container{{"name", "main"},
                         {"image", "busybox:1.36"},
                         {"command", text::Array{"sh", "-c", "sleep 10"}},
                         {"env", text::Array{text::Object{{"name", "VC_TASK_INDEX"}, {"value", "1"}}}},
                         {"resources", text::Object{{"requests", text::Object{{"cpu", "1"}, {"memory", "1Gi"}}}}}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           text::Object{{"name", name}, {"namespace", kSpace}, {"labels", notes}, {"annotations", std::move(notes)}}},
          {"spec", text::Object{{"schedulerName", "nobody"},
                                {"restartPolicy", "Never"},
                                {"terminationGracePeriodSeconds", 0},
                                {"containers", text::Array{std::move(container)}}}}};
}

class Measurement {
 public:
  explicit Measurement(const Measured& what)
      : what_(what), client_(client_of(what.kubeconfig, what.lean, kConnections)) {}

  int run() {
    api::Call space{.verb = Verb::Create, .resource = {.group = "", .version = "v1", .plural = "namespaces"}};
    space.body =
        text::Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", text::Object{{"name", kSpace}}}};
    (void)client_->call(space);  // may be there already
    phase("create", [&] { each([&](const text::Object& pod) { return create(pod); }); });
    phase("bind", [&] { each([&](const text::Object& pod) { return bind(pod); }); });
    phase("list", [&] {
      for (int i = 0; i < kLists; ++i) list();
    });
    phase("patch", [&] { each([&](const text::Object& pod) { return patch(pod, "1"); }); });
    const std::string version = list();
    phase("patch_watched", [&] {
      Watches watches(*client_, what_, version);
      each([&](const text::Object& pod) { return patch(pod, "2"); });
      watches.wait();
    });
    each([&](const text::Object& pod) {
      api::Call call = call_about(Verb::Delete, pod);
      call.body = text::Object{{"gracePeriodSeconds", 0}};
      return call;
    });
    fmt::print("{}\n", text::to_json(figures_));
    return failures_ == 0 ? 0 : 1;
  }

 private:
  // Counts the events of all watches.
  class Watches {
   public:
    Watches(client::ObjectClient& client, const Measured& what, const std::string& version)
        : missing_(what.pods * what.watches) {
      for (int i = 0; i < what.watches; ++i) {
        api::Call call{.verb = Verb::Watch, .resource = {.group = "", .version = "v1", .plural = "pods"}};
        call.namespace_name = kSpace;
        call.resource_version = version;
        open_.push_back(client.watch(std::move(call), [this](const client::WatchEvent& event) {
          const std::lock_guard lock(mutex_);
          missing_ = event.type == client::WatchEventType::Error ? -1 : missing_ - 1;
          if (missing_ <= 0) done_.notify_all();
        }));
      }
    }
    void wait() {
      std::unique_lock lock(mutex_);
      if (!done_.wait_for(lock, kMaxWaitForEvents, [this] { return missing_ <= 0; }) || missing_ < 0) {
        fmt::print(stderr, "a watch failed\n");
      }
    }

   private:
    std::mutex mutex_;
    std::condition_variable done_;
    int missing_;
    std::vector<std::unique_ptr<client::Watch>> open_;
  };

  template <class Phase>
  void phase(std::string_view name, Phase&& work) {
    const double own = own_seconds(), server = seconds_of(what_.server_pid);
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    figures_[name] = text::Object{{"seconds", took.count()},
                                  {"client_cpu", own_seconds() - own},
                                  {"server_cpu", seconds_of(what_.server_pid) - server}};
  }

  template <class Make>
  void each(Make&& make) {
    std::mutex mutex;
    std::condition_variable done;
    int open = what_.pods;
    for (int i = 0; i < what_.pods; ++i) {
      client_->send(make(pod_called("pod-" + std::to_string(i))), [&](const client::ReplyOrError& outcome) {
        const std::lock_guard lock(mutex);
        if (!outcome && failures_++ == 0) fmt::print(stderr, "{}\n", outcome.error().message);
        if (--open == 0) done.notify_all();
      });
    }
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return open == 0; });
  }

  static api::Call create(const text::Object& pod) {
    api::Call call = call_about(Verb::Create, pod);
    call.body = pod;
    return call;
  }
  static api::Call bind(const text::Object& pod) {
    api::Call call = call_about(Verb::Get, pod);
    call.verb = Verb::Create;
    call.subresource = "binding";
    call.body = text::Object{{"apiVersion", "v1"},
                             {"kind", "Binding"},
                             {"metadata", text::Object{{"name", call.name}, {"namespace", kSpace}}},
                             {"target", text::Object{{"kind", "Node"}, {"name", "node-1"}}}};
    return call;
  }
  static api::Call patch(const text::Object& pod, std::string_view message) {
    api::Call call = call_about(Verb::Patch, pod);
    call.subresource = "status";
    call.body = text::Object{{"status", text::Object{{"message", message}, {"phase", "Running"}}}};
    return call;
  }
  std::string list() {
    api::Call call{.verb = Verb::List, .resource = {.group = "", .version = "v1", .plural = "pods"}, .limit = 500};
    call.namespace_name = kSpace;
    for (;;) {
      const auto page = client_->call(call);
      if (!page) {
        ++failures_;
        return "0";
      }
      call.continue_token = page->continue_token;
      if (call.continue_token.empty()) return page->resource_version;
    }
  }

  const Measured what_;
  std::unique_ptr<client::ObjectClient> client_;
  text::Object figures_;
  std::atomic<int> failures_ = 0;
};

}  // namespace

int measure_form(const Measured& what) { return Measurement(what).run(); }

}  // namespace basalt::tests
