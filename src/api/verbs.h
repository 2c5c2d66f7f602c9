// What kinds of verbs there are, and what they are called.
#pragma once

#include <string_view>

#include "api/call.h"

namespace basalt::api {

// Whether it changes anything on the server.
[[nodiscard]] constexpr bool is_write(Verb verb) {
  return verb != Verb::Get && verb != Verb::List && verb != Verb::Watch;
}

// As Kubernetes' metrics have it.
[[nodiscard]] constexpr std::string_view metric_word(Verb verb) {
  switch (verb) {
    case Verb::Get:
      return "GET";
    case Verb::List:
      return "LIST";
    case Verb::Watch:
      return "WATCH";
    case Verb::Create:
      return "POST";
    case Verb::Update:
      return "PUT";
    case Verb::Patch:
      return "PATCH";
    case Verb::Delete:
      return "DELETE";
    case Verb::DeleteCollection:
      return "DELETECOLLECTION";
  }
  return "";
}

}  // namespace basalt::api
