#include "programs/webhook/live_reviews.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <utility>

#include "programs/webhook/answer_review.h"
#include "programs/webhook/review_view.h"

namespace basalt::webhook {
namespace {

api::Call call_of(const LiveQuery& question) {
  static const std::array<api::GroupVersionResource, 4> kResources = {{
      {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"},
      {.group = "", .version = "v1", .plural = "namespaces"},
      {.group = "scheduling.k8s.io", .version = "v1", .plural = "priorityclasses"},
      {.group = "", .version = "v1", .plural = "persistentvolumeclaims"},
  }};
  return {.verb = question.name.empty() ? api::Verb::List : api::Verb::Get,
          .resource = kResources[static_cast<size_t>(question.kind)],
          .namespace_name = question.namespace_name,
          .name = question.name};
}

// An answer that is none (the API is away, forbids it) changes nothing: what is known has to do.
void learn(const LiveQuery& question, const client::ReplyOrError& outcome, ReviewView& view) {
  if (!outcome) {
    if (outcome.error().code == 404 && !question.name.empty()) view.learn(question, nullptr);
  } else if (question.name.empty()) {
    view.learn_queues(outcome->items);
  } else if (outcome->object != nullptr && outcome->object->is_object()) {
    view.learn(question, outcome->object);
  }
}

}  // namespace

struct LiveReviews::Task {
  Task(const admission::Webhook& row, AdmissionReview asked,
       std::shared_ptr<const admission::VolcanoAdmissionOptions> rules, std::shared_ptr<const AdmissionCache> objects,
       Done write_log)
      : webhook(row),
        review(std::move(asked)),
        options(std::move(rules)),
        known(std::move(objects)),
        view(*known),
        done(std::move(write_log)) {}

  const admission::Webhook& webhook;
  const AdmissionReview review;
  const std::shared_ptr<const admission::VolcanoAdmissionOptions> options;
  const std::shared_ptr<const AdmissionCache> known;
  Instant deadline;
  std::mutex mutex;  // of all below
  ReviewView view;
  ReviewResponse answer;
  size_t open = 0;  // questions whose answers are awaited
  Done done;        // empty: answered
};

struct LiveReviews::Shared {
  Shared(client::ObjectClient& api, std::shared_ptr<const AdmissionCache> objects)
      : client(api), known(std::move(objects)) {}
  client::ObjectClient& client;
  const std::shared_ptr<const AdmissionCache> known;
  std::atomic<uint64_t> asked = 0;
  std::mutex mutex;
  std::vector<std::shared_ptr<Task>> asking;
  size_t telling = 0;  // answers that are being given
  std::condition_variable told;
  bool stopped = false;
};

LiveReviews::LiveReviews(client::ObjectClient& client, std::shared_ptr<const AdmissionCache> known)
    : shared_(std::make_shared<Shared>(client, std::move(known))) {}

void LiveReviews::answer(const admission::Webhook& webhook, AdmissionReview review,
                         std::shared_ptr<const admission::VolcanoAdmissionOptions> options, Instant now, Done done) {
  const auto task =
      std::make_shared<Task>(webhook, std::move(review), std::move(options), shared_->known, std::move(done));
  task->deadline = now + kLiveQueryTimeout;
  run(shared_, task);
}

// Reviews, then answers or asks. Never called twice at a time for one task: the last answer to a round's questions
// starts the next round.
void LiveReviews::run(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Task>& task) {
  std::vector<LiveQuery> questions;
  {
    const std::lock_guard lock(task->mutex);
    if (!task->done) return;
    task->answer = answer_review(task->webhook, task->review, task->view.lookup(), *task->options);
    questions = task->view.questions(!task->answer.verdict.has_value());
    task->open = questions.size();
  }
  if (!questions.empty()) {
    const std::lock_guard lock(shared->mutex);
    const bool listed = std::ranges::find(shared->asking, task) != shared->asking.end();
    if (shared->stopped || (!listed && shared->asking.size() >= kMaxReviewsAsking)) {
      questions.clear();
    } else if (!listed) {
      shared->asking.push_back(task);
    }
  }
  if (questions.empty()) return finish(shared, task);
  shared->asked += questions.size();
  for (const LiveQuery& question : questions) {
    shared->client.send(call_of(question), [shared, task, question](const client::ReplyOrError& outcome) {
      bool last = false;
      {
        const std::lock_guard lock(task->mutex);
        learn(question, outcome, task->view);
        last = --task->open == 0;
      }
      if (last) run(shared, task);
    });
  }
}

void LiveReviews::finish(const std::shared_ptr<Shared>& shared, const std::shared_ptr<Task>& task) {
  {
    const std::lock_guard lock(shared->mutex);
    std::erase(shared->asking, task);
    ++shared->telling;
  }
  Done done;
  ReviewResponse answer;
  {
    const std::lock_guard lock(task->mutex);
    done = std::exchange(task->done, nullptr);
    answer = task->answer;
  }
  if (done) done(task->review, answer);
  const std::lock_guard lock(shared->mutex);
  --shared->telling;
  shared->told.notify_all();
}

void LiveReviews::sweep(Instant now) {
  std::vector<std::shared_ptr<Task>> late;
  {
    const std::lock_guard lock(shared_->mutex);
    for (const auto& task : shared_->asking) {
      if (task->deadline <= now) late.push_back(task);
    }
  }
  for (const auto& task : late) finish(shared_, task);
}

void LiveReviews::stop() {
  std::vector<std::shared_ptr<Task>> all;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
    all = shared_->asking;
  }
  for (const auto& task : all) finish(shared_, task);
  std::unique_lock lock(shared_->mutex);
  shared_->told.wait(lock, [this] { return shared_->telling == 0; });
}

uint64_t LiveReviews::asked() const { return shared_->asked; }

}  // namespace basalt::webhook
