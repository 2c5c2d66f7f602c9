// What kinds of verbs there are, and what they are called.
#pragma once

#include <string_view>

#include "kube/api/call.h"

namespace basalt::api {

// Whether it changes anything on the server.
[[nodiscard]] constexpr bool is_write(Verb verb) {
  return verb != Verb::Get && verb != Verb::List && verb != Verb::Watch;
}

[[nodiscard]] constexpr std::string_view http_method(Verb verb) {
  switch (verb) {
    case Verb::Get:
    case Verb::List:
    case Verb::Watch:
      return "GET";
    case Verb::Create:
      return "POST";
    case Verb::Update:
      return "PUT";
    case Verb::Patch:
      return "PATCH";
    case Verb::Delete:
    case Verb::DeleteCollection:
      return "DELETE";
  }
  return "";
}

// As Kubernetes' metrics have it: the method, with what concerns many objects told apart.
[[nodiscard]] constexpr std::string_view metric_word(Verb verb) {
  if (verb == Verb::List) return "LIST";
  if (verb == Verb::Watch) return "WATCH";
  return verb == Verb::DeleteCollection ? "DELETECOLLECTION" : http_method(verb);
}

}  // namespace basalt::api
