// Our answers to the questions of a probe, as the same kind of JSON.
#pragma once

#include <string>

#include "engine/core/session.h"
#include "kube/text/json.h"

namespace basalt::lab {

// Lists whose order is the fact are one text: "a b c".
[[nodiscard]] text::Value in_order(const text::Array& names);

// {"cpu": 1000, …} from "cpu 1000.00, memory 0.00"; nothing that is zero.
[[nodiscard]] text::Value parse_amounts(const text::Value& written);

// The named queues in our order; those that we do not know are left out.
[[nodiscard]] text::Value queue_order(const engine::Session& session, const text::Array& names);
[[nodiscard]] text::Value job_orders(const engine::Session& session);  // queue → its jobs in order
[[nodiscard]] text::Value overused_queues(const engine::Session& session);

// The answer of the gang and queue questions for every job: level is one of priority, minAvailable, phase, valid,
// ready, pipelined, starving, enqueueable, pendingTaskOrder.
[[nodiscard]] text::Value job_answers(const engine::Session& session, std::string_view level);

// pod → resreq, by dimension, for pending tasks.
[[nodiscard]] text::Value pending_requests(const engine::Session& session);
// node → amounts; level is one of allocatable, idle, used, releasing, pipelined.
[[nodiscard]] text::Value node_amounts(const engine::Session& session, std::string_view level);

}  // namespace basalt::lab
