// One run of one command: its flags, the API and the terminal, and the few calls that commands make of them.
//
// Errors carry the server's own words, as Volcano's tools show them; a warning of the server goes to `err`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/cli/flag_table.h"
#include "programs/cli/vcctl/terminal.h"
#include "programs/cli/vcctl/vcctl_kinds.h"

namespace basalt::cli::vcctl {

inline constexpr int64_t kListPage = 500;  // objects asked for at a time, as kubectl does
inline constexpr size_t kMaxListPages = 10'000;

struct ListScope {
  std::string namespace_name;  // "": all of them, or a kind without namespaces
  std::string label_selector = {}, field_selector = {};
};

struct ListResult {
  std::vector<client::ObjectPtr> items;
  std::string resource_version;
};

struct CommandSession {
  const FlagValues& flags;
  client::ObjectClient& api;
  Terminal& terminal;
  int exit_code = 0;  // of a command that succeeded: --wait hands on the job's

  [[nodiscard]] Result<client::ObjectPtr> get(const VcctlKind& kind, std::string_view namespace_name,
                                              std::string_view name);
  // All pages, sorted by namespace and name. Items that are no objects are left out.
  [[nodiscard]] Result<ListResult> list(const VcctlKind& kind, const ListScope& scope);
  [[nodiscard]] Result<std::string> log(std::string_view namespace_name, std::string_view pod,
                                        api::PodLogOptions options);
  [[nodiscard]] Result<client::ObjectPtr> create(const VcctlKind& kind, std::string_view namespace_name,
                                                 text::Object object);
  [[nodiscard]] Result<void> merge_patch(const VcctlKind& kind, std::string_view name, text::Value patch);
  [[nodiscard]] Result<void> remove(const VcctlKind& kind, std::string_view namespace_name, std::string_view name);

  // Whether exactly Volcano's texts are wanted.
  [[nodiscard]] bool volcano_output() const { return terminal.volcano_output; }
  // One line on what an action did, which Volcano's tools leave out.
  void tell(std::string_view line);

  // --namespace, or "" with --all-namespaces where the command has that.
  [[nodiscard]] std::string namespace_flag() const;

 private:
  [[nodiscard]] Result<client::Reply> send(api::Call call);
};

// The server's refusal in its own words.
[[nodiscard]] Error error_of(const api::ApiError& refusal);

}  // namespace basalt::cli::vcctl
