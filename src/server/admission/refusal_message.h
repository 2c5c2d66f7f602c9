// Collects what is wrong with an object into the one message of a refusal.
//
// say() appends Volcano's words exactly as Volcano joins them: users and scripts know the text. What those words leave
// open (which field, which value, what to do) goes into remedy(), and stands in parentheses at the end.
//
//   " 'minAvailable' is greater than 'replicas' in task: ps, job: j;" and a remedy become
//   "'minAvailable' is greater than 'replicas' in task: ps, job: j; (spec.tasks[0].minAvailable is 3, replicas 2: …)"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/api_error.h"
#include "server/admission/webhooks.h"

namespace basalt::admission {

inline constexpr size_t kMaxRefusalBytes = size_t{16} * 1024;  // longer texts are cut
inline constexpr size_t kMaxRemedies = 8;                      // further ones are left out

class RefusalMessage {
 public:
  void say(std::string_view words);
  void remedy(std::string text);
  // More would be cut: who walks a long list may stop.
  [[nodiscard]] bool full() const { return words_.size() > kMaxRefusalBytes; }
  // Allowed when nothing was said. The refusal's blanks at both ends are cut, as Volcano does.
  [[nodiscard]] WebhookResult verdict() const;

 private:
  std::string words_;
  std::vector<std::string> remedies_;
};

// A refusal of one sentence.
[[nodiscard]] std::unexpected<std::string> deny(std::string_view words, std::string_view remedy = "");

// The causes as Kubernetes joins them: "a: b", or "[a: b, c: d]" without repetitions.
[[nodiscard]] std::string aggregate_text(const api::Causes& causes);

// As Go prints a list of strings: "[a b]".
[[nodiscard]] std::string go_list(const std::vector<std::string>& words);

}  // namespace basalt::admission
