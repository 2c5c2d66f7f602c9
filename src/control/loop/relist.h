// What a list says about objects that it does not have: those that are known and on none of its pages are gone.
//
// Keys of pages are kept only while a kind is being listed. Cost: O(log objects) for each object.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/loop/informer.h"

namespace basalt::loop {

class Relist {
 public:
  // Takes a page. With the last one answers the keys among `known` that were on no page, in their order; with others
  // nothing. `known` is asked after the objects of this page were learnt, or before: it makes no difference.
  [[nodiscard]] std::vector<std::string> gone(const Informer::Listed& page,
                                              const std::function<std::vector<std::string>()>& known);

 private:
  std::map<KindId, std::set<std::string>> seen_;
};

}  // namespace basalt::loop
