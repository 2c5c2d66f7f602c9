#include "control/node/local/local_node.h"

#include <csignal>
#include <system_error>
#include <utility>

#include "control/node/local/detached_files.h"
#include "control/node/local/exec_commands.h"
#include "control/node/local/local_node_parts.h"
#include "control/node/local/thread_pool.h"

namespace basalt::node {
namespace {

constexpr size_t kWorkerThreads = 4, kProberThreads = 8;

class Node final : public LocalNode {
 public:
  Node(client::ObjectClient& client, const LocalNodeOptions& options, LocalNodeParts parts)
      : keeps_(options.keep_pods),
        processes_(std::move(parts.processes)),
        interrupt_(std::move(parts.interrupt)),
        balancer_(std::move(parts.balancer)),
        reconciler_(client, std::move(parts.reconciler), std::move(parts.addresses), std::move(parts.devices)),
        pool_(kWorkerThreads),
        probers_(kProberThreads),
        runtime_(std::move(parts.defaults), VolumeManager(options.directory, options.hidden), *processes_, pool_,
                 probers_, interrupt_,
                 [this](const std::string& uid, PodLifecycleEvent news) { reconciler_.tell(uid, std::move(news)); }),
        commands_(
            [this](const api::ExecRequest& request, ProcessSpec spec, std::function<void(ProcessExit)> ended) {
              return runtime_.run_inside(request, std::move(spec), std::move(ended));
            },
            [this](ProcessId command) { processes_->signal(command, SIGKILL); }) {
    reconciler_.use(runtime_, balancer_.get());
  }
  ~Node() override { stop(std::chrono::milliseconds(0)); }

  void start() override { reconciler_.start(); }

  void stop(std::chrono::milliseconds grace) override {
    if (processes_ == nullptr) return;
    // First nobody reports any more: what ends now ends because of us, and the next start decides about it.
    reconciler_.stop();
    interrupt_->raise();
    commands_.close();
    // At once: whatever ends from now on is told to the next node. What is just being started goes on, too.
    if (keeps_) processes_->let_go();
    if (!keeps_) processes_->kill_all(grace);  // before the pool: one of it may hang on a dead mount
    probers_.close();
    pool_.close();
    if (!keeps_) processes_->kill_all(std::chrono::milliseconds(0));  // what was just being started
    balancer_.reset();
    processes_.reset();
  }

  std::shared_ptr<api::ExecHandle> exec(api::ExecRequest request, api::ExecCallbacks callbacks) override {
    return commands_.begin(std::move(request), std::move(callbacks));
  }

 private:
  const bool keeps_;
  std::unique_ptr<Processes> processes_;
  std::shared_ptr<net::Interrupt> interrupt_;
  std::unique_ptr<net::TcpLoadBalancer> balancer_;
  LocalNodeReconciler reconciler_;
  ThreadPool pool_, probers_;
  PodRuntime runtime_;
  ExecCommands commands_;
};

}  // namespace

Result<std::unique_ptr<LocalNode>> LocalNode::make(client::ObjectClient& client, LocalNodeOptions options) {
  auto parts = make_local_node_parts(options);
  if (!parts) return std::unexpected(std::move(parts.error()));
  return std::make_unique<Node>(client, options, std::move(*parts));
}

size_t LocalNode::count_detached(const std::filesystem::path& directory) {
  const std::filesystem::path kept = detached_directory(run_directory(directory));
  std::error_code error;
  if (!std::filesystem::exists(kept, error)) return 0;
  const auto files = DetachedFiles::open(kept);
  return files ? files->list().size() : 0;
}

Result<size_t> LocalNode::end_detached(const std::filesystem::path& directory, std::chrono::milliseconds grace) {
  const std::filesystem::path run = run_directory(directory);
  std::error_code error;
  if (!std::filesystem::exists(run, error)) return 0;
  auto processes = Processes::make({.directory = run, .cgroup = {}});
  if (!processes) return std::unexpected(std::move(processes.error()));
  const size_t count = (*processes)->kept().size();
  (*processes)->end_detached(grace.count() > 0 ? SIGTERM : SIGKILL);
  (*processes)->kill_all(grace);
  return count;
}

}  // namespace basalt::node
