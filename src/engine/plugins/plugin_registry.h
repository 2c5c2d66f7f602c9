// All plugins. One line each in plugin_registry.cc; nothing registers itself.
#pragma once

#include <span>

#include "engine/core/plugin.h"

namespace basalt::plugins {

std::span<const engine::PluginEntry> registry();

}  // namespace basalt::plugins
