// A bound call: object and function, two words, never allocates. Hook::to<&Gang::job_ready>(gang) makes one.
#pragma once

#include <utility>

namespace basalt::engine {

template <class Signature>
class Hook;

template <class R, class... A>
class Hook<R(A...)> {
 public:
  template <auto Method, class Object>
  static Hook to(Object& object) {
    Hook hook;
    hook.self_ = &object;
    hook.call_ = [](void* self, A... args) -> R {
      return (static_cast<Object*>(self)->*Method)(std::forward<A>(args)...);
    };
    return hook;
  }
  R operator()(A... args) const { return call_(self_, std::forward<A>(args)...); }

 private:
  void* self_ = nullptr;
  R (*call_)(void*, A...) = nullptr;
};

}  // namespace basalt::engine
