// A call that becomes a URL on our side, and a call again on the server's, is the same call.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "kube/client/call_request.h"
#include "server/http/request_path.h"

namespace basalt::tests {
namespace {

using api::Verb;

std::string word(Rng& rng) {
  static constexpr std::string_view kLetters = "abz09.-_ ~!*'()+&=?#:@,;$\"\\<>[]{}|^`\t";
  std::string text = "x";
  for (uint64_t left = rng.below(8); left > 0; --left) text += kLetters[rng.below(kLetters.size())];
  if (rng.chance(0.2)) text += "äß€𝄞";
  return text;
}

std::string maybe(Rng& rng, std::string text) { return rng.chance(0.5) ? std::move(text) : ""; }

api::Call random_call(Rng& rng) {
  constexpr Verb kVerbs[] = {Verb::Get,    Verb::List,  Verb::Watch,  Verb::Create,
                             Verb::Update, Verb::Patch, Verb::Delete, Verb::DeleteCollection};
  api::Call call;
  call.verb = kVerbs[rng.below(std::size(kVerbs))];
  call.resource = {.group = maybe(rng, "g.example.org"), .version = "v1", .plural = "things"};
  call.namespace_name = maybe(rng, word(rng));
  const bool one =
      call.verb == Verb::Get || call.verb == Verb::Update || call.verb == Verb::Patch || call.verb == Verb::Delete;
  if (one) {
    call.name = word(rng);
    call.subresource = maybe(rng, "status");
  } else if (call.verb == Verb::List || call.verb == Verb::Watch || call.verb == Verb::DeleteCollection) {
    call.label_selector = maybe(rng, "a in (b,c),d!=e");
    call.field_selector = maybe(rng, "metadata.name=x");
    call.continue_token = maybe(rng, word(rng));
    call.limit = static_cast<int64_t>(rng.below(1000));
    call.timeout_seconds = static_cast<int64_t>(rng.below(1000));
    call.version_match = static_cast<api::ResourceVersionMatch>(rng.below(3));
    call.bookmarks = rng.chance(0.5);
    if (rng.chance(0.5)) call.send_initial_events = rng.chance(0.5);
  }
  if (one || !call.label_selector.empty()) call.resource_version = maybe(rng, std::to_string(rng.below(100'000)));
  if (call.verb == Verb::Create || call.verb == Verb::Update || call.verb == Verb::Patch) {
    call.resource_version = "";
    call.field_manager = maybe(rng, word(rng));
    call.field_validation = static_cast<api::FieldValidation>(rng.below(3));
    call.patch = static_cast<api::PatchType>(rng.below(4));
    if (call.verb == Verb::Patch && call.patch == api::PatchType::Apply) call.field_manager = word(rng);  // required
    call.force = call.verb == Verb::Patch && call.patch == api::PatchType::Apply && rng.chance(0.5);
  }
  if (call.verb == Verb::Delete) call.resource_version = "";
  call.dry_run = call.verb != Verb::Get && call.verb != Verb::List && call.verb != Verb::Watch && rng.chance(0.5);
  return call;
}

// Everything of a call that a URL carries, as text.
std::string shown(const api::Call& call) {
  std::string text;
  const auto add = [&](const std::string& part) { text += part + "\n"; };
  for (const std::string* part :
       {&call.resource.group, &call.resource.version, &call.resource.plural, &call.namespace_name, &call.name,
        &call.subresource, &call.label_selector, &call.field_selector, &call.continue_token, &call.resource_version,
        &call.field_manager}) {
    add(*part);
  }
  add(std::to_string(call.limit) + " " + std::to_string(call.timeout_seconds) + " " +
      std::to_string(static_cast<int>(call.version_match)) + " " +
      std::to_string(static_cast<int>(call.field_validation)));
  add(std::to_string(call.bookmarks) + std::to_string(call.dry_run) + std::to_string(call.force) +
      (call.send_initial_events ? std::to_string(*call.send_initial_events) : "unset"));
  return text;
}

TEST(PathProperty, TheServerReadsWhatTheClientWrites) {
  Rng rng(20240501);
  for (int i = 0; i < 20'000; ++i) {
    const api::Call call = random_call(rng);
    const auto request = client::request_of(call);
    ASSERT_TRUE(request) << request.error().message;
    const auto target = server::parse_target(request->target);
    ASSERT_TRUE(target) << request->target;
    auto path = server::parse_resource_path(target->segments);
    ASSERT_TRUE(path) << request->target;
    EXPECT_FALSE(path->longer);
    path->call.verb = call.verb;
    path->call.patch = call.patch;
    const auto read = server::read_options(*target, path->call);
    ASSERT_TRUE(read) << read.error().message << " " << request->target;
    ASSERT_EQ(shown(path->call), shown(call)) << request->target;
  }
}

}  // namespace
}  // namespace basalt::tests
