// The devices that the emulator can claim to be.
#pragma once

#include <string>
#include <string_view>

#include "common/emulator/device.hpp"

namespace ladder::emulator {

// Properties of "h200" (the default), "h100", "a100", "rtx4090", "rtx3090" or "t4"; case does not
// matter. Throws std::invalid_argument naming those that exist.
DeviceProperties device_named(std::string_view name);

}  // namespace ladder::emulator
