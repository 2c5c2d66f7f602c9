#include "programs/lease/leader_elector.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "base/check.h"
#include "kube/client/boot_clock.h"
#include "kube/client/wall_clock.h"
#include "programs/lease/deadline_caller.h"
#include "programs/lease/lease_rules.h"

namespace basalt::lease {
namespace {

using Kind = LeaseStep::Kind;
using client::ReplyOrError;

LeaseTimes times_of(const LeaderElectorOptions& options) {
  return {.lease = options.lease, .renew = options.renew, .retry = options.retry};
}

}  // namespace

Result<void> check_leader_elector_options(const LeaderElectorOptions& options) {
  if (options.namespace_name.empty()) return invalid("--leader-elect-resource-namespace: must not be empty");
  if (options.name.empty()) return invalid("--leader-elect-resource-name: must not be empty");
  if (options.identity.empty()) return invalid("leader election: a replica needs an identity");
  return check_lease_times(times_of(options));
}

std::string new_identity() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  std::random_device device;  // the operating system's: two replicas must never get the same
  const auto word = [&device] { return static_cast<uint32_t>(device()); };
  const uint32_t middle = word(), last = word();
  // The layout of a random UUID: version 4, variant 1.
  return fmt::format("{}_{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", host.data(), word(), middle >> 16U,
                     middle & 0xfffU, 0x8000U | (last >> 16U & 0x3fffU), last & 0xffffU, word());
}

class LeaderElector::Election {
 public:
  Election(client::ObjectClient& client, LeaderElectorOptions options)
      : calls_(client),
        options_(std::move(options)),
        candidate_(options_.namespace_name, options_.name, options_.identity, times_of(options_)) {
    check(check_leader_elector_options(options_).has_value(), "a leader's options were checked");
  }
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;
  ~Election() { stop(); }

  void start(std::function<void()> leads, std::function<void()> lost) {
    check(!thread_.joinable(), "an election starts once");
    leads_ = std::move(leads);
    lost_ = std::move(lost);
    thread_ = std::thread([this] { run(); });
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      leads_until_ = kNever.nanos;
      calls_.give_up();  // before the thread can see that it is to give the lease up, which takes calls
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] bool is_leading() const { return client::boot_clock().nanos < leads_until_.load(); }
  [[nodiscard]] std::string holder() const {
    const std::scoped_lock lock(mutex_);
    return holder_;
  }

 private:
  void run();
  bool take_step(const LeaseStep& step);
  void learn();
  void write(const LeaseStep& step);
  void release();
  [[nodiscard]] ReplyOrError ask(api::Verb verb, text::Value body, Instant deadline);
  void trouble(const std::string& doing, const api::ApiError& error);
  void say(const std::string& line) const {
    if (options_.log) options_.log("lease " + options_.namespace_name + "/" + options_.name + ": " + line);
  }
  [[nodiscard]] bool is_stopping() const {
    const std::scoped_lock lock(mutex_);
    return stopping_;
  }
  [[nodiscard]] Duration patience() const { return {options_.renew.nanos / 2}; }
  // How long an answer is waited for. A leader whose time is up has something else to do.
  [[nodiscard]] Instant deadline() const {
    const Instant until = candidate_.leads_until(), longest = client::boot_clock() + patience();
    return until.is_set() ? std::min(until, longest) : longest;
  }

  DeadlineCaller calls_;
  const LeaderElectorOptions options_;
  std::function<void()> leads_, lost_;

  // The thread's own.
  Candidate candidate_;
  bool led_ = false;
  bool may_hold_ = false;  // a write that named us went out: the lease may be ours
  std::string told_trouble_;

  std::atomic<int64_t> leads_until_{kNever.nanos};  // on boot_clock; from any thread

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stopping_ = false;
  std::string holder_;

  std::thread thread_;
};

void LeaderElector::Election::run() {
  say("waiting for it as " + options_.identity);
  while (!is_stopping() && take_step(candidate_.next(client::boot_clock(), client::wall_clock()))) learn();
  if (is_stopping()) release();
}

// False: it is over.
bool LeaderElector::Election::take_step(const LeaseStep& step) {
  switch (step.kind) {
    case Kind::Wait: {
      const Duration length = step.until - client::boot_clock();
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, std::chrono::nanoseconds(length.nanos), [this] { return stopping_; });
      return true;
    }
    case Kind::Read: {
      auto outcome = ask(api::Verb::Get, nullptr, deadline());
      if (outcome) {
        candidate_.has_read(outcome->object, client::boot_clock());
      } else if (outcome.error().code == 404) {
        candidate_.has_read(nullptr, client::boot_clock());
      } else {
        trouble("read", outcome.error());
        candidate_.failed(client::boot_clock());
      }
      return true;
    }
    case Kind::Create:
    case Kind::Update:
      write(step);
      return true;
    case Kind::Lost:
      break;
  }
  leads_until_ = kNever.nanos;
  say("lost: " + candidate_.why_lost());
  if (lost_) lost_();
  return false;
}

void LeaderElector::Election::write(const LeaseStep& step) {
  may_hold_ = true;
  const Instant sent = client::boot_clock();
  auto outcome = ask(step.kind == Kind::Create ? api::Verb::Create : api::Verb::Update, step.body, deadline());
  if (outcome) {
    candidate_.has_written(outcome->object, sent, client::boot_clock());
    told_trouble_.clear();
  } else {
    trouble(step.kind == Kind::Create ? "create" : "update", outcome.error());
    candidate_.failed(client::boot_clock());
  }
}

// What a step has changed, for other threads and for the log.
void LeaderElector::Election::learn() {
  const Instant until = candidate_.leads_until();
  bool is_news = false;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return;
    leads_until_ = until.nanos;
    is_news = holder_ != candidate_.holder();
    holder_ = candidate_.holder();
  }
  if (is_news) say(candidate_.holder().empty() ? "held by nobody" : "held by " + candidate_.holder());
  if (until.is_set() && !std::exchange(led_, true)) {
    say("leading");
    if (leads_) leads_();
  }
}

void LeaderElector::Election::trouble(const std::string& doing, const api::ApiError& error) {
  if (error.code == 409 || is_stopping()) return;  // somebody was faster
  std::string line = "cannot " + doing + " it: " + error.message;
  if (line == told_trouble_) return;
  told_trouble_ = std::move(line);
  say(told_trouble_);
}

ReplyOrError LeaderElector::Election::ask(api::Verb verb, text::Value body, Instant deadline) {
  return calls_.ask({.verb = verb,
                     .resource = {.group = "coordination.k8s.io", .version = "v1", .plural = "leases"},
                     .namespace_name = options_.namespace_name,
                     .name = verb == api::Verb::Create ? "" : options_.name,
                     .body = std::move(body)},
                    deadline);
}

// Twice: a renewal that was under way when we stopped may come between.
void LeaderElector::Election::release() {
  if (!may_hold_) return;
  calls_.resume();
  const Instant deadline = client::boot_clock() + patience();
  for (int i = 0; i < 2; ++i) {
    const auto read = ask(api::Verb::Get, nullptr, deadline);
    if (!read || read->object == nullptr) break;
    auto body = candidate_.released(*read->object, client::wall_clock());
    if (!body) return;
    const auto written = ask(api::Verb::Update, std::move(*body), deadline);
    if (written) return say("given up");
    if (written.error().code != 409) break;
  }
  say("could not be given up: others wait until it expires");
}

LeaderElector::LeaderElector(client::ObjectClient& client, LeaderElectorOptions options)
    : election_(std::make_unique<Election>(client, std::move(options))) {}

LeaderElector::~LeaderElector() = default;

void LeaderElector::start(std::function<void()> leads, std::function<void()> lost) {
  election_->start(std::move(leads), std::move(lost));
}

bool LeaderElector::is_leading() const { return election_->is_leading(); }

std::string LeaderElector::holder() const { return election_->holder(); }

void LeaderElector::stop() { election_->stop(); }

}  // namespace basalt::lease
