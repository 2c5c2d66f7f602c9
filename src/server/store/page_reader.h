// One page of a list, as it was at a revision: the present with the later events undone.
#pragma once

#include "server/store/history.h"
#include "server/store/key_index.h"
#include "server/store/store.h"

namespace basalt::store {

// Requires: `resource_events` reaches back to `at`, and `at` is not above the last commit. The page's revision is
// left to the caller. Cost: O(log objects + page), and O(e log e) more for e events of the resource after `at`.
[[nodiscard]] ListPage read_page(const KeyIndex& index, const History::ResourceEvents& resource_events,
                                 const ListRequest& request, Revision at);

// The latest state, as ListRequest::latest asks for it. Cost: O(log objects + keys with the prefix).
[[nodiscard]] ListPage read_latest(const KeyIndex& index, const ListRequest& request);

}  // namespace basalt::store
