#include "control/loop/relist.h"

#include "control/loop/readable_object.h"
#include "kube/api/object_fields.h"

namespace basalt::loop {

std::vector<std::string> Relist::gone(const Informer::Listed& page,
                                      const std::function<std::vector<std::string>()>& known) {
  std::set<std::string>& seen = seen_[page.kind];
  if (page.first) seen.clear();  // of a list that broke off
  for (const client::ObjectPtr& object : page.objects) {
    if (is_readable(object)) seen.insert(api::key_of(object->get_object()));
  }
  if (!page.complete) return {};
  std::vector<std::string> gone = known();
  std::erase_if(gone, [&](const std::string& key) { return seen.contains(key); });
  seen_.erase(page.kind);
  return gone;
}

}  // namespace basalt::loop
