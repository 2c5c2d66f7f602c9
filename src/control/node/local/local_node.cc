#include "control/node/local/local_node.h"

#include <csignal>
#include <system_error>
#include <utility>

#include "control/node/local/crew.h"
#include "control/node/local/inside_commands.h"
#include "control/node/local/kept_files.h"
#include "control/node/local/local_parts.h"

namespace basalt::node {
namespace {

constexpr size_t kCrewThreads = 4, kProberThreads = 8;

class Node final : public LocalNode {
 public:
  Node(client::ObjectClient& client, const LocalOptions& options, LocalParts parts)
      : keeps_(options.keep_pods),
        processes_(std::move(parts.processes)),
        interrupt_(std::move(parts.interrupt)),
        balancer_(std::move(parts.balancer)),
        mind_(client, std::move(parts.mind), std::move(parts.addresses), std::move(parts.devices)),
        crew_(kCrewThreads),
        probers_(kProberThreads),
        runtime_(std::move(parts.defaults), Volumes(options.directory, options.hidden), *processes_, crew_, probers_,
                 interrupt_, [this](const std::string& uid, PodNews news) { mind_.tell(uid, std::move(news)); }),
        commands_(
            [this](const api::ExecRequest& request, ProcessSpec spec, std::function<void(Exit)> ended) {
              return runtime_.run_inside(request, std::move(spec), std::move(ended));
            },
            [this](ProcessId command) { processes_->signal(command, SIGKILL); }) {
    mind_.use(runtime_, balancer_.get());
  }
  ~Node() override { stop(std::chrono::milliseconds(0)); }

  void start() override { mind_.start(); }

  void stop(std::chrono::milliseconds grace) override {
    if (processes_ == nullptr) return;
    // First nobody reports any more: what ends now ends because of us, and the next start decides about it.
    mind_.stop();
    interrupt_->raise();
    commands_.close();
    // At once: whatever ends from now on is told to the next node. What is just being started goes on, too.
    if (keeps_) processes_->let_go();
    if (!keeps_) processes_->kill_all(grace);  // before the crew: one of it may hang on a dead mount
    probers_.close();
    crew_.close();
    if (!keeps_) processes_->kill_all(std::chrono::milliseconds(0));  // what was just being started
    balancer_.reset();
    processes_.reset();
  }

  std::shared_ptr<api::ExecRun> exec(api::ExecRequest request, api::ExecEars ears) override {
    return commands_.begin(std::move(request), std::move(ears));
  }

 private:
  const bool keeps_;
  std::unique_ptr<Processes> processes_;
  std::shared_ptr<net::Interrupt> interrupt_;
  std::unique_ptr<net::Balancer> balancer_;
  LocalMind mind_;
  Crew crew_, probers_;
  PodRuntime runtime_;
  InsideCommands commands_;
};

}  // namespace

Result<std::unique_ptr<LocalNode>> LocalNode::make(client::ObjectClient& client, LocalOptions options) {
  auto parts = make_local_parts(options);
  if (!parts) return std::unexpected(std::move(parts.error()));
  return std::make_unique<Node>(client, options, std::move(*parts));
}

size_t LocalNode::count_kept(const std::filesystem::path& directory) {
  const std::filesystem::path kept = kept_directory(run_directory(directory));
  std::error_code error;
  if (!std::filesystem::exists(kept, error)) return 0;
  const auto files = KeptFiles::open(kept);
  return files ? files->list().size() : 0;
}

Result<size_t> LocalNode::end_kept(const std::filesystem::path& directory, std::chrono::milliseconds grace) {
  const std::filesystem::path run = run_directory(directory);
  std::error_code error;
  if (!std::filesystem::exists(run, error)) return 0;
  auto processes = Processes::make({.directory = run, .cgroup = {}});
  if (!processes) return std::unexpected(std::move(processes.error()));
  const size_t count = (*processes)->kept().size();
  (*processes)->end_kept(grace.count() > 0 ? SIGTERM : SIGKILL);
  (*processes)->kill_all(grace);
  return count;
}

}  // namespace basalt::node
