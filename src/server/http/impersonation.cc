#include "server/http/impersonation.h"

#include <algorithm>

#include "base/ascii.h"

namespace basalt::server {
namespace {

constexpr std::string_view kFamily = "impersonate-";
constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

// Every header of every request comes by: nothing is copied.
bool is_of_family(std::string_view name) {
  return name.size() >= kFamily.size() &&
         std::ranges::equal(name.substr(0, kFamily.size()), kFamily, {}, [](char c) { return lower(c); });
}

void add_group(api::UserInfo& user, std::string group) {
  if (std::ranges::find(user.groups, group) == user.groups.end()) user.groups.push_back(std::move(group));
}

// A service account brings its groups along, unless others were named; everybody who is known is authenticated.
void complete_groups(api::UserInfo& user) {
  if (user.groups.empty() && user.name.starts_with(kServiceAccountPrefix)) {
    const std::string rest = user.name.substr(kServiceAccountPrefix.size());
    if (const size_t colon = rest.find(':'); colon != std::string::npos) {
      add_group(user, "system:serviceaccounts");
      add_group(user, "system:serviceaccounts:" + rest.substr(0, colon));
    }
  }
  add_group(user, user.name == "system:anonymous" ? "system:unauthenticated" : "system:authenticated");
}

}  // namespace

bool impersonates(const net::Headers& headers) {
  return std::ranges::any_of(headers.list, [](const auto& one) { return is_of_family(one.first); });
}

api::ApiResult<api::UserInfo> acting_user(const api::UserInfo& caller, const net::Headers& headers) {
  if (!impersonates(headers)) return caller;
  api::UserInfo user;
  for (const auto& [name, value] : headers.list) {
    if (!is_of_family(name)) continue;
    const std::string key = lower(name);
    if (key == "impersonate-user") {
      if (!user.name.empty())
        return std::unexpected(api::bad_request("there is more than one Impersonate-User header"));
      user.name = value;
    } else if (key == "impersonate-group") {
      if (user.groups.size() == kMaxImpersonatedGroups) return std::unexpected(api::bad_request("too many groups"));
      if (!value.empty()) add_group(user, value);
    } else if (key == "impersonate-uid") {
      if (!user.uid.empty()) return std::unexpected(api::bad_request("there is more than one Impersonate-Uid header"));
      user.uid = value;
    } else {
      return std::unexpected(api::bad_request("the header " + key + " is not supported: leave it out"));
    }
  }
  if (user.name.empty()) {
    return std::unexpected(api::bad_request("groups or a uid are requested without impersonating a user"));
  }
  if (std::ranges::find(caller.groups, "system:masters") == caller.groups.end()) {
    return std::unexpected(api::forbidden("", "users", user.name,
                                          "User \"" + caller.name +
                                              "\" cannot impersonate resource \"users\" in API group \"\" at the "
                                              "cluster scope: only members of system:masters may"));
  }
  complete_groups(user);
  return user;
}

}  // namespace basalt::server
