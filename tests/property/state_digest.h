// Everything a decision could depend on, written out by names: two states with equal digests are the same world. More
// than ClusterState::hash() covers, and it says what differs.
#pragma once

#include <string>

#include "engine/model/cluster_state.h"

namespace basalt::property {

std::string digest(const model::ClusterState& state);

// The first line in which two texts differ, both sides; "" if they are equal.
std::string first_difference(const std::string& left, const std::string& right);

}  // namespace basalt::property
