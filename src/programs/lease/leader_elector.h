// Leader election on a Lease, by client-go's rules, so that our programs and Volcano's respect each other.
//
// 1. A replica tries every `retry` to take a lease that is free or whose holder has not renewed it for the holder's own
//    leaseDurationSeconds, counted on our clock from when we saw it change: clocks of machines need not agree.
// 2. The holder renews every `retry`. When it could not for `renew`, or somebody else has it, it has lost: `lost` is
//    called once, and the program ends without another write (FencedClient).
// 3. stop() gives the lease up, so that another replica need not wait.
// 4. An answer that takes longer than half of `renew` is not waited for: whether the write happened is found by
//    reading.
//
// What decides is pure (lease_rules.h); this is the thread around it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "kube/client/object_client.h"

namespace basalt::lease {

struct LeaderElectorOptions {
  std::string namespace_name = "volcano-system", name;
  std::string identity;  // "host_uuid"
  Duration lease = Duration::seconds(15), renew = Duration::seconds(10), retry = Duration::seconds(2);
  std::function<void(const std::string& line)> log;  // on the election's thread; may be empty
};

// As client-go does: lease > renew > 1.2 * retry (in whole seconds of lease, at least one), names that are given. The
// error names the flag.
[[nodiscard]] Result<void> check_leader_elector_options(const LeaderElectorOptions& options);

// The host's name and something that no other process has, as Volcano makes it: "host_uuid".
[[nodiscard]] std::string new_identity();

class LeaderElector {
 public:
  // Requires: `client` outlives it, and answers its calls; it is not fenced by this LeaderElector.
  // check_leader_elector_options is well. `client` should be one of its own: a renewal must not wait behind other
  // calls.
  LeaderElector(client::ObjectClient& client, LeaderElectorOptions options);
  ~LeaderElector();  // stop()
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Tries until it leads, then calls `leads` once; later perhaps `lost` once. Both on the election's thread: they must
  // not block for longer than `retry`, nor call stop(). Once.
  void start(std::function<void()> leads, std::function<void()> lost);
  // The lease is ours by the last renewal that was answered, and that was sent less than `renew` ago. From any thread;
  // cheap. After a pause of the whole process (SIGSTOP, a sleeping machine) it is false before any other thread can
  // write.
  [[nodiscard]] bool is_leading() const;
  [[nodiscard]] std::string holder() const;  // whom the lease names, as far as it is known; from any thread
  // is_leading() is false from now on; ends the thread, and gives the lease up when it is ours. Takes no longer than
  // about half of `renew`. Call it when nothing writes any more: another replica begins at once.
  void stop();

 private:
  class Election;
  std::unique_ptr<Election> election_;
};

}  // namespace basalt::lease
