// Queues: whether they are open, and how many PodGroups of each phase they hold.
//
//   state             OpenQueue   CloseQueue             otherwise
//   none, Open        Open        Closed, or Closing     Open
//   Closed            Open        Closed                 Closed
//   Closing           Open        Closed, or Closing     Closed, or Closing     Closing: while PodGroups are in it
//   Unknown           Open        Closed, or Closing     Unknown
//
// 1. Below a queue that is Closed or Closing no queue is open: it is closed and marked volcano.sh/closed-by-parent, and
//    opened with its parent again. One that a person closed stays closed. The queue root is never closed.
// 2. A Command is carried out by the write of the state and deleted afterwards; it asks for a state, so a replay after
//    a crash between the two changes nothing. Commands for one queue are carried out one by one in the order in which
//    they were created.
// 3. OpenQueue below a closed parent waits kParentOpenTimeout for the parent, then it is refused with an event. A
//    Command whose queue nobody has seen is dropped after the same time: watches may be late.
// 4. spec.parent of a queue other than root is never empty.
// 5. Only members of the status that are ours are patched, and only those that changed: the scheduler's stay.
// Items are names of queues, and keys of Commands that have no queue.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

inline constexpr Duration kParentOpenTimeout = Duration::seconds(60);

[[nodiscard]] VolcanoController queue_controller();

}  // namespace basalt::volcano
