// The files of pods: volumes, hosts files, logs.
#include <fmt/format.h>

#include <csignal>
#include <system_error>
#include <utility>

#include "control/node/local/directory_names.h"
#include "control/node/local/hosts_file.h"
#include "control/node/local/pod_runtime.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace fs = std::filesystem;

void PodRuntime::set_up_volumes(const PodRunSpec& spec, const InputsPtr& inputs) {
  {
    const std::lock_guard lock(mutex_);
    turns_of_.try_emplace(spec.uid);
  }
  const uint64_t turn = ++turns_;
  if (pool_.post([this, uid = spec.uid, inputs, turn] { tell_(uid, make_volumes(uid, *inputs, turn)); })) return;
  tell_(spec.uid, VolumesFailed{.message = std::string(kTooMuch)});
}

void PodRuntime::log_notes(const text::Object& pod, const std::vector<std::string>& notes) const {
  for (const std::string& note : notes) {
    if (defaults_.log) defaults_.log(fmt::format("pod {}: {}", api::key_of(pod), note));
  }
}

bool PodRuntime::is_next(const std::string& uid, uint64_t FilesTurns::* newest, uint64_t turn) {
  const std::lock_guard lock(mutex_);
  const auto at = turns_of_.find(uid);
  if (at == turns_of_.end() || at->second.*newest > turn) return false;
  at->second.*newest = turn;
  return true;
}

PodLifecycleEvent PodRuntime::make_volumes(const std::string& uid, const PodInputs& inputs, uint64_t turn) {
  const text::Object& pod = inputs.pod->get_object();
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    std::string& owner = log_owner_[api::key_of(pod)];
    // Logs of a former pod of this name; those of this pod before a restart of the node are its own.
    first = owner != uid && !api::PodView(pod).status().container_statuses();
    owner = uid;
  }
  std::error_code ignored;
  if (first) fs::remove_all(log_directory(defaults_.logs, pod), ignored);
  const auto directory = volumes_.pod_directory(uid);
  if (!directory) return VolumesFailed{.message = directory.error().message};
  const std::lock_guard writing(files_);
  if (is_next(uid, &FilesTurns::hosts, turn)) {
    if (const auto wrote = write_hosts(*directory / "hosts", inputs.hosts); !wrote) {
      return VolumesFailed{.message = wrote.error().message};
    }
  }
  (void)is_next(uid, &FilesTurns::volumes, turn);  // the first one is made however late it comes
  auto made = volumes_.set_up_volumes(pod, inputs.place, inputs.lookup());
  if (!made) return VolumesFailed{.message = made.error().message};
  log_notes(pod, made->notes);
  const std::lock_guard lock(mutex_);
  laid_out_.insert_or_assign(uid, std::move(*made));
  return VolumesReady{};
}

void PodRuntime::clean_up(const std::string& uid) {
  {
    const std::lock_guard lock(mutex_);
    laid_out_.erase(uid);
    turns_of_.erase(uid);
  }
  // What cannot be removed now is swept at the next start.
  pool_.post([this, uid] {
    files_.lock();  // what is being written for it is written
    files_.unlock();
    (void)volumes_.remove(uid);
  });
}

void PodRuntime::refresh_volumes(const InputsPtr& inputs, std::function<void(std::string)> failed) {
  pool_.post([this, inputs, turn = ++turns_, failed = std::move(failed)] {
    std::string uid(api::string_at(inputs->pod->get_object(), {"metadata", "uid"}));
    const std::lock_guard writing(files_);
    if (!is_next(uid, &FilesTurns::volumes, turn)) return;
    auto made = volumes_.set_up_volumes(inputs->pod->get_object(), inputs->place, inputs->lookup());
    if (!made) return failed(made.error().message);
    const std::lock_guard lock(mutex_);
    const auto at = laid_out_.find(uid);
    if (at != laid_out_.end()) at->second = std::move(*made);
  });
}

void PodRuntime::write_hosts_file(const std::string& uid, std::string text) {
  pool_.post([this, uid, turn = ++turns_, text = std::move(text)] {
    const std::lock_guard writing(files_);
    if (!is_next(uid, &FilesTurns::hosts, turn)) return;
    const auto directory = volumes_.pod_directory(uid);
    if (directory) (void)write_hosts(*directory / "hosts", text);
  });
}

void PodRuntime::remove_logs(const client::ObjectPtr& pod) {
  pool_.post([this, pod] {
    const text::Object& object = pod->get_object();
    {
      const std::lock_guard lock(mutex_);
      const auto owner = log_owner_.find(api::key_of(object));
      if (owner != log_owner_.end()) {
        if (owner->second != api::string_at(object, {"metadata", "uid"})) return;
        log_owner_.erase(owner);
      }
    }
    std::error_code ignored;
    fs::remove_all(log_directory(defaults_.logs, object), ignored);
  });
}

void PodRuntime::remove_claim(const std::string& uid) {
  pool_.post([this, uid] { (void)volumes_.remove_claim(uid); });
}

void PodRuntime::sweep(std::set<std::string> uids, std::set<std::string> keys) {
  pool_.post([this, uids = std::move(uids), keys = std::move(keys)] {
    processes_.end_detached(SIGKILL);
    for (const std::string& uid : volumes_.uids()) {
      if (!uids.contains(uid)) (void)volumes_.remove(uid);
    }
    for (const std::string& ns : list_directory(defaults_.logs)) {
      for (const std::string& pod : list_directory(defaults_.logs / ns)) {
        const std::string key = object_key(ns, pod);
        std::error_code ignored;
        const std::lock_guard lock(mutex_);  // a pod that begins meanwhile has its logs there
        if (!keys.contains(key) && !log_owner_.contains(key)) fs::remove_all(defaults_.logs / ns / pod, ignored);
      }
    }
  });
}

}  // namespace basalt::node
